package plots

import (
	"math"
	"strings"
	"testing"

	"spmvtune/kernels"
)

// TestPublishedNumbers: throughputs are sound, and all kernels that the figures could draw are in the catalogue.
func TestPublishedNumbers(t *testing.T) {
	all := publications()
	if len(all) < 60 {
		t.Errorf("%d publications only", len(all))
	}
	// coo-spmv-final, Table III: 20.28 GB/s at 24 bytes and two operations per nonzero.
	p := all[publicationKey{"circuit5M_dc", "cpu_coo", kernels.Float32}]
	if math.Abs(p.gflops-20.28/12) > 1e-9 || p.paper != "coo-spmv-final" || !strings.Contains(p.device, "EPYC") {
		t.Errorf("publication %+v", p)
	}
}

// TestPublishedMarks: the papers' numbers are drawn where asked for, with what is wrong
// with them, and in proportion to what was measured.
func TestPublishedMarks(t *testing.T) {
	s := processor()
	s.matrices, s.kernels, s.precisions = []string{"circuit5M_dc", "ecology1"}, []string{"cpu_coo", "cpu_csr"}, []kernels.Precision{kernels.Float32}
	d := s.data()
	without, _ := cpuBandwidth.draw(d)
	if strings.Contains(without[0].Subtitle, "Hollow") {
		t.Error("published numbers are drawn though nobody asked for them")
	}
	d.published = true
	pages, _ := cpuBandwidth.draw(d)
	for _, want := range []string{"Hollow", "coo-spmv-final on AMD EPYC 9334", "24 bytes per nonzero"} {
		if !strings.Contains(pages[0].Subtitle, want) {
			t.Errorf("the caption lacks %q: %s", want, pages[0].Subtitle)
		}
	}
	row := fastest(d.panels[0].byKernel("cpu_coo"))
	row.Matrix = "circuit5M_dc"
	q := rate(gbpsPaper)
	if v := (&citations{}).value(&q, entry{row: row}); math.Abs(v-20.28) > 1e-9 {
		t.Errorf("published: %g GB/s", v)
	}
}
