package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"spmvtune/analysis"
	"spmvtune/internal/base/lists"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/store"
)

// bestCommand is the command best.
type bestCommand struct {
	output command.Output
	filter store.Filter
}

func newBest() *cobra.Command {
	var b bestCommand
	cmd := &cobra.Command{
		Use:   "best [RUN]",
		Short: "The best configuration for each matrix",
		Long: `best prints the fastest configuration for each matrix, precision and cache state. If the
measurements cannot tell several apart (the column tied counts them), it prints the one
whose neighbouring block and grid sizes are fast, too. Beside the time stands how far another
run may be off. If nothing was measured again, that is not known, and tied says ≥.

` + command.RunHelp,
		Example: `  spmvtune best
  spmvtune best quickstart                 # the same run: spmvtune best spmvtune-out/quickstart
  spmvtune best results/a30/results.db --json`,
	}
	command.WithDatabase(cmd, b.Run)
	b.output.Flags(cmd)
	flagFilter(cmd, &b.filter)
	return cmd
}

// Run prints the winners.
func (b *bestCommand) Run(cmd *cobra.Command, db *store.DB, _ string) error {
	ctx, w := cmd.Context(), cmd.OutOrStdout()
	if err := checkFilter(ctx, db, b.filter); err != nil {
		return err
	}

	if b.output.Data() {
		view, err := db.Query(ctx, "best")
		if err != nil {
			return err
		}
		want := named(b.filter)
		want["precision"], want["cache"] = string(b.filter.Precision), string(b.filter.Cache)
		rows := lists.Where(view.Rows, func(row []any) bool {
			for i, c := range view.Columns {
				if want[c] != "" && want[c] != cmp.Or(fmt.Sprint(row[i]), string(store.UnknownCache)) {
					return false
				}
			}
			return true
		})
		return b.output.Write(w, term.Table{Columns: view.Columns, Rows: rows})
	}

	best, err := db.Best(ctx, b.filter)
	if err == nil && len(best) == 0 && b.filter != (store.Filter{}) {
		err = errors.New("nothing that was measured is the best by these flags")
	}
	if err == nil {
		err = show.Winners(ctx, w, db, best)
	}
	rows, unread := db.Near(ctx, analysis.Near)
	if err = cmp.Or(err, unread); err != nil {
		return err
	}
	if words := analysis.New(rows, best, nil, nil).TieWords(); words != "" {
		term.Print(w, words)
	}
	return nil
}
