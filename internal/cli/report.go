package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/rule"
	"spmvtune/store"
)

func newReport() *cobra.Command {
	var r reporting
	cmd := &cobra.Command{
		Use:   "report [DB...]",
		Short: "Make figures, tables, rule and the HTML page from databases",
		Long: `report makes everything that run makes after measuring, from databases alone: figures,
tables, the learned rule and one self-contained HTML page. The same databases give
the same bytes.

Several databases become one: devices stand side by side, a device that more than one
of them has is one, and matrices are the same by content. The databases themselves are
not changed.

What a sweep's [report] section says holds where no option says otherwise. --kernel,
--matrix, --device, --precision and --cache take names, or patterns with * and ?, more
than one with commas or by repeating the option; a part of a device's name will do. The
report is then as if nothing else had been measured, and no rule.json is written.`,
		Example: `  spmvtune report
  spmvtune report results/a30/results.db --out a30-report
  spmvtune report a30.db h100.db --out both
  spmvtune report after.db --against before.db
  spmvtune report --figure throughput-vs-block --kernel 'coo_*' --precision float32 --out coo`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"db"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				name, err := command.Only(command.DatabaseFile, "results database", func(path string) string { return command.Again(cmd, path) })
				if err != nil {
					return err
				}
				args = []string{name}
			}
			r.publishedSet = cmd.Flags().Changed("published")
			err := r.make(cmd.Context(), cmd.OutOrStdout(), args)
			if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
				return command.WithHint(err, "give another folder with --out")
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&r.out, "out", "o", "", "folder to write to (default: the database's; of several, "+filepath.Join(command.OutRoot, "report")+")")
	f.StringVar(&r.against, "against", "", "a database to compare with: what became faster or slower since")
	f.StringSliceVar(&r.figures, "figure", nil, "only these figures")
	f.StringSliceVar(&r.choice.Kernels, "kernel", nil, "only these kernels")
	f.StringSliceVar(&r.choice.Matrices, "matrix", nil, "only these matrices")
	f.StringSliceVar(&r.choice.Devices, "device", nil, "only these devices")
	f.StringSliceVar(&r.choice.Precisions, "precision", nil, "only these precisions: float32, float64")
	f.StringSliceVar(&r.choice.Caches, "cache", nil, "only these cache states: cold, warm")
	f.BoolVar(&r.published, "published", false, "draw the papers' own numbers beside the measured ones")
	command.FlagFile(cmd, "out")
	command.FlagFile(cmd, "against", "db")
	command.FlagValues(cmd, "figure", configs.Figures...)
	command.FlagValues(cmd, "precision", "float32", "float64")
	command.FlagValues(cmd, "cache", "cold", "warm")
	return cmd
}

// settle brings the tie sets of a database up to date, and the database itself if an
// older program wrote it. One that can't be written stays as it is: its ties are told
// by intervals then.
func settle(ctx context.Context, path string) error {
	if !writable(path) {
		return nil
	}
	there, err := store.OpenReadOnly(path) // where nothing is yet, opening to write would begin a database
	if err != nil {
		return err
	}
	there.Close()
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

// learn returns the rule that the database's results teach, nil if it has none
// that are ok.
func learn(ctx context.Context, db *store.DB, rows []store.Row) (*rule.Rule, error) {
	seen, err := rule.FromRows(ctx, db, rows)
	if err != nil {
		return nil, err
	}
	opt := rule.DefaultOptions
	if opt.Test, err = testClasses(ctx, db); err != nil {
		return nil, err
	}
	learned, err := rule.Learn(ctx, seen, opt)
	if errors.Is(err, rule.ErrNoData) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("learning the rule: %w", err)
	}
	return learned, nil
}

// gathered makes one database of several, or of a part of their trials, in a folder
// that remove removes.
func gathered(ctx context.Context, paths []string, choice store.Choice) (db *store.DB, remove func() error, err error) {
	dir, err := os.MkdirTemp("", "spmvtune-report-*")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for the report's database: %w", err)
	}
	db, err = store.Gather(ctx, filepath.Join(dir, command.DatabaseFile), paths, choice)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return db, func() error { return errors.Join(db.Close(), os.RemoveAll(dir)) }, nil
}
