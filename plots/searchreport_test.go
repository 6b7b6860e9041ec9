package plots

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
)

// The report has a page for each device, and the summary has the numbers.
func TestSearchesInTheReport(t *testing.T) {
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:2]
	d := s.Report()
	d.Searched.Outcomes = append(d.Searched.Outcomes, synthetic.SearchedOn("another device").Outcomes...)
	content, _ := written(t, d, Options{Figures: []string{"search-convergence"}})
	summary := string(content["tables/summary.md"])
	for _, want := range []string{"| racing ", "cold cache, another device", "until it ends"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
	if !strings.Contains(string(content["report.html"]), `id="search-convergence-cold-cache-another-device"`) {
		t.Error("the report lacks the page of the other device")
	}
}
