// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
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

// The lines that drifted most have names.
func TestDriftNames(t *testing.T) {
	d := synthetic.Processor().Report()
	d.Drifts = d.Drifts[:mostNamed+1]
	for i := range d.Drifts {
		for j := range d.Drifts[i].Points[1:] {
			d.Drifts[i].Points[j+1].Value = 1 + float64(i+1)
		}
	}
	pages, _ := drawings["drift"](d)
	texts := textsOf(pages[0])
	testkit.Check(t, slices.Contains(texts, "4"), "the axis ends below the times of five: %q", texts)
	for i, s := range d.Drifts {
		testkit.Equal(t, slices.Contains(texts, s.Matrix+", "+string(s.Cache)), i > 0, "%s is named", s.Matrix)
	}
}

// Whatever the drift, the axis has 1 and a tick to either side of it.
func TestDriftTicks(t *testing.T) {
	for reach := 0.02; reach < 40; reach *= 1.03 {
		s := aroundOne(reach)
		first, last := s.Ticks[0].Value, s.Ticks[len(s.Ticks)-1].Value
		if len(s.Ticks) < 3 || len(s.Ticks) > 9 || first >= 1 || last <= 1 || s.Min < 0 || first < s.Min || last > s.Max ||
			s.Max < 1+reach {
			t.Errorf("%.3f around 1: %v from %.3f to %.3f", reach, s.Ticks, s.Min, s.Max)
		}
	}
}

// One who points at a mark of the drift learns which trial was measured again, and how
// far it is off.
func TestDriftMarksSpeak(t *testing.T) {
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:2]
	d := s.Report()
	pages, _ := drawings["drift"](d)
	_, tips := pages[0].Web(&canvas.WebStyles{})
	points := 0
	for _, one := range d.Drifts {
		points += len(one.Points)
	}
	testkit.Equal(t, len(tips), points, "marks that speak")
	testkit.Says(t, "the first mark", tips[0].Text, "cpu_csr_rows, "+d.Drifts[0].Matrix, "block 64, grid 2",
		"1.5 ms (1.4 to 1.9)", "1.000 times as long as at first.")
	again := tips[1].Text
	testkit.Check(t, strings.Contains(again, " to ") && !strings.HasPrefix(again, "1.000 times"), "the second mark says %q", again)
}
