package figure

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
)

// With more kernels than can be told apart the leading ones are named, the
// number is still that of the fastest, and the page says what it leaves out.
func TestCrowdedSpeedups(t *testing.T) {
	d := synthetic.Crowd(30, 64, 30).Report()
	pages, warnings := drawSpeedup(d)
	if len(pages) != 1 || len(warnings) > 0 {
		t.Fatalf("%d pages, warnings %v", len(pages), warnings)
	}
	p := pages[0]
	var shown []string
	for _, k := range p.Keys {
		shown = append(shown, k.Text)
	}
	if len(shown) != mostBars || !strings.Contains(p.Subtitle, fmt.Sprintf("%d of 29 kernels", mostBars)) {
		t.Errorf("%d kernels, %q", len(shown), p.Subtitle)
	}
	wins := map[string]int{}
	for i := range d.Panels {
		wins[data.Fastest(d.Panels[i].Rows).Kernel]++
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
			best = max(best, g.Ratio)
		}
		if want := number.Significant(best, 2) + "×"; !slices.Contains(texts, want) {
			t.Errorf("%s: the fastest of all, %s, is not on the page", d.Panels[i].Matrix, want)
		}
	}
}

func TestCrowdedPanels(t *testing.T) {
	d := synthetic.Crowd(3, 128, 40).Report()
	pages, _ := drawThroughput(d, overBlock)
	for _, p := range pages {
		most := mostSmallLines
		if p.Detail {
			most = mostLargeLines
		}
		if len(p.Kernels) != most || !strings.Contains(p.Subtitle, fmt.Sprintf("the other %d", 40-most)) {
			t.Errorf("%s: %d kernels are named, want %d: %q", p.Name, len(p.Kernels), most, p.Subtitle)
		}
	}
	ch := overBlock.chart(&d.Panels[0], data.GFLOPS, nil, data.LeadersOf(d.Panels, 10), 5, 8)
	if len(ch.Lines) != 10 || len(ch.Faint) != 30 {
		t.Errorf("%d lines and %d faint ones of 40", len(ch.Lines), len(ch.Faint))
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
			pages, _ := drawThroughput(d, dim)
			if len(pages) == 0 {
				t.Fatal("no pages")
			}
			roofs := 0 // it is left out where it would press the lines together
			for _, p := range pages {
				if !slices.ContainsFunc(textsOf(p), func(s string) bool { return strings.HasPrefix(s, c.unit) }) {
					t.Errorf("%v: %s has no axis in %s): %q", c.kernels, p.Name, c.unit, textsOf(p))
				}
				if strings.Contains(p.Subtitle, "memory bandwidth") {
					roofs++
				}
			}
			if (roofs > 0) != c.roof {
				t.Errorf("%v: %d pages over %s size show the roof, want some: %v", c.kernels, roofs, dim.name, c.roof)
			}
		}
		u := data.UnitFor(d.Panels)
		for _, l := range overBlock.lines(&d.Panels[0], u) {
			r := data.Fastest(d.Panels[0].ByKernel(l.Kernel))
			i := slices.IndexFunc(l.Points, func(q chart.Point) bool { return q.X == float64(r.Block) })
			if want := u.Of(r); i < 0 || l.Points[i].Y != want {
				t.Errorf("%s at block %d: %v, want %v", l.Kernel, r.Block, l.Points, want)
			}
		}
	}
}

// Fixed sizes of several kernels must not read as a range that was swept.
func TestFixedWords(t *testing.T) {
	for _, c := range []struct {
		fixed []int
		want  string
	}{
		{[]int{0, 0}, ""}, {[]int{256, 0, 256}, "grid 256"}, {[]int{8, 16384, 8}, "grid 8 or 16384"},
		{[]int{8, 64, 16384}, "each at its own grid"},
	} {
		var lines []chart.Line
		for _, f := range c.fixed {
			lines = append(lines, chart.Line{Fixed: f, Points: []chart.Point{{X: 1}, {X: 2}}})
		}
		if got := overBlock.fixedWords(lines); got != c.want {
			t.Errorf("%v: %q, want %q", c.fixed, got, c.want)
		}
	}
}
