package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spmvtune/internal/term"
	"spmvtune/plots"
	"spmvtune/store"
)

func newBest() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "best [DB]",
		Short: "The best configuration for each matrix",
		Long: `best prints, for each matrix, precision and cache state, the configuration that
was fastest. Where the measurements can't tell several apart (tied says how many),
it is the one whose neighbouring block and grid sizes are fast too.`,
		Example: `  spmvtune best
  spmvtune best results/a30/results.db --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFile("db"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, _, err := databaseArg(cmd, args)
			if err != nil {
				return err
			}
			defer db.Close()
			if asJSON {
				t, err := db.Query(cmd.Context(), "best")
				if err != nil {
					return err
				}
				return term.Table{Columns: t.Columns, Rows: t.Rows}.JSON(cmd.OutOrStdout())
			}
			best, err := db.Best(cmd.Context(), store.Filter{})
			if err != nil {
				return err
			}
			if err := printBest(cmd.OutOrStdout(), best); err != nil {
				return err
			}
			return printTwins(cmd.Context(), cmd.OutOrStdout(), db)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printBest prints the winners as a table, under a line for each device.
func printBest(w io.Writer, best []store.Best) error {
	for start := 0; start < len(best); {
		end := start
		for end < len(best) && best[end].Device == best[start].Device {
			end++
		}
		if start > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, best[start].Device)
		g := term.Table{Columns: []string{"matrix", "precision", "cache", "kernel", "block", "grid", "parameters", "time", "GFLOP/s", "GB/s", "tied"}}
		for _, b := range best[start:end] {
			g.Rows = append(g.Rows, []any{b.Matrix, string(b.Precision), string(b.Cache), b.Kernel, choice(b.Block), choice(b.Grid), b.Params.String(),
				term.Quantity(term.Seconds(b.Median)), b.GFLOPS, b.GBPS, b.TieSize})
		}
		if err := g.Print(w); err != nil {
			return err
		}
		start = end
	}
	if len(best) == 0 {
		fmt.Fprintln(w, "no trial is measured yet")
	}
	return nil
}

// printTwins says which matrices of db are twins, if any is.
func printTwins(ctx context.Context, w io.Writer, db *store.DB) error {
	matrices, err := db.Features(ctx)
	if err != nil {
		return err
	}
	if note := plots.Twins(matrices); note != "" {
		_, err = fmt.Fprintln(w, term.Wrap(note, term.PageWidth-2, "  "))
	}
	return err
}

// choice prints a block or grid size, nothing where the kernel has no such
// choice.
func choice(n int) any {
	if n == 0 {
		return nil
	}
	return n
}
