// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// A watch shows a run on a terminal, always in the same place: how far it is, and the best of each
// matrix so far.
type watch struct {
	w     io.Writer
	size  func() (width, height int)
	title string
	// doing is what is done before there are trials, such as a download.
	doing string
	// notes are the messages since the start. The last ones stand below the table, and all of them
	// are printed in the end.
	notes []note
	began bool
	stop  func()
}

// A note is a message and where it is printed.
type note struct {
	w    io.Writer
	line string
}

func (w *watch) note(to io.Writer, line string) { w.notes = append(w.notes, note{to, line}) }

// Watch makes p show a table that is redrawn, where it writes to a terminal. Clear ends it.
func (p *Progress) Watch(title string) {
	size := term.SizeOf(p.w)
	if size == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch = &watch{w: term.Raw(p.w), size: size, title: title}
	p.watch.stop = p.redraw()
}

// redraw draws the table again when the terminal has another size, and each second, because the time
// left goes on while a trial takes long. It returns what ends that.
func (p *Progress) redraw() (stop func()) {
	resized, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(resized, syscall.SIGWINCH)
	second := time.NewTicker(time.Second)
	go func() {
		for {
			select {
			case <-resized:
			case <-second.C:
			case <-ended:
				return
			}
			p.mu.Lock()
			if p.watch != nil && p.planned > 0 {
				p.printed = time.Time{}
				p.show()
			}
			p.mu.Unlock()
		}
	}()
	return func() {
		signal.Stop(resized)
		second.Stop()
		close(ended)
	}
}

// draw shows how far the run is.
func (w *watch) draw(now progressLine, matrices []*progressMatrix) {
	width, height := w.size()
	width, height = cmp.Or(width, defaultWidth), cmp.Or(height, defaultHeight)
	start := ""
	if !w.began { // what the terminal shows scrolls out of sight, not away
		start = strings.Repeat("\n", height)
		w.began = true
	}
	// One write avoids flicker.
	fmt.Fprint(w.w, start+term.InPlace(term.Visible(w.page(now, matrices, width, height)), width, height))
}

// mostNotes is how many messages stand below the table.
const mostNotes = 3

// page is what fits a terminal of this size.
func (w *watch) page(now progressLine, matrices []*progressMatrix, width, height int) string {
	now.best = Leader{} // the table has it
	line := cmp.Or(w.doing, now.draw(width-1))
	head := []string{w.title, line, ""}
	var foot []string
	for _, n := range w.notes[max(0, len(w.notes)-mostNotes):] {
		foot = append(foot, strings.Split(n.line, "\n")...)
	}
	if len(foot) > 0 {
		foot = append([]string{""}, foot...)
	}
	table := leaderTable(now, matrices).Within(width - 1)
	// The cursor has a line of its own. What is measured now stands at the end.
	const above = 2 // the names of the columns, and the line below them
	if room := height - 1 - len(head) - len(foot); len(table) > max(room, above+2) {
		room = max(room, above+2)
		cut := len(table) - room + 1
		table = append(append(table[:above:above], fmt.Sprintf(" … %s above", term.Count(cut, "row", "rows"))),
			table[above+cut:]...)
	}
	return strings.Join(append(append(head, table...), foot...), "\n") + "\n"
}

// leaderTable is the table of the best so far.
func leaderTable(now progressLine, matrices []*progressMatrix) term.Table {
	return term.Table{Columns: []string{"matrix", "done", "precision", "cache", "kernel", "block", "grid", "parameters", "time",
		"GFLOP/s", "GB/s"}, Rows: leaderRows(now, matrices),
		Less: []string{"GB/s", "parameters", "cache", "block", "grid", "done", "GFLOP/s", "precision"}}
}

// leaderRows are the rows of the table, a matrix after the other.
func leaderRows(now progressLine, matrices []*progressMatrix) (rows [][]any) {
	for _, m := range matrices {
		done := fmt.Sprintf("%d/%d", m.done, m.trials)
		if now.atMost {
			done = fmt.Sprint(m.done)
		}
		name := m.matrix
		for _, l := range m.leaders {
			rows = append(rows, []any{name, done, string(l.Config.Precision), string(l.Cache), l.Config.Kernel,
				Size(l.Config.Block), Size(l.Config.Grid), l.Config.Params.String(), term.Quantity(term.Seconds(l.Seconds)),
				term.Quantity(term.Digits(l.GFLOPS)), rate(l.GBPS)})
			name, done = "", "" // said once
		}
		if len(m.leaders) == 0 {
			rows = append(rows, []any{name, done, "", "", "", nil, nil, "", nil, nil, nil})
		}
	}
	return rows
}

// rate prints a rate, nothing where it is not known.
func rate(v float64) any {
	if !(v > 0) {
		return nil
	}
	return term.Quantity(term.Digits(v))
}

// end clears the table and prints the messages that came meanwhile.
func (w *watch) end() {
	w.stop()
	if w.began {
		const clear = "\x1b[H\x1b[J" // from the upper left corner
		fmt.Fprintln(w.w, clear+term.Visible(w.title))
	}
	for _, n := range w.notes {
		fmt.Fprintln(n.w, n.line)
	}
}

// mostWinners is how many rows of winners end a run; best prints them all.
const mostWinners = 32 // that end a run

// Winners prints the best configurations in the database at path.
func Winners(ctx context.Context, w io.Writer, db *store.DB, best []store.Best) error {
	Best(w, best)
	if err := verified(ctx, w, db, best); err != nil {
		return err
	}
	matrices, err := db.Features(ctx)
	Twins(w, matrices)
	return err
}

// Finish ends what has measured: it prints the winners, learns the rule, makes the report of the folder out, and prints
// its headline. The report is nil where no trial is good.
func Finish(ctx context.Context, w io.Writer, j *analysis.Results, out, database, version string) (*plots.Report, error) {
	best, err := j.DB().Best(ctx, store.Filter{})
	if err == nil && len(best) > 0 {
		fmt.Fprintln(w)
		err = Winners(ctx, w, j.DB(), best[:min(len(best), mostWinners)])
	}
	if err != nil {
		return nil, err
	}
	if more := len(best) - mostWinners; more > 0 {
		fmt.Fprintf(w, "… and %s: %s\n", term.Count(more, "more row", "more rows"), term.Shell("spmvtune", "best", database))
	}
	if len(best) > 0 {
		fmt.Fprintln(w)
	}
	stages := NewStages(w)
	report, err := plots.Finish(ctx, j, plots.Options{Out: out, Version: version, KeepRule: true, Progress: stages.At})
	stages.Clear()
	if err == nil {
		Report(w, report)
	}
	return report, err
}

// Best prints the winners in a table for each device.
func Best(w io.Writer, best []store.Best) {
	for i, part := range lists.Groups(best, func(b store.Best) string { return b.Device }) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, part[0].Device)
		BestTable(part).Print(w)
	}

	if len(best) == 0 {
		fmt.Fprintln(w, "no trial measured yet")
	}
}

// BestTable is the table of the best.
func BestTable(best []store.Best) term.Table {
	t := term.Table{Columns: append(slices.Clone(resultColumns), "GFLOP/s", "GB/s", "others", "recommended")}
	for i := range best {
		b := &best[i]
		off := analysis.Relative(&b.Row)
		t.Add(append(resultCells(&b.Row), term.Quantity(term.Rounded(b.GFLOPS, b.GFLOPS*off)),
			term.Quantity(term.Rounded(b.GBPS, b.GBPS*off)), term.Quantity(analysis.TieCount(b)), b.Recommended)...)
	}
	t.Less = less(t, "recommended", "parameters", "GB/s", "cache", "GFLOP/s", "precision", "others", "grid", "block")
	t.DropEmpty()
	return t
}

// less lists the columns that a narrow terminal can do without: all of these but those that tell rows apart.
func less(t term.Table, columns ...string) []string {
	return lists.Where(columns, func(name string) bool {
		i := slices.Index(t.Columns, name)
		return name != "precision" && name != "cache" || !slices.ContainsFunc(t.Rows, func(row []any) bool { return row[i] != t.Rows[0][i] })
	})
}

// resultColumns are the columns of a table of results.
var resultColumns = []string{"matrix", "precision", "cache", "kernel", "block", "grid", "parameters", "time"}

// resultCells are what they say of one.
func resultCells(r *store.Row) []any {
	return []any{r.Matrix, string(r.Precision), string(r.Cache), r.Kernel, Size(r.Block), Size(r.Grid), r.Params.String(),
		term.Quantity(term.SecondsWithin(r.Time, r.Time*analysis.Relative(r)) + another(r))}
}

// Verified prints the fastest verified configuration wherever nobody sees the y of the winner.
func verified(ctx context.Context, w io.Writer, db *store.DB, best []store.Best) error {
	t := term.Table{Columns: append(slices.Clone(resultColumns), "device"), Less: []string{"device", "parameters", "cache"}}
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
		r := analysis.Fastest(slices.DeleteFunc(rows, func(r store.Row) bool { return !r.Verified() }))
		if r == nil {
			continue
		}
		t.Add(append(resultCells(r), r.Device)...)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nThe fastest that is verified, where the best is not:")
	t.Print(w)
	return nil
}

// another says how far another run may be off, nothing if that is not known.
func another(r *store.Row) string {
	if r.Factor == 0 || r.Another.Low == 0 {
		return ""
	}
	return " ±" + term.Difference(analysis.Relative(r))
}

// Twins says which matrices are twins, if there are any.
func Twins(w io.Writer, matrices []trial.Matrix) {
	if note := analysis.Twins(matrices); note != "" {
		term.Print(w, note)
	}
}

// Size prints a block or grid size, nothing for a kernel without that choice.
func Size(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// Report says what a report consists of, and ends with its headline. r is nil if there is no report.
func Report(w io.Writer, r *plots.Report) {
	if r == nil {
		fmt.Fprintln(w, "no verified trial yet; skipping rule and report")
		return
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
	for _, line := range analysis.HeadlineLines(r.Headline) {
		term.Print(w, line)
	}
}
