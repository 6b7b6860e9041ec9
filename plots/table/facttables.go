package table

import (
	"math"
	"slices"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/kernels"

	"spmvtune/rule"
	"spmvtune/tuner/trial"
)

// FailureTable lists the trials without a time, and counts those that it leaves out.
func FailureTable(d *analysis.Data) (t Table, cut int) {
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
				Text(r.Params.String()), Text(r.Message), Text(d.ConditionWords(analysis.SetupOf(r).Condition)),
			})
		}
	}

	return t, cut
}

// ValidationTable says how well the rule does on matrices that it was not learned from, beside the other
// ways to choose that are known.
func ValidationTable(d *analysis.Data) Table {
	t := Table{Title: "Share of the oracle's speed on matrices left out of learning", Columns: Columns(
		"setup", ">matrices", ">mean (%)", ">worst (%)", "worst on", ">within 5% on (%)")}
	var others []rule.Way
	for _, w := range []struct {
		rule.Way
		column string
	}{{rule.SingleConfig, ">one configuration (%)"}, {rule.SingleKernel, ">one kernel, tuned (%)"},
		{rule.CuSPARSE, ">cuSPARSE (%)"}, {rule.COOFinal, ">rule of coo-spmv-final (%)"},
		{rule.CSRFive, ">rule of csr-five-algorithms (%)"}} {
		if slices.ContainsFunc(d.Rule.Selectors, func(s rule.Selector) bool {
			return rule.Summarise(s.Validation.Cases, w.Of).Matrices > 0
		}) {
			others, t.Columns = append(others, w.Way), append(t.Columns, Columns(w.column)...)
		}
	}
	t.Columns = append(t.Columns, Columns("tree")...)

	for i := range d.Rule.Selectors {
		s := &d.Rule.Selectors[i]
		f := rule.Summarise(s.Validation.Cases, rule.Learned.Of)
		row := []Cell{Text(d.Words(analysis.SetupOn(s.Device, s.Cache, s.Precision))), count(f.Matrices), shareCell(f, f.Mean),
			shareCell(f, f.Worst), Text(f.WorstMatrix), shareCell(f, f.Within5)}
		for _, w := range others {
			f := rule.Summarise(s.Validation.Cases, w.Of)
			row = append(row, shareCell(f, f.Mean))
		}
		t.Rows = append(t.Rows, append(row, Text(grown(s))))
	}
	return t
}

// shareCell prints a share of figures in percent, with one decimal as the rule's text does; what no matrix
// tells is missing.
func shareCell(f rule.Figures, share float64) Cell {
	if f.Matrices == 0 {
		return Cell{term.Missing, math.NaN()}
	}
	percent := math.Round(1000*share) / 10
	if share < 1 {
		percent = min(percent, 99.9)
	}
	return Cell{term.Significant(percent, 3), share}
}

// grown says what became of a rule's tree.
func grown(s *rule.Selector) string {
	switch n := s.Root.Leaves(); {
	case s.Pruned != "":
		return "pruned to 1 leaf"
	case n > 1:
		return term.Grouped(n) + " leaves"
	}
	return "1 leaf"
}

// mostFailures is the number of failures listed. A sweep that fails throughout has one reason,
// not a million.
const mostFailures = 2000

// OriginTable says where each measured kernel comes from.
func OriginTable(d *analysis.Data) Table {
	t := Table{Title: "Where the kernels come from", Columns: Columns("kernel", "called there", "source")}
	for _, name := range analysis.KernelsOf(d.Panels) {
		k, known := kernels.Lookup(name)
		if o := d.Own[name]; o != nil {
			k.Source = "a user's own: " + o.File
		} else if !known {
			k.Source = "a user's own"
		}
		t.Rows = append(t.Rows, []Cell{Text(name), Text(k.Paper), Text(k.Source)})
	}
	return t
}
