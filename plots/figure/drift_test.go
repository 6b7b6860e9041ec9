package figure

import (
	"slices"
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/internal/testing/testkit"
	"spmvtune/plots/canvas"
	"spmvtune/store"
)

// A large drift that does not count is not called small.
func TestDriftWords(t *testing.T) {
	for _, c := range []struct {
		factor      float64
		significant bool
		want        string
	}{
		{1.005, false, "too small or not significant, so not corrected"},
		{0.4, false, "not significant, so not corrected"},
		{0.4, true, "taken out of ties and comparisons"},
	} {
		testkit.Equal(t, analysis.Counting(&store.Drift{Significant: c.significant}, c.factor), c.want, "a drift to %g", c.factor)
	}
}

// What the axis cuts is said, and the axis has no times below 0.
func TestDriftBeyondAxis(t *testing.T) {
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:1]
	d := s.Report()
	pages, _ := drawDrift(d)
	const cut = "above the axis"
	testkit.Lacks(t, "without a drift beyond the axis", pages[0].Subtitle, cut)
	last := &d.Drifts[0].Points[len(d.Drifts[0].Points)-1]
	last.High = 3
	pages, _ = drawDrift(d)
	testkit.Says(t, "an interval up to 3", pages[0].Subtitle, cut)
	if low := aroundOne(mostReach).Min; low < 0 {
		t.Errorf("the axis begins at %g", low)
	}
}

// Whatever the drift, the axis has 1 and a tick to either side of it.
func TestDriftTicks(t *testing.T) {
	for reach := 0.02; reach <= mostReach; reach *= 1.03 {
		s := aroundOne(reach)
		first, last := s.Ticks[0].Value, s.Ticks[len(s.Ticks)-1].Value
		if len(s.Ticks) < 3 || len(s.Ticks) > 9 || first >= 1 || last <= 1 || first < s.Min || last > s.Max {
			t.Errorf("%.3f around 1: %v from %.3f to %.3f", reach, s.Ticks, s.Min, s.Max)
		}
	}
}

// A sentinel that was measured again once is a mark in a row, and its ratio a number.
func TestDriftStrip(t *testing.T) {
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:3]
	d := s.Report()
	for i := range d.Drifts {
		d.Drifts[i].Points = d.Drifts[i].Points[:2]
		d.Drifts[i].Points[1].Value = 1.02 + 0.01*float64(i)
	}
	pages, _ := drawDrift(d)
	texts := textsOf(pages[0])
	for _, want := range []string{s.Matrices[0], s.Matrices[2], "+2%", "+4%"} {
		testkit.Check(t, slices.Contains(texts, want), "%q is not on the page: %q", want, texts)
	}
}

// One who points at a mark of the drift learns which trial was measured again, and how
// far it is off.
func TestDriftMarksSpeak(t *testing.T) {
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:2]
	d := s.Report()
	pages, _ := drawDrift(d)
	_, tips := pages[0].Web(&canvas.WebStyles{})
	points := 0
	for _, one := range d.Drifts {
		points += len(one.Points)
	}
	testkit.Equal(t, len(tips), points, "marks that speak")
	testkit.Says(t, "the first mark", tips[0].Text, "cpu_csr_rows, "+d.Drifts[0].Matrix, "block 64, grid 2",
		"1.5 ms (1.4 to 1.9)", "1.000 times as long as at first.")
	if again := tips[1].Text; !strings.Contains(again, " to ") || strings.HasPrefix(again, "1.000 times") {
		t.Errorf("the second mark says %q", again)
	}
}
