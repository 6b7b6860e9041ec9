package plots

import (
	"fmt"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/figure"
)

// TestFewDetails: of hundreds of matrices, the overviews are all there, the pages of
// single ones are not, and the report says so.
func TestFewDetails(t *testing.T) {
	draws(t)
	s := synthetic.Processor()
	s.Matrices = nil
	for i := range figure.MostDetails + 5 {
		s.Matrices = append(s.Matrices, fmt.Sprintf("m%02d", i))
	}
	s.Kernels, s.Blocks, s.Grids = []string{"cpu_coo", "cpu_sell"}, []int{16, 64, 256}, []int{1}
	s.Precisions = s.Precisions[:1]
	content, _ := written(t, s.Report(), Options{Figures: []string{"throughput-vs-block"}})
	details := 0
	for name := range content {
		if strings.Contains(name, "cold-m") && strings.HasSuffix(name, ".svg") {
			details++
		}
	}
	if details != figure.MostDetails {
		t.Errorf("%d pages of single matrices, want %d", details, figure.MostDetails)
	}
	if !strings.Contains(string(content["report.html"]), "5 further pages, one for each matrix, were not made") {
		t.Error("the report does not say that pages are missing")
	}
}
