// SPDX-License-Identifier: Apache-2.0

package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// SummaryTables say what the database holds.
func SummaryTables(d *analysis.Data) []Table {
	tables := []Table{deviceTable(d), statusTable(d)}
	if len(d.Aims()) > 0 {
		tables = append(tables, aimTable(d))
	}
	return append(tables, winsTable(d), matrixTable(d))
}

func deviceTable(d *analysis.Data) Table {
	t := Table{Title: "Devices", Columns: Columns(
		"device", "backend", ">units", ">read (GB/s)", ">copy (GB/s)", ">triad (GB/s)",
		">roof (the best of them)", ">random reads (GB/s of float64)",
	)}

	rate := func(v float64) Cell {
		if !(v > 0) {
			return missing // not measured
		}
		return number(v, 3)
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

// statusTable counts trials by kernel and how they ended, ok first.
func statusTable(d *analysis.Data) Table {
	type ending struct {
		kernel string
		status trial.Status
	}
	counts, ended := map[ending]int{}, map[trial.Status]bool{}
	for i := range d.Rows {
		r := &d.Rows[i]
		counts[ending{r.Kernel, r.Status}]++
		ended[r.Status] = true
	}
	delete(ended, trial.OK)
	states := append([]trial.Status{trial.OK}, slices.Sorted(maps.Keys(ended))...)

	t := Table{Title: "Trials by status", Spare: true, Columns: Columns("kernel")}
	for _, s := range states {
		t.Columns = append(t.Columns, Column{Name: string(s), Right: true})
	}
	for _, n := range analysis.KernelsOf([]analysis.Panel{{Rows: d.Rows}}) {
		numbers := lists.Of(states, func(s trial.Status) Cell { return count(counts[ending{n, s}]) })
		t.Rows = append(t.Rows, append([]Cell{Text(n)}, numbers...))
	}
	return t
}

// winsTable counts how often each kernel was the fastest, or tied with that, and gives its geometric
// mean speed-up over the baseline.
func winsTable(d *analysis.Data) Table {
	t := Table{Title: "Kernels", Columns: Columns("kernel", ">fastest on (matrix and setup)", ">tied with it on",
		">speed-up (geometric mean)")}
	gains := map[string][]stat.Ratio{}
	for i := range d.Panels {
		p := &d.Panels[i]
		for _, g := range p.Gains(d.BaselineOf(p.Device)) {
			gains[g.Row.Kernel] = append(gains[g.Row.Kernel], g.Ratio)
		}
	}
	for _, k := range analysis.NewContest(d.Panels).Contenders {
		t.Rows = append(t.Rows, []Cell{Text(k.Kernel), keyed(fmt.Sprintf("%d of %d", k.Named, len(d.Panels)), float64(k.Named)),
			count(k.Tied), meanGain(gains[k.Kernel])})
	}
	return t
}

// meanGain is the geometric mean of speed-ups, with the digits that it supports.
func meanGain(gains []stat.Ratio) Cell {
	if len(gains) == 0 {
		return missing
	}
	mean := stat.MeanRatio(gains)
	text := term.RoundedIn(mean.Value, mean.Low, mean.High)
	if mean.Low < 1 && mean.High > 1 {
		text += tiedMark
	}
	return keyed(text, mean.Value)
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
			number(m.RowMean, 3), count(m.RowMax), count(m.EmptyRows),
		}
		if twins {
			row = append(row, Text(analysis.MeasuredWords(m)))
		}
		t.Rows = append(t.Rows, row)
	}

	return t
}

func aimTable(d *analysis.Data) Table {
	t := Table{Title: "Precision", Spare: true, Columns: Columns(
		"sweep", ">target (%)", ">trials", ">reached the target", ">ended by trial_budget", ">ended by samples",
		">ended as slow", ">ended by the clock",
		">median half-width (%)",
	)}

	share := func(x float64) Cell { return keyed(strings.TrimSuffix(term.ShortPercent(x), "%"), x) }
	for _, a := range d.Aims() {
		row := []Cell{Text(a.Sweep), share(a.Target), count(a.Trials)}
		for _, stop := range []trial.Stop{trial.StopTarget, trial.StopBudget, trial.StopSamples, trial.StopSlow,
			trial.StopClock} {
			row = append(row, count(a.Stops[stop]))
		}
		t.Rows = append(t.Rows, append(row, share(a.Half)))
	}

	return t
}

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
// selectors that are known.
func ValidationTable(d *analysis.Data) Table {
	t := Table{Title: "Share of the oracle's speed on matrices left out of learning", Columns: Columns(
		"setup", ">matrices", ">mean (%)", ">worst (%)", "worst on", ">within 5% on (%)")}
	var others []rule.Selector
	for _, w := range []struct {
		rule.Selector
		column string
	}{{rule.SingleConfig, ">one configuration (%)"}, {rule.SingleKernel, ">one kernel, tuned (%)"},
		{rule.CuSPARSE, ">cuSPARSE (%)"}, {rule.COOFinal, ">rule of coo-spmv-final (%)"},
		{rule.CSRFive, ">rule of csr-five-algorithms (%)"}} {
		if slices.ContainsFunc(d.Rule.Models, func(s rule.Model) bool {
			return rule.Summarise(s.Validation.Cases, w.Of).Matrices > 0
		}) {
			others, t.Columns = append(others, w.Selector), append(t.Columns, Columns(w.column)...)
		}
	}
	t.Columns = append(t.Columns, Columns("tree")...)

	for i := range d.Rule.Models {
		s := &d.Rule.Models[i]
		f := rule.Summarise(s.Validation.Cases, rule.Learned.Of)
		if f.Matrices == 0 {
			continue
		}
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

// shareCell prints a share of figures in percent; what no matrix tells is missing.
func shareCell(f rule.Figures, share float64) Cell {
	if f.Matrices == 0 {
		return missing
	}
	return keyed(strings.TrimSuffix(term.ShareOfBest(share), "%"), share)
}

// grown says what became of a rule's tree.
func grown(s *rule.Model) string {
	switch n := len(s.Root.Leaves()); {
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
