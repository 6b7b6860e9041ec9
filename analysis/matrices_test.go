// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

func TestTwins(t *testing.T) {
	real := trial.Matrix{Name: "mc2depi"}
	twin := func(of string, scale float64) trial.Matrix {
		return trial.Matrix{Name: of, TwinOf: of, TwinScale: scale}
	}
	for _, tt := range []struct {
		matrices []trial.Matrix
		want     string
	}{
		{[]trial.Matrix{real}, ""},
		{nil, ""},
		{[]trial.Matrix{real, twin("a", 1)}, "A twin, not the real matrix: a."},
		{[]trial.Matrix{twin("a", 0.1), twin("b", 1), real}, "Twins, not the real matrices: a at scale 0.1, b."},
		{[]trial.Matrix{twin("model7", 1)}, "A twin, not the real matrix: model7."},
		{[]trial.Matrix{
			{TwinOf: "a", TwinScale: 1, Source: "twin(of=a, scale=1, seed=1, locality=published)"},
			{TwinOf: "a", TwinScale: 1, Source: "twin of G/a: twin(of=a, scale=1, seed=1, locality=scattered)"},
		}, "Twins, not the real matrices: a (published locality), a (scattered locality)."},
		{append(slices.Repeat([]trial.Matrix{twin("a", 1)}, 13), real), "13 of 14 matrices are twins, not the real ones."},
	} {
		testkit.Equal(t, Twins(tt.matrices), tt.want, "%+v", tt.matrices)
	}
}

// TestPublishedNumbers: throughputs are sound, and all kernels that the figures could draw are in the catalogue.
func TestPublishedNumbers(t *testing.T) {
	all := publications()
	testkit.Check(t, len(all) >= 60, "%d publications only", len(all))
	// coo-spmv-final, Table III: 20.28 GB/s at 24 bytes and two operations per nonzero.
	p := all[publicationKey{"circuit5M_dc", "cpu_coo", kernels.Float32}]
	testkit.Check(t, math.Abs(p.gflops-20.28/12) <= 1e-9 && p.Paper == "coo-spmv-final" && strings.Contains(p.Device, "EPYC"),
		"publication %+v", p)
	// Table VI has the bandwidth of the best kernel only.
	if p = all[publicationKey{"mouse_gene", "coo_segscan_block",
		kernels.Float32}]; math.Abs(p.gflops-1098.117639/12) > 1e-9 {
		t.Errorf("publication of the best kernel %+v", p)
	}
}

// A name that turns the direction of text would make 51% of a title read as %15.
func TestNamesTurnNoText(t *testing.T) {
	r := store.Row{Matrix: "a\u202eb"}
	r.Kernel = "\u202ekernel"
	d := New([]store.Row{r}, nil, []trial.Matrix{{Name: "a\u202eb"}}, nil)
	testkit.EqualLists(t, []string{d.Rows[0].Matrix, d.Rows[0].Kernel, d.Matrices[0].Name},
		[]string{`a\u202eb`, `\u202ekernel`, `a\u202eb`}, "names")
}

func TestPeak(t *testing.T) {
	h100 := kernels.Device{Backend: "cuda", Units: 132,
		Properties: map[string]string{"compute_capability": "9.0", "clock_khz": "1980000"}}
	for p, want := range map[kernels.Precision]float64{kernels.Float32: 66908.16, kernels.Float64: 33454.08} {
		testkit.Near(t, PeakOf(&h100, p), want, 1e-6, "%s", p)
	}

	rome := kernels.Device{Backend: "cpu", Units: 128, Properties: map[string]string{"vendor": "AuthenticAMD",
		"family": "23", "model": "49", "clock_khz": "3350000", "physical_cores": "64"}}
	xeon := kernels.Device{Backend: "cpu", Units: 2, Name: "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz",
		Properties: map[string]string{"vendor": "GenuineIntel", "family": "6", "model": "63"}}
	for _, tt := range []struct {
		d    *kernels.Device
		p    kernels.Precision
		want float64
	}{
		{&rome, kernels.Float32, 6860.8}, // 64 cores × 16 multiply-adds × 3.35 GHz, the highest clock
		{&xeon, kernels.Float64, 80},     // 2 cores × 8 multiply-adds × 2.50 GHz, the nominal clock
	} {
		testkit.Near(t, PeakOf(tt.d, tt.p), tt.want, 1e-6, "%s", tt.d.Name)
	}

	for name, d := range map[string]kernels.Device{
		"neither rate nor clock": {Backend: "cpu", Units: 2},
		"no rate": {Units: 132, Properties: map[string]string{"compute_capability": "99.0",
			"clock_khz": "1980000"}},
		"no clock": {Units: 132, Properties: map[string]string{"compute_capability": "9.0"}},
	} {
		testkit.Equal(t, PeakOf(&d, kernels.Float32), 0, "%s: the peak", name)
	}
}
