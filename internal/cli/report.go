package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/plots"
	"spmvtune/rule"
	"spmvtune/store"
)

func newReport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report [DB]",
		Short: "Make figures, tables, rule and the HTML page from a database",
		Long: `report makes everything that run makes after measuring, from the database alone:
figures, tables, the learned rule and one self-contained HTML page. The same
database gives the same bytes.`,
		Example: `  spmvtune report
  spmvtune report results/a30/results.db --out a30-report`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFile("db"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, path, err := databaseArg(cmd, args)
			if err != nil {
				return err
			}
			defer db.Close()
			if err := settle(cmd.Context(), db.Path()); err != nil {
				return err
			}
			if out == "" {
				out = filepath.Dir(path)
			}
			learned, err := learn(cmd.Context(), db)
			if err != nil {
				return err
			}
			return writeReport(cmd.Context(), cmd.OutOrStdout(), db, learned, out)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder to write to (default: the database's)")
	flagFile(cmd, "out")
	return cmd
}

// settle brings the tie sets of a database up to date, and the database itself if an
// older program wrote it. One that can't be written stays as it is: its ties are told
// by intervals then.
func settle(ctx context.Context, path string) error {
	if !writable(path) {
		return nil
	}
	db, err := store.Open(path)
	if err != nil {
		return err
	}
	_, err = db.Settle(ctx)
	return errors.Join(err, db.Close())
}

// writable reports whether a file and its folder can be written, which SQLite needs.
func writable(path string) bool {
	const w = 2 // W_OK
	return syscall.Access(path, w) == nil && syscall.Access(filepath.Dir(path), w) == nil
}

// learn returns the rule that the database's trials teach, nil if it has none
// that are ok.
func learn(ctx context.Context, db *store.DB) (*rule.Rule, error) {
	seen, err := rule.FromStore(ctx, db)
	if err != nil {
		return nil, err
	}
	learned, err := rule.Learn(ctx, seen, rule.DefaultOptions)
	if errors.Is(err, rule.ErrNoData) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("learning the rule: %w", err)
	}
	return learned, nil
}

// reportOptions are those of the last sweep that was run into db.
func reportOptions(ctx context.Context, db *store.DB) (plots.Options, error) {
	opt := plots.Options{Version: programVersion()}
	sweeps, err := db.Sweeps(ctx)
	if err != nil || len(sweeps) == 0 {
		return opt, err
	}
	last := sweeps[len(sweeps)-1]
	opt.Title = cmp.Or(last.Title, last.Name)
	opt.Figures = configs.ReportOf([]byte(last.Text)).Figures
	return opt, nil
}
