package plots

import (
	"fmt"
	"math"
	"slices"
	"time"

	"spmvtune/internal/term"
	"spmvtune/rule"
	"spmvtune/tuner/trial"
)

// facts are the counts that the report opens with.
func facts(d *data) []fact {
	devices, matrices, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	states := map[string]int{}
	for i := range d.rows {
		r := &d.rows[i]
		devices[r.Device], matrices[r.Matrix], names[r.Kernel] = true, true, true
		states[string(r.Status)]++
	}
	list := []fact{
		counted(len(devices), "device", "devices"),
		counted(len(matrices), "matrix", "matrices"),
		counted(len(names), "kernel", "kernels"),
		counted(states[string(trial.OK)], "verified trial", "verified trials"),
	}
	order := make([]string, 0, len(states))
	for s := range states {
		if s != string(trial.OK) {
			order = append(order, s)
		}
	}
	slices.Sort(order)
	for _, s := range order {
		list = append(list, fact{Value: term.Grouped(states[s]), Name: s, Bad: true})
	}
	if len(d.drifts) > 0 {
		worst, factor := largestDrift(d.drifts)
		list = append(list, fact{Value: change(factor), Name: "largest drift, " + counting(worst, factor), Bad: worst.Significant})
	}
	return append(list, aimFacts(d)...)
}

func counted(n int, one, many string) fact {
	return fact{Value: term.Grouped(n), Name: term.Noun(n, one, many)}
}

// gainTable lists the largest speed-ups, one per matrix and device.
func gainTable(d *data) table {
	t := table{Title: "Best speed-ups", Columns: []column{
		{"matrix", false}, {"speed-up", true}, {"over", false}, {"kernel", false}, {"block", true}, {"grid", true}, {"precision", false},
	}}
	several := len(d.places()) > 1
	if several {
		t.Columns = append(t.Columns, column{"on", false})
	}
	for _, g := range d.topGains(8) {
		r := g.Row
		row := []cell{
			words(g.Matrix), {rounded(g.Ratio, max(g.Ratio-g.Low, g.High-g.Ratio)) + "×", g.Ratio}, words(g.Against), words(r.Kernel),
			integer(r.Block), integer(r.Grid), words(string(r.Precision)),
		}
		if several {
			row = append(row, words(d.place(r.Device, string(r.Cache))))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// failureTable lists every trial without a time, and how many it leaves out.
func failureTable(d *data) (t table, cut int) {
	t = table{Title: "Trials that failed", Columns: []column{
		{"status", false}, {"matrix", false}, {"kernel", false}, {"precision", false}, {"block", true}, {"grid", true},
		{"parameters", false}, {"message", false}, {"on", false},
	}}
	for i := range d.rows {
		r := &d.rows[i]
		switch {
		case r.Status == trial.OK:
		case len(t.Rows) == mostFailures:
			cut++
		default:
			t.Rows = append(t.Rows, []cell{
				words(string(r.Status)), words(r.Matrix), words(r.Kernel), words(string(r.Precision)), integer(r.Block), integer(r.Grid),
				words(r.Params.String()), words(r.Message), words(d.place(r.Device, string(r.Cache))),
			})
		}
	}
	return t, cut
}

// validationTable says how far the rule can be trusted.
func validationTable(d *data, r *rule.Rule) table {
	t := table{Title: "Share of the oracle's speed on matrices left out of learning", Columns: []column{
		{"setup", false}, {"matrices", true}, {"mean (%)", true}, {"worst (%)", true}, {"worst on", false},
		{"within 5% on (%)", true}, {"one configuration (%)", true}, {"one kernel, tuned (%)", true}, {"tree", false},
	}}
	for i := range r.Selectors {
		s := &r.Selectors[i]
		v := &s.Validation
		share := func(x float64) cell {
			if v.Matrices == 0 {
				x = math.NaN()
			}
			percent := math.Round(1000*x) / 10
			if x < 1 {
				percent = min(percent, 99.9) // as the rule's text has it
			}
			return cell{significant(percent, 3), x}
		}
		grown := "1 leaf"
		switch n := s.Root.Leaves(); {
		case s.Pruned != "":
			grown = "pruned to 1 leaf"
		case n > 1:
			grown = term.Grouped(n) + " leaves"
		}
		t.Rows = append(t.Rows, []cell{
			words(d.words(setup{s.Device, string(s.Cache), s.Precision})), count(v.Matrices), share(v.Mean), share(v.Worst), words(v.WorstMatrix),
			share(v.Within5), share(v.SingleConfig), share(v.SingleKernel), words(grown),
		})
	}
	return t
}

// method says how the numbers came about, from what the rows say of it.
func method(d *data) []string {
	text := []string{
		"Every trial ran y = A·x on random x, and its whole result was checked against a reference of higher precision before it was timed. " +
			"Row i passes if it is off by at most u·(8·√nᵢ + 8)·Sᵢ: u is the unit roundoff, nᵢ the row's nonzeros, Sᵢ the sum of the magnitudes of its products. " +
			"A result outside of that bound is listed as wrong and never wins.",
		"A time is the median of samples of the whole product, zeroing y included where the kernel needs it, with the 95% interval of the median. " +
			"Cold: caches flushed before every sample. Warm: products back to back. Trials ran in random order. " +
			"Building a kernel's format from CSR is not part of its time.",
		"GB/s is compulsory traffic divided by time: each array of the kernel's format once, the columns of x that occur once, y once. " +
			"The roof is the highest of a read, a copy and a triad measured on the device; at random, float64 elements are read one by one from all over memory. GFLOP/s counts two operations per nonzero.",
	}
	var few, many int
	var first, last time.Time
	for i := range d.rows {
		r := &d.rows[i]
		if r.Status == trial.OK {
			if few == 0 || r.Taken < few {
				few = r.Taken
			}
			many = max(many, r.Taken)
		}
		if first.IsZero() || r.At.Before(first) {
			first = r.At
		}
		if r.At.After(last) {
			last = r.At
		}
	}
	if !first.IsZero() {
		text = append(text, fmt.Sprintf("Measured from %s to %s, with %d to %d samples a trial.", moment(first), moment(last), few, many))
	}
	return text
}

// moment writes a time to the minute.
func moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }
