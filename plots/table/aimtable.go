package table

import (
	"strings"

	"spmvtune/plots/data"
	"spmvtune/plots/number"
)

func aimTable(d *data.Report) Table {
	t := Table{Title: "Precision", Columns: Columns(
		"sweep", ">target (%)", ">trials", ">reached it", ">ended by trial_budget", ">ended by samples",
		">ended as slow", ">ended by the clock",
		">median half-width (%)",
	)}
	share := func(x float64) Cell { return Cell{strings.TrimSuffix(number.Percent(x), "%"), x} }
	for _, a := range d.Aims() {
		t.Rows = append(t.Rows, []Cell{
			Text(a.Sweep), share(a.Target), count(a.Trials), count(a.Reached), count(a.Budget), count(a.Samples),
			count(a.Slow), count(a.Clock), share(a.Half),
		})
	}
	return t
}
