package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

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
