// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/store"
)

// Of matrices without what is compared with, those are named that have something to
// compare; where none has it, the figure has no data and says so otherwise.
func TestBarsLackingBase(t *testing.T) {
	s := synthetic.Scans()
	d := s.Report()
	rows := slices.DeleteFunc(slices.Clone(d.Rows), func(r store.Row) bool {
		return r.Matrix == "matrix-01" && r.Kernel == "coo_scan_shared"
	})
	pages, warnings := prefixSums.draw(analysis.New(rows, nil, slices.Clone(d.Matrices), d.Devices))
	testkit.Check(t, len(pages) == 1 && len(warnings) == 1 && strings.Contains(warnings[0].Error(), "lacks matrix-01:"),
		"%d pages, warnings %v", len(pages), warnings)
	texts := textsOf(pages[0])
	testkit.Check(t, !slices.Contains(texts, "matrix-01") && slices.Contains(texts, "matrix-02"), "the page shows %q", texts)
	rows = slices.DeleteFunc(rows, func(r store.Row) bool { return r.Kernel == "coo_scan_shared" })
	if pages, warnings := prefixSums.draw(analysis.New(rows, nil, d.Matrices, d.Devices)); len(pages) != 0 ||
		len(warnings) != 0 {
		t.Errorf("without any: %d pages, warnings %v", len(pages), warnings)
	}
}

// Only matrices that both devices measured are compared.
func TestPairs(t *testing.T) {
	d := synthetic.Both()
	scenes := pairs(d)
	testkit.Equal(t, len(scenes), 1, "scenes")
	var names []string
	for _, p := range scenes[0].panels {
		names = append(names, p.Matrix)
		if p.FastestOf(analysis.OfKernels(onProcessor...)) == nil || p.FastestOf(analysis.OfKernels(simpleOnGPU...)) == nil {
			t.Errorf("%s lacks a device", p.Matrix)
		}
	}
	slices.Sort(names)
	testkit.EqualLists(t, names, []string{"ecology1", "mycielskian13", "power-law", "road-chains"}, "compared on")
	pages, _ := gpuAndCPU.draw(d)
	shown := lists.Of(pages[0].Keys, func(k canvas.Key) string { return k.Text })
	testkit.EqualLists(t, shown, []string{"cpu_coo", "cpu_csr", fastestSimple}, "legend")
	testkit.Equal(t, len(pairs(synthetic.Processor().Report())), 0, "pairs of a processor alone")
}

func TestMeans(t *testing.T) {
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
	d := analysis.New(rows, nil, nil, nil)
	scenes := scenesByCondition(d)
	texts := strings.Join(textsOf(averagePage(d, scenes[0])), " ") // 4 and 16 times as fast average to 8
	if !regexp.MustCompile(`cpu_csr cpu_csr_rows on 1 .* 8\.0×.* 0\.50×`).MatchString(texts) {
		t.Errorf("kernels, their means and on how many matrices: %s", texts)
	}
}

// TestPublishedMarks: the papers' numbers are drawn where asked for, with what is wrong
// with them, and in proportion to what was measured.
func TestPublishedMarks(t *testing.T) {
	s := synthetic.Processor()
	s.Matrices, s.Kernels, s.Precisions = []string{"circuit5M_dc", "ecology1"}, []string{"cpu_coo", "cpu_csr"},
		[]kernels.Precision{kernels.Float32}
	d := s.Report()
	without, _ := cpuBandwidth.draw(d)
	testkit.Lacks(t, "the caption without published numbers", without[0].Subtitle, "Hollow")
	d.Published = true
	pages, _ := cpuBandwidth.draw(d)
	testkit.Says(t, "the caption", pages[0].Subtitle, "Hollow", "coo-spmv-final on AMD EPYC 9334", "24 bytes per nonzero")
	row := analysis.Fastest(d.Panels[0].ByKernel("cpu_coo"))
	row.Matrix = "circuit5M_dc"
	q := rate(analysis.PaperGBPS)
	testkit.Near(t, (&citations{report: d}).value(&q, entry{row: row}), 20.28, 1e-9, "published")
}

// TestPublishedBesideLines: what a paper says of the best block size is a mark there; a
// kernel without sizes has its mark beside its line, and one of which no size is known has
// none. Over matrices each has one.
func TestPublishedBesideLines(t *testing.T) {
	var rows []store.Row
	for _, kernel := range []string{"csr_warp_row_shuffle", "coo_warp_chunk", "cpu_coo"} {
		for i, matrix := range []string{"lp_ganges", "circuit5M_dc"} {
			for _, block := range []int{64, 128, 256} {
				r := synthetic.Row(kernel, block, 256, 1+float64(i))
				r.Matrix, r.Precision, r.Rows, r.NNZ, r.GFLOPS = matrix, kernels.Float32, 1000, 10_000*(i+1), 2e-2
				if kernel == "cpu_coo" {
					r.Block, r.Grid = 0, 0
				}
				rows = append(rows, r)
			}
		}
	}
	d := analysis.New(rows, nil, nil, nil)
	without, _ := overBlock.draw(d)
	testkit.Lacks(t, "the caption without published numbers", without[0].Subtitle, "Hollow")
	d.Published = true
	pages, _ := overBlock.draw(d)
	testkit.Says(t, "the caption", pages[len(pages)-1].Subtitle, "Hollow", "csr-shuffle-and-shared on NVIDIA A30")
	on := func(matrix string) map[string][]canvas.Point {
		p := &d.Panels[slices.IndexFunc(d.Panels, func(p analysis.Panel) bool { return p.Matrix == matrix })]
		got := map[string][]canvas.Point{}
		for _, l := range overBlock.chart(d, p, analysis.GFLOPS, citationsOf(d), analysis.KernelsOf(d.Panels)).Lines {
			got[l.Kernel] = l.Published
		}
		return got
	}
	// Table II of csr-shuffle-and-shared: 0.009 ms at 1024 threads.
	shuffle := on("lp_ganges")["csr_warp_row_shuffle"]
	if len(shuffle) != 1 || shuffle[0].X != 1024 || math.Abs(shuffle[0].Y-2e-6*10_000/0.009) > 1e-9 {
		t.Errorf("published: %v", shuffle)
	}
	got := on("circuit5M_dc")
	flat := got["cpu_coo"]
	testkit.Check(t, len(flat) == 1 && flat[0].X == 0 && math.Abs(flat[0].Y-20.28/12) <= 1e-9, "beside the flat line: %v", flat)
	testkit.Equal(t, len(got["coo_warp_chunk"]), 0, "marks at a size that no paper says")
	pages, _ = drawings["gflops-vs-row-length"](d)
	_, tips := pages[0].Web(&canvas.WebStyles{})
	n := 0
	for _, tip := range tips {
		if strings.Contains(tip.Text, "published in ") {
			n++
		}
	}
	if n != 3 { // two of circuit5M_dc, and one of lp_ganges
		t.Errorf("%d published marks over matrices: %v", n, tips)
	}
}

// A time of a matrix that the paper did not read whole is no throughput.
func TestPublishedTimes(t *testing.T) {
	for matrix, drawn := range map[string]bool{"lp_ganges": true, "delaunay_n23": false, "random_30000x20000": false} {
		r := synthetic.Row("csr_warp_row_shuffle", 256, 0, 1)
		r.Matrix, r.Precision = matrix, kernels.Float32
		testkit.Equal(t, (&analysis.Data{}).PublishedFor(&r) != nil, drawn, "%s: drawn", matrix)
	}
}

// What others know of figures follows from the registry: the ids that a sweep file may
// have, and the list in the gallery. The test writes both with -regen.
func TestDerived(t *testing.T) {
	for _, id := range IDs() {
		testkit.Check(t, drawings[id] != nil, "figures.toml has %s, and drawings in registry.go doesn't", id)
	}
	testkit.Equal(t, len(drawings), len(All), "drawings in registry.go, of as many figures in figures.toml,")
	testkit.Section(t, "../../docs/gallery.md", "<!-- figures -->\n", "<!-- end of figures -->\n", galleryList(),
		*cmpimg.GenerateTestData)
	figures(t)
}

// galleryList is a table of all figures.
func galleryList() string {
	var b strings.Builder
	b.WriteString("| figure | shows | data from |\n|---|---|---|\n")
	for i := range All {
		f := &All[i]
		fmt.Fprintf(&b, "| %s | %s | `run %s` |\n", f.ID, f.Title, f.Sweep)
	}
	return b.String()
}

// figures compares the ids that a sweep file may have with the registry, or writes them.
func figures(t *testing.T) {
	t.Helper()
	const path = "../../configs/figures.txt"
	text := testkit.Must(os.ReadFile(path))
	want := strings.Join(IDs(), "\n") + "\n"
	if want == string(text) {
		return
	}
	if !*cmpimg.GenerateTestData { // -regen
		t.Errorf("%s does not list the registry's figures: run `go test ./plots/figure -run TestDerived -regen`", path)
	} else if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
