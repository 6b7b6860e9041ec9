package show

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/internal/job"
	"spmvtune/plots/data"
	"spmvtune/plots/headline"
	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/tuner/trial"
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

	if err := Verified(ctx, w, j.DB(), best[:min(len(best), mostWinners)]); err != nil {
		return err
	}
	if more := len(best) - mostWinners; more > 0 {
		fmt.Fprintf(w, "… and %s: %s\n", term.Count(more, "more row", "more rows"),
			term.Shell("spmvtune", "best", path))
	}

	Twins(w, j.Matrices())
	fmt.Fprintln(w)
	return nil
}

// Best prints the winners in a table for each device.
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
		t := term.Table{Columns: []string{
			"matrix", "precision", "cache", "kernel", "block", "grid", "parameters", "time", "another run", "GFLOP/s", "GB/s",
			"tied",
		}, Less: []string{"GB/s", "another run", "cache", "tied", "grid", "GFLOP/s"}}
		for i := range best[start:end] {
			b := &best[start+i]
			rate := func(v float64) term.Quantity { return term.Quantity(number.Rounded(v, v*data.Relative(&b.Row))) }
			t.Add(b.Matrix, string(b.Precision), string(b.Cache), b.Kernel, size(b.Block), size(b.Grid),
				b.Params.String(), term.Quantity(number.Seconds(b.Time, b.Time*data.Relative(&b.Row))), another(b.Row),
				rate(b.GFLOPS), rate(b.GBPS), term.Quantity(data.TieCount(b)))
		}
		if err := t.Print(w); err != nil {
			return err
		}
		start = end
	}

	if len(best) == 0 {
		fmt.Fprintln(w, "no trial measured yet")
	}
	return nil
}

// Verified prints the fastest verified configuration wherever nobody sees the y of the winner.
func Verified(ctx context.Context, w io.Writer, db *store.DB, best []store.Best) error {
	t := term.Table{Columns: []string{"matrix", "precision", "cache", "kernel", "block", "grid", "parameters", "time",
		"another run", "device"}, Less: []string{"device", "another run", "cache"}}
	for i := range best {
		b := &best[i]
		if b.Verified() {
			continue
		}
		rows, err := db.Results(ctx, store.Filter{Device: b.Device, Matrix: b.Matrix, Precision: b.Precision,
			Cache: b.Cache, Status: trial.OK})
		if err != nil {
			return err
		}
		r := data.Fastest(slices.DeleteFunc(rows, func(r store.Row) bool { return !r.Verified() }))
		if r == nil {
			continue
		}
		t.Add(r.Matrix, string(r.Precision), string(r.Cache), r.Kernel, size(r.Block), size(r.Grid), r.Params.String(),
			term.Quantity(number.Seconds(r.Time, r.Time*data.Relative(r))), another(*r), r.Device)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nThe fastest that is verified, where the best is not:")
	return t.Print(w)
}

// another says how far another run may be off, nothing if that is not known.
func another(r store.Row) any {
	if r.Factor == 0 || r.Another.Low == 0 {
		return nil
	}
	return term.Quantity("± " + term.ShortPercent(max(r.Another.High/r.Time, r.Time/r.Another.Low)-1))
}

// Ties says where winners are tied with others. rows are all trials, or those that the store says are near.
func Ties(w io.Writer, rows []store.Row, best []store.Best) {
	for _, line := range data.New(rows, best, nil, nil).TieWords() {
		term.Print(w, line)
	}
}

// Twins says which matrices are twins, if there are any.
func Twins(w io.Writer, matrices []store.Matrix) {
	if note := data.Twins(matrices); note != "" {
		term.Print(w, note)
	}
}

// size prints a block or grid size, nothing for a kernel without that choice.
func size(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// Report says what a report consists of, and its headline but for some topics. r is nil if there is no
// report.
func Report(w io.Writer, r *job.Report, but ...headline.Topic) {
	if r == nil {
		fmt.Fprintln(w, "no verified trial yet; skipping rule and report")
		return
	}
	for _, line := range headline.Lines(r.Headline, but...) {
		term.Print(w, line)
	}
	for _, warning := range r.Warnings {
		term.Print(w, "note: "+warning)
	}
	where := "and beside it"
	if filepath.Ext(r.Page) != ".html" { // the folder of a paper, or of figures alone
		where = "in it"
	}
	what := term.Count(r.Figures, "figure", "figures")
	if r.Tables > 0 {
		what += " and " + term.Count(r.Tables, "table", "tables")
	}
	fmt.Fprintf(w, "report: %s (%s %s)\n", r.Page, where, what)
}
