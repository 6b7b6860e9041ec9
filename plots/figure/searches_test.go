package figure

import (
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/internal/testing/testkit"
)

// The figure has a panel for each strategy but the whole grid, a page for each device, and
// says how many grids it leaves out.
func TestConvergencePages(t *testing.T) {
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:2]
	d := s.Report()
	d.Searched.Outcomes = append(d.Searched.Outcomes, synthetic.SearchedOn("another device").Outcomes...)
	d.Searched.Left = 17
	pages, _ := drawConvergence(d)
	testkit.Require(t, len(pages) == 2 && pages[0].Name != pages[1].Name, "%d pages for two devices", len(pages))
	texts := textsOf(pages[1])
	for _, strategy := range []string{"racing", "local"} {
		n := 0
		for _, text := range texts {
			if text == strategy {
				n++
			}
		}
		if n != 2 { // the legend and a panel
			t.Errorf("%s is on the page %d times", strategy, n)
		}
	}
	testkit.Says(t, "the page", pages[0].Subtitle, "3 recorded grids of 120 configurations, 10 seeds each; 17 more")
}
