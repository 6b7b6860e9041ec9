package plots

import (
	"math"
	"testing"

	"spmvtune/kernels"
)

func TestPeak(t *testing.T) {
	h100 := kernels.Device{Backend: "cuda", Units: 132, Properties: map[string]string{"compute_capability": "9.0", "clock_khz": "1980000"}}
	for p, want := range map[kernels.Precision]float64{kernels.Float32: 66908.16, kernels.Float64: 33454.08} {
		if got, ok := peakOf(&h100, p); !ok || math.Abs(got.GFLOPS-want) > 1e-6 {
			t.Errorf("%s: %v GFLOP/s, want %v", p, got.GFLOPS, want)
		}
	}
	for name, d := range map[string]kernels.Device{
		"processor":          {Backend: "cpu", Units: 2},
		"unknown generation": {Units: 132, Properties: map[string]string{"compute_capability": "99.0", "clock_khz": "1980000"}},
		"without a clock":    {Units: 132, Properties: map[string]string{"compute_capability": "9.0"}},
	} {
		if got, ok := peakOf(&d, kernels.Float32); ok {
			t.Errorf("%s: %v GFLOP/s from nothing", name, got.GFLOPS)
		}
	}
}

// A point is at its share of the roof: what lies on the line uses all the bandwidth.
func TestRooflinePoints(t *testing.T) {
	d := gpu(2, 128).data()
	s := d.setups()[0]
	r := d.roofline(s, d.of(s))
	if r.bandwidth < 39.99 || r.bandwidth > 40.01 {
		t.Fatalf("roof at %v GB/s, want 40", r.bandwidth)
	}
	if want := 2 * len(gpu(2, 128).kernels); len(r.points) != want {
		t.Fatalf("%d points, want %d", len(r.points), want)
	}
	for _, p := range d.of(s) {
		for _, kernel := range kernelsOf([]panel{p}) {
			row := fastest(p.byKernel(kernel))
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
