package figure

import (
	"fmt"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/sparse"
	"spmvtune/store"
)

// featuredReport has matrices of short and of long rows; best names the fastest kernel of the i-th.
func featuredReport(n int, best func(i int) string) *data.Report {
	var rows []store.Row
	var matrices []store.Matrix
	for i := range n {
		name, mean := fmt.Sprintf("m%02d", i), float64(4+i%2*100+i)
		matrices = append(matrices, store.Matrix{Name: name, Hash: name,
			Features: sparse.Features{Rows: 1000, RowMean: mean, RowStd: mean / 4}})
		for _, k := range []string{"csr_scalar", "csr_vector"} {
			ms := 2.0
			if k == best(i) {
				ms = 1
			}
			rows = append(rows, synthetic.Timed(name, k, "", 64, ms))
		}
	}
	return data.New(rows, nil, matrices, nil)
}

func byLength(i int) string { return []string{"csr_scalar", "csr_vector"}[i%2] }

// The figure is there where the two features decide, and only there.
func TestFeatures(t *testing.T) {
	drawn, _ := drawFeatures(featuredReport(12, byLength))
	if len(drawn) != 1 {
		t.Fatalf("%d pictures", len(drawn))
	}
	p := drawn[0]
	if p.Title != "The kernel of the nearest other matrix is the best, or tied, on 12 of 12; csr_scalar for all, on 6" ||
		strings.Join(p.Kernels, " ") != "csr_scalar csr_vector" {
		t.Errorf("%q, kernels %v", p.Title, p.Kernels)
	}
	for name, d := range map[string]*data.Report{
		"few matrices":  featuredReport(7, byLength),
		"one kernel":    featuredReport(12, func(int) string { return "csr_vector" }),
		"another cause": featuredReport(12, func(i int) string { return []string{"csr_scalar", "csr_vector"}[i/2%2] }),
	} {
		if drawn, _ := drawFeatures(d); len(drawn) > 0 {
			t.Errorf("%s: %q", name, drawn[0].Title)
		}
	}
}
