package figure

import (
	"math"
	"testing"

	"spmvtune/plots/data"
	"spmvtune/plots/synthetic"
)

// A point is at its share of the roof: what lies on the line uses all the bandwidth.
func TestRooflinePoints(t *testing.T) {
	d := synthetic.Gpu(2, 128).Report()
	s := d.Setups()[0]
	r := rooflineOf(d, s, d.In(s))
	if r.bandwidth < 39.99 || r.bandwidth > 40.01 {
		t.Fatalf("roof at %v GB/s, want 40", r.bandwidth)
	}
	if want := 2 * len(synthetic.Gpu(2, 128).Kernels); len(r.points) != want {
		t.Fatalf("%d points, want %d", len(r.points), want)
	}
	for _, p := range d.In(s) {
		for _, kernel := range data.KernelsOf([]data.Panel{p}) {
			row := data.Fastest(p.ByKernel(kernel))
			if q := row.GFLOPS / (intensity(row) * r.bandwidth); math.Abs(q-row.RoofFraction) > 1e-9 {
				t.Errorf("%s on %s is at %v of the roof, want %v", kernel, p.Matrix, q, row.RoofFraction)
			}
		}
	}
	x, y := r.ends()
	for _, q := range r.points {
		if q.X < x[0] || q.X > x[1] || q.Low < y[0] || q.High > y[1] {
			t.Errorf("%+v is outside of %v, %v", q, x, y)
		}
	}
}
