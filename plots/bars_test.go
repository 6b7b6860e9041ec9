package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/stat"
)

func TestChangeWords(t *testing.T) {
	for v, want := range map[float64]string{
		1: "0%", 1.0001: "0%", 2: "+100%", 0.5: "−50%", 1.0824: "+8.2%", 0.985: "−1.5%", 1.72: "+72%", 0.001: "−99.9%", 41.39: "+4\u202f040%",
	} {
		if got := change(v); got != want {
			t.Errorf("change(%v) = %q, want %q", v, got, want)
		}
	}
}

// A parameter that a trial does not spell out has the catalogue's default.
func TestSelections(t *testing.T) {
	k, _ := kernels.Lookup("csr_thread_row")
	bound := k.Params[0]
	for params, want := range map[string]string{"": "none", "shared=1": "none", "min_blocks=2 shared=0": "2"} {
		r := row(k.Name, 0, 0, 1)
		r.Params = kernels.Params(params)
		var got []string
		for _, v := range bound.Values {
			if withParam(bound, v)(&r) {
				got = append(got, v)
			}
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%q is among %v, want %s", params, got, want)
		}
	}
	p := panel{rows: []store.Row{row("coo_scan_shared", 1024, 8, 1), row("coo_scan_shared", 32, 8, 3), row("coo_scan_shared", 32, 16, 2), row("coo_blelloch", 32, 8, 0.5)}}
	if r := p.fastestOf(ofFirstScan); r == nil || r.Block != 32 || r.Grid != 16 {
		t.Errorf("the first scan is %+v", r)
	}
	if r := p.fastestOf(ofKernels("csr_scalar")); r != nil {
		t.Errorf("found %+v among other kernels", r)
	}
}

// Of matrices without what is compared with, those are named that have something to
// compare; where none has it, the figure has no data and says so otherwise.
func TestBarsLackingBase(t *testing.T) {
	s := scans()
	d := s.data()
	rows := slices.DeleteFunc(slices.Clone(d.rows), func(r store.Row) bool {
		return r.Matrix == "matrix-01" && r.Kernel == "coo_scan_shared"
	})
	pages, warnings := prefixSums.draw(newData(rows, nil, slices.Clone(d.matrices), d.devices))
	if len(pages) != 1 || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "without matrix-01:") {
		t.Errorf("%d pages, warnings %v", len(pages), warnings)
	}
	if texts := textsOf(pages[0]); slices.Contains(texts, "matrix-01") || !slices.Contains(texts, "matrix-02") {
		t.Errorf("the page shows %q", texts)
	}
	rows = slices.DeleteFunc(rows, func(r store.Row) bool { return r.Kernel == "coo_scan_shared" })
	if pages, warnings := prefixSums.draw(newData(rows, nil, d.matrices, d.devices)); len(pages) != 0 || len(warnings) != 0 {
		t.Errorf("without any: %d pages, warnings %v", len(pages), warnings)
	}
}

// The highest of a row is written even where its kernel is not among those drawn.
func TestHighestIsWritten(t *testing.T) {
	d := bins().data()
	pages, _ := newVersions.draw(d)
	texts := textsOf(pages[0])
	for i := range d.panels {
		p := &d.panels[i]
		best := 0.0
		for _, k := range []string{"csr_thread_row", "csr_warp_row", "csr_bins", "csr_hybrid"} {
			best = max(best, fastest(p.byKernel(k+"_v1")).Median/fastest(p.byKernel(k)).Median)
		}
		if !slices.Contains(texts, change(best)) {
			t.Errorf("%s in %s: %s is not on the page", p.Matrix, p.Precision, change(best))
		}
	}
}

// Only matrices that both devices measured are compared, and each marker is that of
// the kernel that was the fastest there.
func TestPairs(t *testing.T) {
	d := both()
	scenes := pairs(d)
	if len(scenes) != 1 {
		t.Fatalf("%d scenes", len(scenes))
	}
	var names []string
	for _, p := range scenes[0].panels {
		names = append(names, p.Matrix)
		if p.fastestOf(ofKernels(onProcessor...)) == nil || p.fastestOf(ofKernels(simpleOnGPU...)) == nil {
			t.Errorf("%s lacks a device", p.Matrix)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"ecology1", "mycielskian13", "power-law", "road-chains"}) {
		t.Errorf("compared on %v", names)
	}
	pages, _ := gpuAndCPU.draw(d)
	var shown []string
	for _, k := range pages[0].keys {
		shown = append(shown, k.text)
	}
	for i := range scenes[0].panels {
		if k := scenes[0].panels[i].fastestOf(ofKernels(simpleOnGPU...)).Kernel; !slices.Contains(shown, k) {
			t.Errorf("%s is fastest on %s and not in the legend %v", k, names[i], shown)
		}
	}
	if list := pairs(processor().data()); len(list) != 0 {
		t.Errorf("a processor alone has %d pairs", len(list))
	}
}

func TestMeans(t *testing.T) {
	if g := stat.GeometricMeanOf([]float64{0.25, 4}); math.Abs(g-1) > 1e-12 {
		t.Errorf("a ratio and its inverse average to %v", g)
	}
	rows := []store.Row{row("cpu_coo", 0, 0, 8), row("cpu_csr", 0, 0, 2), row("cpu_csr_rows", 64, 1, 16)}
	for _, r := range slices.Clone(rows) {
		r.Matrix = "other"
		if r.Kernel == "cpu_csr" {
			r.Median = 0.5e-3
		}
		if r.Kernel != "cpu_csr_rows" {
			rows = append(rows, r)
		}
	}
	d := newData(rows, nil, nil, nil)
	scenes := d.scenesByPlace()
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
