package table

import (
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/store"
)

// Kernels that are tied with the named one are counted, and a mean that may be 1 is a tie.
func TestKernelsTable(t *testing.T) {
	rows := []store.Row{
		synthetic.Timed("a", "coo_atomic", "", 64, 2), synthetic.Timed("a", "csr_scalar", "", 64, 1),
		synthetic.Timed("a", "csr_vector", "", 64, 1.005), synthetic.Timed("a", "csr_merge", "", 64, 2.01),
		synthetic.Timed("b", "coo_atomic", "", 64, 2), synthetic.Timed("b", "csr_scalar", "", 64, 1),
		synthetic.Timed("b", "csr_vector", "", 64, 4), synthetic.Timed("b", "csr_merge", "", 64, 1.98),
	}
	rows[1].Tied, rows[2].Tied, rows[5].Tied = true, true, true
	d := analysis.New(rows, []store.Best{{Row: rows[1], TieSize: 2}, {Row: rows[5], TieSize: 1}}, nil, nil)
	var got []string
	for _, row := range winsTable(d).Rows {
		got = append(got, row[0].Text+" "+row[1].Text+" "+row[2].Text+" "+row[3].Text)
	}
	const want = "coo_atomic 0 of 2 0 –, csr_scalar 2 of 2 0 2.00, csr_vector 0 of 2 1 0.998 (tied), " +
		"csr_merge 0 of 2 0 1.003 (tied)"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}
