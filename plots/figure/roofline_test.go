// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"slices"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
)

// Each matrix is named, and beside it stands the share of the roof that its fastest kernel has,
// with that kernel's name.
func TestRooflineShares(t *testing.T) {
	d := synthetic.Gpu(5, 128).Report()
	d.Devices[0].Roof.Copy = 21
	pages, _ := roofFigure.draw(d)
	testkit.Says(t, "the subtitle", pages[0].Subtitle, "Roof: 21 to 40 GB/s", "differ: the band")
	texts := textsOf(pages[0])
	for _, p := range d.Panels {
		best := analysis.Fastest(p.Rows)
		for _, want := range []string{p.Matrix, term.Percent0(best.RoofFraction), best.Kernel, "50%", "25%"} {
			testkit.Check(t, slices.Contains(texts, want), "%s: %q is not on the page", p.Matrix, want)
		}
	}
}
