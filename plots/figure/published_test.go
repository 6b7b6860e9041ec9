package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// TestPublishedMarks: the papers' numbers are drawn where asked for, with what is wrong
// with them, and in proportion to what was measured.
func TestPublishedMarks(t *testing.T) {
	s := synthetic.Processor()
	s.Matrices, s.Kernels, s.Precisions = []string{"circuit5M_dc", "ecology1"}, []string{"cpu_coo", "cpu_csr"},
		[]kernels.Precision{kernels.Float32}
	d := s.Report()
	without, _ := cpuBandwidth.draw(d)
	if strings.Contains(without[0].Subtitle, "Hollow") {
		t.Error("published numbers are drawn though nobody asked for them")
	}
	d.Published = true
	pages, _ := cpuBandwidth.draw(d)
	for _, want := range []string{"Hollow", "coo-spmv-final on AMD EPYC 9334", "24 bytes per nonzero"} {
		if !strings.Contains(pages[0].Subtitle, want) {
			t.Errorf("the caption lacks %q: %s", want, pages[0].Subtitle)
		}
	}
	row := data.Fastest(d.Panels[0].ByKernel("cpu_coo"))
	row.Matrix = "circuit5M_dc"
	q := rate(data.PaperGBPS)
	if v := (&citations{report: d}).value(&q, entry{row: row}); math.Abs(v-20.28) > 1e-9 {
		t.Errorf("published: %g GB/s", v)
	}
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
	d := data.New(rows, nil, nil, nil)
	if pages, _ := drawThroughput(d, overBlock); strings.Contains(pages[0].Subtitle, "Hollow") {
		t.Error("published numbers are drawn though nobody asked for them")
	}
	d.Published = true
	pages, _ := drawThroughput(d, overBlock)
	for _, want := range []string{"Hollow", "csr-shuffle-and-shared on NVIDIA A30", "24 bytes per nonzero"} {
		if !strings.Contains(pages[0].Subtitle, want) {
			t.Errorf("the caption lacks %q: %s", want, pages[0].Subtitle)
		}
	}
	on := func(matrix string) map[string][]chart.Hollow {
		p := &d.Panels[slices.IndexFunc(d.Panels, func(p data.Panel) bool { return p.Matrix == matrix })]
		got := map[string][]chart.Hollow{}
		for _, l := range overBlock.chart(p, data.GFLOPS, citationsOf(d), data.KernelsOf(d.Panels), 5, 8).Lines {
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
	if flat := got["cpu_coo"]; len(flat) != 1 || flat[0].X != 0 || math.Abs(flat[0].Y-20.28/12) > 1e-9 {
		t.Errorf("beside the flat line: %v", flat)
	}
	if n := len(got["coo_warp_chunk"]); n != 0 {
		t.Errorf("%d marks at a size that no paper says", n)
	}
	pages, _ = crossing{id: "gflops-vs-nnz", title: "Throughput", order: byNonzeros, unit: data.GFLOPS}.draw(d)
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
		if got := (&data.Report{}).PublishedFor(&r) != nil; got != drawn {
			t.Errorf("%s: drawn is %v", matrix, got)
		}
	}
}
