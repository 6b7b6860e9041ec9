package page

import (
	"spmvtune/plots/figure"
	"spmvtune/plots/table"
)

// undrawnTable lists figures without data and what would produce it.
func undrawnTable(list []*figure.Figure) table.Table {
	t := table.Table{Title: "Figures without data",
		Columns: table.Columns("figure", "id", "produced by", "or, in a sweep of your own")}
	for _, f := range list {
		t.Rows = append(t.Rows, []table.Cell{table.Text(f.Title), table.Text(f.ID), table.Text("run " + f.Sweep),
			table.Text(f.Needs)})
	}
	return t
}
