package table

import (
	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// counterTables list what a profiler counted in each kernel of a processor, for each setup.
func counterTables(d *analysis.Data) []Table {
	var list []Table
	for _, s := range d.Setups() {
		t := Table{Title: d.Words(s), Columns: Columns("matrix", "kernel", ">instructions", ">per nonzero", ">D refs",
			">D1 misses", ">LLd misses", ">D1 miss rate (%)", ">LLd miss rate (%)")}
		for _, p := range d.In(s) {
			for i := range d.Launches {
				if r := &d.Launches[i]; r.Place() == p.Case && r.Properties["data_refs"] > 0 {
					t.Rows = append(t.Rows, counterRow(r))
				}
			}
		}
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// counterRow has the counters of a product of a trial. Those that were not counted are missing.
func counterRow(r *store.Row) []Cell {
	row := []Cell{Text(r.Matrix), Text(r.Kernel)}
	add := func(name string, over float64, digits int) {
		v, known := r.Properties[name]
		if v /= over; !known {
			row = append(row, Text(term.Missing))
			return
		}
		row = append(row, Cell{term.Significant(v, digits), v})
	}

	refs := r.Properties["data_refs"]
	add("instructions", 1, 4)
	add("instructions", float64(r.NNZ), 3)
	add("data_refs", 1, 4)
	add("d1_misses", 1, 4)
	add("ll_misses", 1, 3)
	add("d1_misses", refs/100, 3)
	add("ll_misses", refs/100, 2)
	return row
}
