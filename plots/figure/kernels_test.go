// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
)

// Of all matrices those with the shortest and the longest rows are shown, of several
// sources of a kernel the fastest, and nothing where no launch told its occupancy.
func TestOccupancy(t *testing.T) {
	d := synthetic.Gpu(4, 64).Report()
	s := d.Setups()[0]
	slow := d.Launches[0]
	slow.Time *= 2
	slow.Properties = map[string]float64{"occupancy": 0.125}
	unknown := slow
	unknown.Kernel, unknown.Properties = "cusparse_csr_alg1", map[string]float64{"buffer_bytes": 0}
	d.Launches = slices.Concat([]store.Row{slow}, d.Launches, []store.Row{slow, unknown})
	o := theoreticalOccupancy.launches(d, s)
	if n := len(d.Matrices); len(o) != 2 || o[0].Matrix != d.Matrices[0].Name || o[1].Matrix != d.Matrices[n-1].Name {
		t.Errorf("matrices %s", analysis.MatrixNames(o))
	}
	got := o[0].Best(slow.Kernel).Properties["occupancy"]
	testkit.Check(t, got != 0.125 && got != 0, "occupancy %v is that of the slower source", got)
	if kernels := analysis.KernelsOf(o); slices.Contains(kernels, unknown.Kernel) ||
		!slices.Contains(kernels, "csr_hybrid") {
		t.Errorf("kernels %v", kernels)
	}
	pages, warnings := drawings["occupancy"](synthetic.Processor().Report())
	testkit.Check(t, len(pages) == 0 && len(warnings) == 0, "a processor has %d pages, warnings %v", len(pages), warnings)
}

// What a profiler counted is drawn in place of the theoretical occupancy, with that as the
// bound; without it the other figures have no page.
func TestProfiledShares(t *testing.T) {
	for _, draw := range []func(*analysis.Data) ([]*canvas.Picture, []error){drawings["warp-efficiency"], drawings["load-efficiency"]} {
		pages, _ := draw(synthetic.Gpu(4, 64).Report())
		testkit.Equal(t, len(pages), 0, "pages of nothing")
	}
	d := synthetic.Profiled(synthetic.Gpu(4, 64).Report())
	pages, _ := drawings["occupancy"](d)
	testkit.Require(t, len(pages) == 1 && strings.HasPrefix(pages[0].Title, "Achieved occupancy"), "pages %+v", pages)
	o := occupancy.launches(d, d.Setups()[0])
	l := o[0].Best("csr_vector")
	v := l.Properties["achieved_occupancy"]
	testkit.Check(t, v > 0 && v < occupancy.boundOf(l), "facts %v", l.Properties)
	// Of several launches the bound is that of the counted one.
	l.Config = kernels.Config{Kernel: "csr_pcsr", Precision: kernels.Float32, Block: 256, Grid: 10}
	l.Properties = map[string]float64{"occupancy": 0.75, "occupancy:csr_pcsr_sum": 0.75, "occupancy:csr_pcsr_multiply": 1}
	testkit.Equal(t, occupancy.boundOf(l), 1, "bound")
}

// One configuration for all matrices is the one with the best geometric mean of those that all have.
func TestTuningOf(t *testing.T) {
	on := func(matrix string, block int, ms float64) store.Row {
		r := synthetic.Row("csr_vector", block, 8, ms)
		r.Matrix = matrix
		return r
	}
	d := analysis.New([]store.Row{on("a", 32, 1), on("a", 64, 2), on("a", 128, 4), on("a", 256, 8), on("b", 32, 10),
		on("b", 64, 2), on("b", 128, 4), on("b", 512, 1)}, nil, nil, nil)
	got, ok := tuningOf(d.Panels, "csr_vector")
	// Block 64 is half as fast as the best on both; 32 is the best on a, and a tenth on b.
	if !ok || got.config.Block != 64 || math.Abs(got.single-0.5) > 1e-12 || got.matrices != 2 {
		t.Errorf("%v at %g of %d matrices", got.config, got.single, got.matrices)
	}
	testkit.EqualLists(t, []float64{float64(len(got.shares)), got.shares[0], got.shares[7]}, []float64{8, 0.1, 1}, "shares")
	if _, ok := tuningOf(d.Panels, "csr_scalar"); ok {
		t.Error("a kernel without trials has a distribution")
	}
}

// Preparing pays off after as many products as its cost is times the gain; where it decides
// nothing there is no picture.
func TestReigns(t *testing.T) {
	plain, fast := synthetic.Row("csr_scalar", 64, 8, 2), synthetic.Row("sell_c_sigma", 64, 8, 1)
	plain.Prepare, fast.Prepare = 1e-3, 0.101
	d := analysis.New([]store.Row{plain, fast}, nil, nil, nil)
	for n, want := range map[float64]string{1: "csr_scalar", 95: "csr_scalar", 105: "sell_c_sigma", 1e6: "sell_c_sigma"} {
		testkit.Equal(t, bestFor(&d.Panels[0], n), want, "for %g products, which change at 100", n)
	}
	pages, _ := drawings["break-even"](d)
	testkit.Equal(t, len(pages), 1, "pictures")
	fast.Prepare = 0
	pages, _ = drawings["break-even"](analysis.New([]store.Row{plain, fast}, nil, nil, nil))
	testkit.Equal(t, len(pages), 0, "pictures though preparation decides nothing")
}

// The spread between runs is that of repeated trials; without repeats there is no picture.
func TestRunToRun(t *testing.T) {
	r := synthetic.Row("csr_scalar", 64, 8, 2)
	pages, _ := drawings["run-to-run"](analysis.New([]store.Row{r}, nil, nil, nil))
	testkit.Equal(t, len(pages), 0, "pictures of a spread without repeats")
	r.Factor = 1.12
	pages, _ = drawings["run-to-run"](analysis.New([]store.Row{r}, nil, nil, nil))
	testkit.Check(t, len(pages) == 1 && slices.Contains(textsOf(pages[0]), "12%"), "no 12%% on the page")
}
