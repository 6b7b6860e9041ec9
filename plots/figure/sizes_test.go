// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/store"
)

// Two sizes are no line, three are.
func TestTwoSizesAreNoPicture(t *testing.T) {
	rows := []store.Row{synthetic.TileRow(32, 8, 10, ""), synthetic.TileRow(64, 8, 15, "")}
	pages, _ := overBlock.draw(analysis.New(rows, nil, nil, nil))
	testkit.Equal(t, len(pages), 0, "pages of two sizes")
	pages, _ = overBlock.draw(analysis.New(append(rows, synthetic.TileRow(128, 8, 20, "")), nil, nil, nil))
	testkit.Equal(t, len(pages), 1, "pages of three sizes")
}

// A panel is of kernels to which the size means the same.
func TestFacetsByUnit(t *testing.T) {
	d := synthetic.Processor().Report()
	for _, unit := range overBlock.units(d.Panels) {
		ch := overBlock.of(unit).chart(d, &d.Panels[0], analysis.GFLOPS, nil, analysis.KernelsOf(d.Panels))
		for _, l := range ch.Lines {
			own := overBlock.unitOf(l.Kernel)
			testkit.Check(t, own == "" || own == unit, "%s has %s, whose block is %s", unit, l.Kernel, own)
		}
	}
}

func TestLinesFixTheOtherSize(t *testing.T) {
	d := analysis.New([]store.Row{
		synthetic.Row("cpu_csr_rows", 64, 1, 5), synthetic.Row("cpu_csr_rows", 256, 1, 4),
		synthetic.Row("cpu_csr_rows", 64, 2, 3), synthetic.Row("cpu_csr_rows", 256, 2, 2),
		synthetic.Row("cpu_csr_rows", 64, 4, 1), // faster, but at a grid with one block
		synthetic.Row("cpu_csr", 0, 0, 8),
		// the grid follows from the block
		synthetic.Row("coo_atomic", 128, 40, 7), synthetic.Row("coo_atomic", 256, 20, 6),
	}, nil, nil, nil)
	lines := overBlock.lines(&d.Panels[0], analysis.GBPS)
	got := map[string]string{}
	for _, l := range lines {
		for _, p := range l.Points {
			got[l.Kernel] += fmt.Sprintf("%g:%.3f ", p.X, p.Y)
		}
		got[l.Kernel] += fmt.Sprintf("at %d", l.Fixed)
	}
	for kernel, want := range map[string]string{
		"cpu_csr_rows": "64:0.333 256:0.500 at 2",
		"cpu_csr":      "0:0.125 at 0",
		"coo_atomic":   "128:0.143 256:0.167 at 0",
	} {
		testkit.Equal(t, got[kernel], want, "%s", kernel)
	}
	p := lines[0].Points[0]
	if math.Abs(p.Low-0.125/1.25) > 1e-12 || math.Abs(p.High-0.125/0.9) > 1e-12 {
		t.Errorf("band %v to %v of %v", p.Low, p.High, p.Y)
	}
}

// Where matrices have no sizes in common there are no means, and where each has another kernel no overlay.
func TestNothingInCommon(t *testing.T) {
	rows := []store.Row{}
	for i, kernel := range []string{"csr_vector", "csr_scalar"} {
		for _, block := range []int{32, 64, 128} {
			r := synthetic.Row(kernel, block, 8, 1)
			r.Matrix, r.GFLOPS = fmt.Sprint("m", i), 1
			rows = append(rows, r)
		}
	}
	pages, _ := overBlock.draw(analysis.New(rows, nil, nil, nil))
	testkit.Require(t, len(pages) == 2 && !pages[0].Detail, "%d pages", len(pages))
	testkit.Says(t, "the page", strings.Join(textsOf(pages[0]), " "), "csr_vector")
}
