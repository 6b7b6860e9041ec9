package table

import (
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/store"
)

// The fastest of each kind stands beside the library's fastest: a converted matrix and another
// order are not plain, and a paper's kernel in another order is not the paper's.
func TestLibrary(t *testing.T) {
	timed := func(matrix, kernel, params string, ms float64) store.Row {
		r := synthetic.Timed(matrix, kernel, params, 64, ms)
		r.Prepare = 1
		return r
	}
	d := analysis.New([]store.Row{
		timed("a", "cusparse_csr_alg1", "", 4), timed("a", "cusparse_coo_alg2", "", 6), timed("a", "cusparse_sell", "slice=32", 3),
		timed("a", "sell_c_sigma", "chunk=32 sigma=1", 1), timed("a", "csr_merge", "", 2), timed("a", "csr_scalar", "", 8),
		timed("a", "csr_scalar", "reorder=rcm", 0.5),
		timed("b", "cusparse_csr_alg1", "", 4), timed("b", "csr_scalar", "", 1),
		timed("c", "csr_scalar", "", 1),
	}, nil, nil, nil)
	s := LibrarySheet(d)
	if len(s.Tables) != 2 {
		t.Fatalf("%d tables, want a summary and one for the setup", len(s.Tables))
	}
	got := map[string]string{}
	for _, row := range s.Tables[1].Rows {
		var cells []string
		for _, i := range []int{1, 3, 5, 8, 10, 12, 13, 15} {
			cells = append(cells, row[i].Text)
		}
		got[row[0].Text] = strings.Join(cells, ", ")
	}
	if len(got) != 2 {
		t.Errorf("%d matrices, want the two that the library was measured on", len(got))
	}
	for matrix, want := range map[string]string{
		"a": "cusparse_sell, csr_scalar, csr_scalar, reorder=rcm, 6.00, 2000, csr_merge, 2.00",
		"b": "cusparse_csr_alg1, csr_scalar, csr_scalar, , 4.00, 1000, csr_scalar, 4.00",
	} {
		if got[matrix] != want {
			t.Errorf("%s: %s; want %s", matrix, got[matrix], want)
		}
	}
	var sum []string
	for _, c := range s.Tables[0].Rows[0][1:] {
		sum = append(sum, c.Text)
	}
	if got, want := strings.Join(sum, ", "), "2, 4.90, 4.00, 2.83, 2.00, 1.225, 0.375"; got != want {
		t.Errorf("in sum %s, want %s", got, want)
	}
	if s := LibrarySheet(analysis.New([]store.Row{timed("a", "csr_scalar", "", 1)}, nil, nil, nil)); len(s.Tables) > 0 {
		t.Error("a table without the library")
	}
}

// Real matrices have a row of their own in the summary, beside generated ones and twins.
func TestLibraryReal(t *testing.T) {
	var rows []store.Row
	var matrices []store.Matrix
	for _, m := range []struct {
		source, twin string
		ratio        float64
	}{
		{"a.mtx", "", 2}, {"SuiteSparse HB/b", "", 8}, {"grid_5pt(nx=9, ny=9)", "", 3},
		{"twin of G/c: twin(of=c)", "c", 12}, {"grid_5pt(1).mtx", "", 4},
	} {
		rows = append(rows, synthetic.Timed(m.source, "cusparse_csr_alg1", "", 64, m.ratio),
			synthetic.Timed(m.source, "csr_scalar", "", 64, 1))
		matrices = append(matrices, store.Matrix{Name: m.source, Source: m.source, TwinOf: m.twin})
	}
	got := map[string]string{}
	for _, row := range LibrarySheet(analysis.New(rows, nil, matrices, nil)).Tables[0].Rows {
		_, kind, _ := strings.Cut(row[0].Text, ", ")
		got[kind[strings.LastIndex(kind, " ")+1:]] = row[1].Text + " " + row[2].Text
	}
	if got["real"] != "3 4.00" || got["generated"] != "2 6.00" {
		t.Errorf("matrices and means are %v, want 3 real ones with 4.00 and 2 generated ones with 6.00", got)
	}
}
