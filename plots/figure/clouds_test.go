// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/tuner/trial"
)

// Of imported trials it is not known what they moved: there is no bandwidth to draw.
func TestBandwidthNotKnownIsNotDrawn(t *testing.T) {
	d := synthetic.Processor().Report()
	if pages, _ := drawings["bandwidth-vs-row-length"](d); len(pages) == 0 {
		t.Fatal("no page is drawn where it is known")
	}
	for i := range d.Rows {
		d.Rows[i].GBPS = math.NaN()
	}
	d = analysis.New(d.Rows, d.Best, d.Matrices, d.Devices)
	pages, _ := drawings["bandwidth-vs-row-length"](d)
	testkit.Equal(t, len(pages), 0, "pages drawn")
}

// A report has all figures but those that are drawn only when named.
func TestNamedOnly(t *testing.T) {
	plain, _ := Choose(nil)
	if slices.ContainsFunc(plain, func(f *Figure) bool { return f.ID == "gflops-vs-rows" }) || len(plain) == 0 {
		t.Error("gflops-vs-rows is among all")
	}
	named, err := Choose([]string{"gflops-vs-rows"})
	testkit.Check(t, len(named) == 1 && err == nil, "named: %v, %v", named, err)
}

// Nobody can measure the pattern of an imported matrix.
func TestNoPatternOfImportedMatrixIsAskedFor(t *testing.T) {
	for source, want := range map[string]int{"imported from t.csv": 0, "a.mtx": 1} {
		_, warnings := drawPatterns(analysis.New(nil, nil, []trial.Matrix{{Name: "m", Source: source}}, nil))
		testkit.Equal(t, len(warnings), want, "%s: %v", source, warnings)
	}
}

// With more kernels than can be told apart the leading ones are named, the
// number is still that of the fastest, and the page says what it leaves out.
func TestCrowdedSpeedups(t *testing.T) {
	d := synthetic.Crowd(30, 64, 30).Report()
	pages, warnings := speedups.draw(d)
	testkit.Require(t, len(pages) == 1 && len(warnings) == 0, "%d pages, warnings %v", len(pages), warnings)
	p := pages[0]
	shown := lists.Of(p.Keys, func(k canvas.Key) string { return k.Text })
	testkit.Equal(t, len(shown), mostColoured(29), "kernels with colours")
	wins := map[string]int{}
	for i := range d.Panels {
		wins[analysis.Fastest(d.Panels[i].Rows).Kernel]++
	}
	least := len(d.Panels)
	for _, k := range shown {
		least = min(least, wins[k])
	}
	for k, n := range wins {
		if n > least && k != "coo_atomic" && !slices.Contains(shown, k) {
			t.Errorf("%s is fastest %d times and left out; of those shown one is %d times", k, n, least)
		}
	}
	texts := textsOf(p)
	for i := range d.Panels {
		var best float64
		for _, g := range d.Panels[i].Gains("coo_atomic") {
			best = max(best, g.Value)
		}
		if want := term.Significant(best, 2) + "×"; !slices.Contains(texts, want) {
			t.Errorf("%s: the fastest of all, %s, is not on the page", d.Panels[i].Matrix, want)
		}
	}
}

// COO moves more bytes than CSR for the same product, so that GB/s would rank
// them wrongly.
func TestUnitFollowsFormats(t *testing.T) {
	for _, c := range []struct {
		kernels []string
		unit    string
		roof    bool
	}{
		{[]string{"coo_thread_chunk", "coo_warp_chunk"}, "GB/s (", true},
		{[]string{"csr_scalar", "csr_vector"}, "GB/s (", true},
		{[]string{"coo_warp_chunk", "csr_vector"}, "GFLOP/s (", false},
		{[]string{"csr_vector", "sell_c_sigma"}, "GFLOP/s (", false},
	} {
		s := synthetic.Gpu(2, 256)
		s.Kernels, s.Precisions = c.kernels, []kernels.Precision{kernels.Float32, kernels.Float64}
		d := s.Report()
		for _, dim := range []dimension{overBlock, overGrid} {
			pages, _ := dim.draw(d)
			testkit.Require(t, len(pages) != 0, "no pages")
			roofs, said := 0, false // it is left out where it would press the lines together
			for _, p := range pages {
				inUnit := slices.ContainsFunc(textsOf(p), func(s string) bool { return strings.HasPrefix(s, c.unit) })
				testkit.Check(t, inUnit, "%v: %s has no axis in %s): %q", c.kernels, p.Name, c.unit, textsOf(p))
				said = said || strings.Contains(p.Subtitle, "Dashed: memory bandwidth")
			}
			for i := range d.Panels {
				if ch := dim.chart(d, &d.Panels[i], analysis.UnitFor(d.Panels), nil, nil); ch.ShowsRoof() {
					roofs++
				}
			}
			testkit.Equal(t, [2]bool{roofs > 0, said}, [2]bool{c.roof, c.roof}, "%v: pages over %s size show and name the roof", c.kernels, dim.name)
		}
	}
}

// Dots of a matrix stand beside each other, near its value on the logarithmic axis.
func TestDotsAside(t *testing.T) {
	cl := cloud{over: byRowLength}
	for i := range 3 {
		cl.stops = append(cl.stops, stop{fmt.Sprint(i), math.Pow(10, float64(i))})
	}
	point := []canvas.Point{canvas.Exact(10, 1)}
	p := cl.panel(12, []canvas.Line{{Points: point}, {Points: point}})
	a, b := p.Layers[0].(canvas.Marks).Points[0].X, p.Layers[2].(canvas.Marks).Points[0].X
	testkit.Check(t, a > 9 && a < 10 && b > 10 && b < 11, "at %g and %g", a, b)
	testkit.Check(t, cl.axis(8).Min < 1 && cl.axis(8).Max > 100, "the axis ends at its first or last matrix")
}
