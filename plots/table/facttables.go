package table

import (
	"math"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/rule"
	"spmvtune/tuner/trial"
)

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
		">within 5% on (%)", ">one configuration (%)", ">one kernel, tuned (%)", ">cuSPARSE (%)", ">rule of coo-spmv-final (%)",
		">rule of csr-five-algorithms (%)", "tree",
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
		// Means of the matrices on which a way is known; a share of 0 is not.
		mean := func(of func(rule.Case) float64) Cell {
			if f := rule.Summarise(v.Cases, of); f.Matrices > 0 {
				return share(f.Mean)
			}
			return Cell{number.Missing, math.NaN()}
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
			share(v.Within5), share(v.SingleConfig), share(v.SingleKernel),
			mean(func(c rule.Case) float64 { return c.CuSPARSE }), mean(func(c rule.Case) float64 { return c.COOFinal }),
			mean(func(c rule.Case) float64 { return c.CSRFive }), Text(grown),
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
		if o := d.Own[name]; o != nil {
			k.Source = "a user's own: " + o.File
		} else if !known {
			k.Source = "a user's own"
		}
		t.Rows = append(t.Rows, []Cell{Text(name), Text(k.Paper), Text(k.Source)})
	}
	return t
}
