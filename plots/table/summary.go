package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// summaryNotes say what to know of the summary.
func summaryNotes(d *analysis.Data) []string {
	return slices.DeleteFunc(slices.Concat([]string{analysis.Twins(d.Matrices)}, sentences(d.Crowded()), sentences(d.Missed())), isEmpty)
}

// SummaryTables say what the database holds.
func SummaryTables(d *analysis.Data) []Table {
	tables := []Table{deviceTable(d)}
	if t := deviceBests(d); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	tables = append(tables, statusTable(d))
	if len(d.Aims()) > 0 {
		tables = append(tables, aimTable(d))
	}
	tables = append(tables, winsTable(d), matrixTable(d))
	if len(d.Searched.Outcomes) > 0 {
		tables = append(tables, searchTable(d.Searched))
	}
	return tables
}

func deviceTable(d *analysis.Data) Table {
	t := Table{Title: "Devices", Columns: Columns(
		"device", "backend", ">units", ">read (GB/s)", ">copy (GB/s)", ">triad (GB/s)",
		">roof (the best of them)", ">random reads (GB/s of float64)",
	)}

	rate := func(v float64) Cell {
		if !(v > 0) {
			v = math.NaN() // not measured
		}
		return Cell{term.Significant(v, 3), v}
	}

	for i := range d.Devices {
		v := &d.Devices[i]
		t.Rows = append(t.Rows, []Cell{
			Text(v.Label), Text(v.Backend), integer(v.Units), rate(v.Roof.Read), rate(v.Roof.Copy),
			rate(v.Roof.Triad), rate(v.Roof.Highest()), rate(v.Roof.Gather),
		})
	}

	return t
}

// statusTable counts trials by kernel and how they ended.
func statusTable(d *analysis.Data) Table {
	type ending struct {
		kernel string
		status trial.Status
	}

	var names []string
	var states []trial.Status

	counts := map[ending]int{}
	for i := range d.Rows {
		r := &d.Rows[i]
		if !slices.Contains(names, r.Kernel) {
			names = append(names, r.Kernel)
		}
		if !slices.Contains(states, r.Status) {
			states = append(states, r.Status)
		}
		counts[ending{r.Kernel, r.Status}]++
	}

	analysis.SortKernels(names)
	slices.SortFunc(states, compareStatus)
	t := Table{Title: "Trials by status", Columns: Columns("kernel")}

	for _, s := range states {
		t.Columns = append(t.Columns, Column{Name: string(s), Right: true})
	}
	for _, n := range names {
		row := []Cell{Text(n)}
		for _, s := range states {
			row = append(row, count(counts[ending{n, s}]))
		}
		t.Rows = append(t.Rows, row)
	}

	return t
}

// compareStatus puts ok first, then the others by name.
func compareStatus(a, b trial.Status) int {
	switch {
	case a == b:
		return 0
	case a == trial.OK || b != trial.OK && a < b:
		return -1
	}
	return 1
}

// winsTable counts how often each kernel was the best, or tied with it, and gives its geometric
// mean speed-up over the baseline.
func winsTable(d *analysis.Data) Table {
	t := Table{Title: "Kernels", Columns: Columns("kernel", ">best on (matrix and setup)", ">tied with it on",
		">speed-up (geometric mean)")}
	wins, ties := map[string]int{}, map[string]int{}
	for i := range d.Best {
		b := &d.Best[i]
		wins[b.Kernel]++
		for _, name := range d.Tied(b) {
			ties[name]++
		}
	}

	gains := map[string][]analysis.Gain{}
	for i := range d.Panels {
		p := &d.Panels[i]
		for _, g := range p.Gains(d.BaselineOf(p.Device)) {
			gains[g.Row.Kernel] = append(gains[g.Row.Kernel], g)
		}
	}

	for _, name := range analysis.KernelsOf(d.Panels) {
		t.Rows = append(t.Rows, []Cell{Text(name),
			{fmt.Sprintf("%d of %d", wins[name], len(d.Best)), float64(wins[name])}, count(ties[name]),
			meanGain(gains[name])})
	}

	return t
}

// meanGain is the geometric mean of speed-ups, with the digits that it supports.
func meanGain(gains []analysis.Gain) Cell {
	if len(gains) == 0 {
		return Cell{term.Missing, math.NaN()}
	}
	var list []stat.Ratio
	for _, g := range gains {
		list = append(list, stat.Ratio{Value: g.Ratio, Low: g.Low, High: g.High})
	}
	mean := analysis.MeanRatio(list)
	text := term.RoundedIn(mean.Value, mean.Low, mean.High)
	if mean.Low < 1 && mean.High > 1 {
		text += tiedMark
	}
	return Cell{text, mean.Value}
}

func matrixTable(d *analysis.Data) Table {
	t := Table{Title: "Matrices", Columns: Columns(
		"matrix", "class", ">rows", ">columns", ">nonzeros",
		">mean row", ">longest row", ">empty rows",
	)}

	twins := analysis.Twins(d.Matrices) != ""
	if twins {
		t.Columns = append(t.Columns, Column{Name: "measured"})
	}
	for i := range d.Matrices {
		m := &d.Matrices[i]
		row := []Cell{
			Text(m.Name), Text(m.Class), count(m.Rows), count(m.Cols), count(m.Nonzeros),
			{term.Significant(m.RowMean, 3), m.RowMean}, count(m.RowMax), count(m.EmptyRows),
		}
		if twins {
			row = append(row, Text(analysis.MeasuredWords(m)))
		}
		t.Rows = append(t.Rows, row)
	}

	return t
}

func aimTable(d *analysis.Data) Table {
	t := Table{Title: "Precision", Columns: Columns(
		"sweep", ">target (%)", ">trials", ">reached the target", ">ended by trial_budget", ">ended by samples",
		">ended as slow", ">ended by the clock",
		">median half-width (%)",
	)}

	share := func(x float64) Cell { return Cell{strings.TrimSuffix(term.ShortPercent(x), "%"), x} }
	for _, a := range d.Aims() {
		t.Rows = append(t.Rows, []Cell{
			Text(a.Sweep), share(a.Target), count(a.Trials), count(a.Reached), count(a.Budget), count(a.Samples),
			count(a.Slow), count(a.Clock), share(a.Half),
		})
	}

	return t
}
