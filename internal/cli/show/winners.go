package show

import (
	"context"
	"fmt"
	"io"

	"spmvtune/internal/job"
	"spmvtune/internal/term"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// mostWinners is how many rows of winners end a run; best prints them all.
const mostWinners = 32

// Winners prints the best configurations in the database at path.
func Winners(ctx context.Context, w io.Writer, j *job.Job, path string) error {
	best, err := j.DB().Best(ctx, store.Filter{})
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
	Twins(w, j.Matrices())
	fmt.Fprintln(w)
	return nil
}

// Best prints the winners as a table, under a line for each device.
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

// Twins says which matrices are twins, if there are any.
func Twins(w io.Writer, matrices []store.Matrix) {
	if note := data.Twins(matrices); note != "" {
		fmt.Fprintln(w, term.Wrap(note, term.PageWidth-2, "  "))
	}
}

// choice prints a block or grid size, nothing where the kernel has no such
// choice.
func choice(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// Report says what a report consists of. It is nil if there is none.
func Report(w io.Writer, r *job.Report) {
	if r == nil {
		fmt.Fprintln(w, "no verified trial yet; skipping rule and report")
		return
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, term.Wrap(fmt.Sprintf("note: %v", warning), term.PageWidth-2, "  "))
	}
	fmt.Fprintf(w, "report: %s (and beside it %s and %s)\n", r.Page,
		term.Count(r.Figures, "figure", "figures"), term.Count(r.Tables, "table", "tables"))
}
