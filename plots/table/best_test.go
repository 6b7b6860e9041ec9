package table

import (
	"slices"
	"testing"

	"spmvtune/plots/data"
	"spmvtune/plots/synthetic"
	"spmvtune/store"
)

// Only where cuSPARSE was measured is there a column for it, and rows fit their columns.
func TestLibraryColumn(t *testing.T) {
	for _, kernel := range []string{"csr_scalar", "cusparse_csr_alg1"} {
		row, other := synthetic.Row("csr_vector", 64, 8, 1), synthetic.Row(kernel, 64, 8, 2)
		d := data.New([]store.Row{row, other}, []store.Best{{Row: row}}, nil, nil)
		table := BestTables(d)[0]
		at := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Name == "× cuSPARSE" })
		if (at >= 0) != (kernel != "csr_scalar") || len(table.Columns) != len(table.Rows[0]) {
			t.Errorf("beside %s: %+v in %+v", kernel, table.Rows[0], table.Columns)
		}
	}
}
