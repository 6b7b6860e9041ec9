package plots

import (
	"fmt"
	"strings"
	"testing"
)

// TestFewDetails: of hundreds of matrices, the overviews are all there, the pages of
// single ones are not, and the report says so.
func TestFewDetails(t *testing.T) {
	draws(t)
	s := processor()
	s.matrices = nil
	for i := range mostDetails + 5 {
		s.matrices = append(s.matrices, fmt.Sprintf("m%02d", i))
	}
	s.kernels, s.blocks, s.grids = []string{"cpu_coo", "cpu_sell"}, []int{16, 64}, []int{1}
	s.precisions = s.precisions[:1]
	content, _ := written(t, s.data(), nil, Options{Figures: []string{"throughput-vs-block"}})
	details := 0
	for name := range content {
		if strings.Contains(name, "cold-m") && strings.HasSuffix(name, ".svg") {
			details++
		}
	}
	if details != mostDetails {
		t.Errorf("%d pages of single matrices, want %d", details, mostDetails)
	}
	if !strings.Contains(string(content["report.html"]), "5 further pages, one for each matrix, were not made") {
		t.Error("the report does not say that pages are missing")
	}
}
