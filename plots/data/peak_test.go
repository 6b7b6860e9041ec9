package data

import (
	"math"
	"testing"

	"spmvtune/kernels"
)

func TestPeak(t *testing.T) {
	h100 := kernels.Device{Backend: "cuda", Units: 132,
		Properties: map[string]string{"compute_capability": "9.0", "clock_khz": "1980000"}}
	for p, want := range map[kernels.Precision]float64{kernels.Float32: 66908.16, kernels.Float64: 33454.08} {
		if got, ok := PeakOf(&h100, p); !ok || math.Abs(got.GFLOPS-want) > 1e-6 {
			t.Errorf("%s: %v GFLOP/s, want %v", p, got.GFLOPS, want)
		}
	}
	for name, d := range map[string]kernels.Device{
		"processor": {Backend: "cpu", Units: 2},
		"unknown generation": {Units: 132, Properties: map[string]string{"compute_capability": "99.0",
			"clock_khz": "1980000"}},
		"without a clock": {Units: 132, Properties: map[string]string{"compute_capability": "9.0"}},
	} {
		if got, ok := PeakOf(&d, kernels.Float32); ok {
			t.Errorf("%s: %v GFLOP/s from nothing", name, got.GFLOPS)
		}
	}
}
