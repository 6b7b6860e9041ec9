package figure

import (
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/store"
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
	o := launchShares(d, s, &theoreticalOccupancy)
	if n := len(d.Matrices); len(o.matrices) != 2 || o.matrices[0].Name != d.Matrices[0].Name ||
		o.matrices[1].Name != d.Matrices[n-1].Name {
		t.Errorf("matrices %+v", o.matrices)
	}
	if got := o.launches[[2]string{slow.Matrix, slow.Kernel}].Properties["occupancy"]; got == 0.125 || got == 0 {
		t.Errorf("occupancy %v is that of the slower source", got)
	}
	if slices.Contains(o.kernels, unknown.Kernel) || !slices.Contains(o.kernels, "csr_hybrid") {
		t.Errorf("kernels %v", o.kernels)
	}
	if pages, warnings := drawOccupancy(synthetic.Processor().Report()); len(pages) != 0 || len(warnings) != 0 {
		t.Errorf("a processor has %d pages, warnings %v", len(pages), warnings)
	}
}

// What a profiler counted is drawn in place of the theoretical occupancy, with that as the
// bound; without it the other figures have no page.
func TestProfiledShares(t *testing.T) {
	for _, draw := range []func(*data.Report) ([]*canvas.Picture, []error){warpEfficiency.draw, loadEfficiency.draw} {
		if pages, _ := draw(synthetic.Gpu(4, 64).Report()); len(pages) != 0 {
			t.Errorf("page %q of nothing", pages[0].Title)
		}
	}
	d := synthetic.Profiled(synthetic.Gpu(4, 64).Report())
	pages, _ := drawOccupancy(d)
	if len(pages) != 1 || !strings.HasPrefix(pages[0].Title, "Achieved occupancy") ||
		!strings.Contains(pages[0].Subtitle, "Hollow: the theoretical") {
		t.Fatalf("pages %+v", pages)
	}
	o := launchShares(d, d.Setups()[0], &achievedOccupancy)
	l := o.launches[[2]string{o.matrices[0].Name, "csr_vector"}]
	if v := l.Properties["achieved_occupancy"]; !(v > 0 && v < achievedOccupancy.boundOf(l)) {
		t.Errorf("facts %v", l.Properties)
	}
	// Of several launches the bound is that of the counted one.
	l.Config = kernels.Config{Kernel: "csr_pcsr", Precision: kernels.Float32, Block: 256, Grid: 10}
	l.Properties = map[string]float64{"occupancy": 0.75, "occupancy:csr_pcsr_sum": 0.75, "occupancy:csr_pcsr_multiply": 1}
	if got := achievedOccupancy.boundOf(l); got != 1 {
		t.Errorf("bound %v, want that of csr_pcsr_multiply", got)
	}
}
