package analysis

import (
	"math"
	"strings"
	"testing"

	"spmvtune/kernels"
)

func TestPeak(t *testing.T) {
	h100 := kernels.Device{Backend: "cuda", Units: 132,
		Properties: map[string]string{"compute_capability": "9.0", "clock_khz": "1980000"}}
	for p, want := range map[kernels.Precision]float64{kernels.Float32: 66908.16, kernels.Float64: 33454.08} {
		if got := PeakOf(&h100, p); math.Abs(got.GFLOPS-want) > 1e-6 {
			t.Errorf("%s: %v GFLOP/s, want %v", p, got.GFLOPS, want)
		}
	}

	rome := kernels.Device{Backend: "cpu", Units: 128, Properties: map[string]string{"vendor": "AuthenticAMD",
		"family": "23", "model": "49", "clock_khz": "3350000", "physical_cores": "64"}}
	xeon := kernels.Device{Backend: "cpu", Units: 2, Name: "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz",
		Properties: map[string]string{"vendor": "GenuineIntel", "family": "6", "model": "63"}}
	for _, tt := range []struct {
		d    *kernels.Device
		p    kernels.Precision
		want float64
		how  string
	}{
		{&rome, kernels.Float32, 6860.8, "64 cores × 16 multiply-adds × 3.35\u202fGHz, the highest clock"},
		{&xeon, kernels.Float64, 80, "2 cores × 8 multiply-adds × 2.50\u202fGHz, the nominal clock"},
	} {
		if got := PeakOf(tt.d, tt.p); math.Abs(got.GFLOPS-tt.want) > 1e-6 || got.How != tt.how {
			t.Errorf("%s: %v GFLOP/s, want %v: %s", tt.d.Name, got.GFLOPS, tt.want, got.How)
		}
	}

	for name, d := range map[string]kernels.Device{
		"how much": {Backend: "cpu", Units: 2},
		"not known": {Units: 132, Properties: map[string]string{"compute_capability": "99.0",
			"clock_khz": "1980000"}},
		"highest clock": {Units: 132, Properties: map[string]string{"compute_capability": "9.0"}},
	} {
		if got := PeakOf(&d, kernels.Float32); got.GFLOPS != 0 || !strings.Contains(got.How, name) {
			t.Errorf("%v GFLOP/s: %q does not say %q", got.GFLOPS, got.How, name)
		}
	}
}
