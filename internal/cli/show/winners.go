package show

import (
	"context"
	"fmt"
	"io"

	"spmvtune/internal/term"
	"spmvtune/plots"
	"spmvtune/store"
)

// mostWinners is how many rows of winners end a run; best prints them all.
const mostWinners = 32

// printWinners prints the best configurations in db, which lies at path.
func Winners(ctx context.Context, w io.Writer, db *store.DB, path string) error {
	best, err := db.Best(ctx, store.Filter{})
	if err != nil || len(best) == 0 {
		return err
	}
	fmt.Fprintln(w)
	if err := Best(w, best[:min(len(best), mostWinners)]); err != nil {
		return err
	}
	if more := len(best) - mostWinners; more > 0 {
		fmt.Fprintf(w, "… and %s: %s\n", term.Count(more, "more row", "more rows"), term.Shell("spmvtune", "best", path))
	}
	if err := Twins(ctx, w, db); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

// printBest prints the winners as a table, under a line for each device.
func Best(w io.Writer, best []store.Best) error {
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
func Twins(ctx context.Context, w io.Writer, db *store.DB) error {
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
