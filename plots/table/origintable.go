package table

import (
	"spmvtune/kernels"
	"spmvtune/plots/data"
)

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
