package table

import (
	"spmvtune/kernels"

	_ "embed"
	"math"

	"spmvtune/internal/term"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/tuner/trial"
)

// GainTable lists the largest speed-ups, one per matrix and device.
func GainTable(d *data.Report) Table {
	t := Table{Title: "Best speed-ups", Columns: Columns(
		"matrix", ">speed-up", ">another run", "over", "kernel", ">block", ">grid", "precision",
	)}
	several := len(d.Conditions()) > 1
	if several {
		t.Columns = append(t.Columns, Column{Name: "on"})
	}

	for _, g := range d.TopGains(8) {
		r := g.Row
		row := []Cell{
			Text(g.Row.Matrix), {number.Rounded(g.Ratio, max(g.Ratio-g.Low, g.High-g.Ratio)) + "×", g.Ratio},
			{number.Significant(g.Low, 2) + " to " + number.Significant(g.High, 2) + "×", g.Low},
			Text(g.Against), Text(r.Kernel),
			integer(r.Block), integer(r.Grid), Text(string(r.Precision)),
		}
		if several {
			row = append(row, Text(d.ConditionWords(data.SetupOf(r).Condition)))
		}
		t.Rows = append(t.Rows, row)
	}

	return t
}

// FailureTable lists the trials without a time, and counts those that it leaves out.
func FailureTable(d *data.Report) (t Table, cut int) {
	t = Table{Title: "Trials that failed", Columns: Columns(
		"status", "matrix", "kernel", "precision", ">block", ">grid",
		"parameters", "message", "on",
	)}

	for i := range d.Rows {
		r := &d.Rows[i]
		switch {
		case r.Status == trial.OK:
		case len(t.Rows) == mostFailures:
			cut++
		default:
			t.Rows = append(t.Rows, []Cell{
				Text(string(r.Status)), Text(r.Matrix), Text(r.Kernel), Text(string(r.Precision)), integer(r.Block),
				integer(r.Grid),
				Text(r.Params.String()), Text(r.Message), Text(d.ConditionWords(data.SetupOf(r).Condition)),
			})
		}
	}

	return t, cut
}

// ValidationTable says how well the rule does on matrices that it was not learned from.
func ValidationTable(d *data.Report) Table {
	t := Table{Title: "Share of the oracle's speed on matrices left out of learning", Columns: Columns(
		"setup", ">matrices", ">mean (%)", ">worst (%)", "worst on",
		">within 5% on (%)", ">one configuration (%)", ">one kernel, tuned (%)", "tree",
	)}

	for i := range d.Rule.Selectors {
		s := &d.Rule.Selectors[i]
		v := &s.Validation
		share := func(x float64) Cell {
			if v.Matrices == 0 {
				x = math.NaN()
			}
			percent := math.Round(1000*x) / 10
			if x < 1 {
				percent = min(percent, 99.9) // as the rule's text has it
			}
			return Cell{number.Significant(percent, 3), x}
		}
		grown := "1 leaf"
		switch n := s.Root.Leaves(); {
		case s.Pruned != "":
			grown = "pruned to 1 leaf"
		case n > 1:
			grown = term.Grouped(n) + " leaves"
		}
		t.Rows = append(t.Rows, []Cell{
			Text(d.Words(data.SetupOn(s.Device, s.Cache, s.Precision))), count(v.Matrices), share(v.Mean),
			share(v.Worst), Text(v.WorstMatrix),
			share(v.Within5), share(v.SingleConfig), share(v.SingleKernel), Text(grown),
		})
	}

	return t
}

// mostFailures is the number of failures listed. A sweep that fails throughout has one reason,
// not a million.
const mostFailures = 2000

// OriginTable says where each measured kernel comes from.
func OriginTable(d *data.Report) Table {
	t := Table{Title: "Where the kernels come from", Columns: Columns("kernel", "called there", "source")}
	for _, name := range data.KernelsOf(d.Panels) {
		k, known := kernels.Lookup(name)
		if !known {
			k.Source = "a user's own"
		}
		t.Rows = append(t.Rows, []Cell{Text(name), Text(k.Paper), Text(k.Source)})
	}
	return t
}
