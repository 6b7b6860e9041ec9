package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/tuner/stat"
)

// Of matrices without what is compared with, those are named that have something to
// compare; where none has it, the figure has no data and says so otherwise.
func TestBarsLackingBase(t *testing.T) {
	s := synthetic.Scans()
	d := s.Report()
	rows := slices.DeleteFunc(slices.Clone(d.Rows), func(r store.Row) bool {
		return r.Matrix == "matrix-01" && r.Kernel == "coo_scan_shared"
	})
	pages, warnings := prefixSums.draw(data.New(rows, nil, slices.Clone(d.Matrices), d.Devices))
	if len(pages) != 1 || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "lacks matrix-01:") {
		t.Errorf("%d pages, warnings %v", len(pages), warnings)
	}
	if texts := textsOf(pages[0]); slices.Contains(texts, "matrix-01") || !slices.Contains(texts, "matrix-02") {
		t.Errorf("the page shows %q", texts)
	}
	rows = slices.DeleteFunc(rows, func(r store.Row) bool { return r.Kernel == "coo_scan_shared" })
	if pages, warnings := prefixSums.draw(data.New(rows, nil, d.Matrices, d.Devices)); len(pages) != 0 ||
		len(warnings) != 0 {
		t.Errorf("without any: %d pages, warnings %v", len(pages), warnings)
	}
}

// The highest of a row is written even where its kernel is not among those drawn.
func TestHighestIsWritten(t *testing.T) {
	d := synthetic.Bins().Report()
	pages, _ := newVersions.draw(d)
	texts := textsOf(pages[0])
	for i := range d.Panels {
		p := &d.Panels[i]
		best := 0.0
		for _, k := range []string{"csr_thread_row", "csr_warp_row", "csr_bins", "csr_hybrid"} {
			best = max(best, data.Fastest(p.ByKernel(k+"_v1")).Median/data.Fastest(p.ByKernel(k)).Median)
		}
		if !slices.Contains(texts, number.Change(best)) {
			t.Errorf("%s in %s: %s is not on the page", p.Matrix, p.Precision, number.Change(best))
		}
	}
}

// Only matrices that both devices measured are compared, and each marker is that of
// the kernel that was the fastest there.
func TestPairs(t *testing.T) {
	d := synthetic.Both()
	scenes := pairs(d)
	if len(scenes) != 1 {
		t.Fatalf("%d scenes", len(scenes))
	}
	var names []string
	for _, p := range scenes[0].panels {
		names = append(names, p.Matrix)
		if p.FastestOf(data.OfKernels(onProcessor...)) == nil || p.FastestOf(data.OfKernels(simpleOnGPU...)) == nil {
			t.Errorf("%s lacks a device", p.Matrix)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"ecology1", "mycielskian13", "power-law", "road-chains"}) {
		t.Errorf("compared on %v", names)
	}
	pages, _ := gpuAndCPU.draw(d)
	var shown []string
	for _, k := range pages[0].Keys {
		shown = append(shown, k.Text)
	}
	for i := range scenes[0].panels {
		if k := scenes[0].panels[i].FastestOf(data.OfKernels(simpleOnGPU...)).Kernel; !slices.Contains(shown, k) {
			t.Errorf("%s is fastest on %s and not in the legend %v", k, names[i], shown)
		}
	}
	if list := pairs(synthetic.Processor().Report()); len(list) != 0 {
		t.Errorf("a processor alone has %d pairs", len(list))
	}
}

func TestMeans(t *testing.T) {
	if g := stat.GeometricMeanOf([]float64{0.25, 4}); math.Abs(g-1) > 1e-12 {
		t.Errorf("a ratio and its inverse average to %v", g)
	}
	rows := []store.Row{synthetic.Row("cpu_coo", 0, 0, 8), synthetic.Row("cpu_csr", 0, 0, 2),
		synthetic.Row("cpu_csr_rows", 64, 1, 16)}
	for _, r := range slices.Clone(rows) {
		r.Matrix = "other"
		if r.Kernel == "cpu_csr" {
			r.Time = 0.5e-3
		}
		if r.Kernel != "cpu_csr_rows" {
			rows = append(rows, r)
		}
	}
	d := data.New(rows, nil, nil, nil)
	scenes := scenesByCondition(d)
	a := averages(d, &scenes[0])
	if !slices.Equal(a.kernels, []string{"cpu_csr", "cpu_csr_rows"}) {
		t.Errorf("in the order %v", a.kernels)
	}
	if v := a.top("cpu_csr"); math.Abs(v-8) > 1e-12 {
		t.Errorf("4 and 16 times as fast average to %v", v)
	}
	if a.fewer("cpu_csr") != "" || a.fewer("cpu_csr_rows") != "on 1" {
		t.Errorf("measured %q and %q", a.fewer("cpu_csr"), a.fewer("cpu_csr_rows"))
	}
}
