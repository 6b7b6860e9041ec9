// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// In a world where each kernel moves bytes at a rate of its own, that rate is learned, and
// times follow from it; the runners-up are of the other kernels.
func TestForecast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rates := map[string]float64{"a": 900e9, "b": 700e9, "c": 800e9, "d": 100e9}
	var obs []Observation
	for m := range 30 {
		f := randomFeatures(rng)
		for kernel, rate := range rates {
			noise := 1 + 0.1*(rng.Float64()-0.5)
			o := observe(string(rune('A'+m)), f, config(kernel, 64, 1), noise*Traffic(&f, kernels.Float32)/rate)
			o.Source = "digest of " + kernel
			obs = append(obs, o)
		}
	}

	r := learn(t, obs, DefaultOptions)
	f := randomFeatures(rng)
	c := chosen(t, r, f, Wanted{})
	want := Traffic(&f, kernels.Float32) / 900e9
	if g := c.Forecast; g == nil || !(g.Low < g.Seconds && g.Seconds < g.High) || math.Abs(g.Seconds/want-1) > 0.05 ||
		g.Matrices != similar || g.Share() != 0.8 {
		t.Errorf("forecast %+v, want about %v s", g, want)
	}

	if len(c.Shortlist) != 4 || c.Shortlist[1].Kernel != "c" || c.Shortlist[2].Kernel != "b" {
		t.Errorf("shortlist %v, want a, c, b and d", c.Shortlist)
	} else if got := c.Shortlist[1].Seconds / (Traffic(&f, kernels.Float32) / 800e9); math.Abs(got-1) > 0.05 {
		t.Errorf("the first runner-up is expected to take %v of the time that it takes", got)
	}
	s := c.Model.Sources
	testkit.Check(t, s["a"] == "digest of a" && len(s) == 4, "sources %v, want those of all kernels", s)

	tiny := sparse.Features{Rows: 2, Cols: 2, Nonzeros: 2, RowMean: 1}
	testkit.Equal(t, chosen(t, r, tiny, Wanted{}).Forecast, nil, "the forecast for a matrix far smaller than all measured")
}

// The first runner-up is the one that helps where the choice fails, though another is the second
// fastest on average.
func TestRunnersUpHelpWhereTheChoiceFails(t *testing.T) {
	f := sparse.Features{Rows: 1, Nonzeros: 1, RowMean: 1}
	var obs []Observation
	for kernel, seconds := range map[string][]float64{
		"choice": {1, 1, 1, 2}, "second": {1.02, 1.02, 1.02, 2}, "helps": {2, 2, 2, 1},
	} {
		for m, s := range seconds {
			obs = append(obs, observe(string(rune('A'+m)), f, config(kernel, 32, 1), s))
		}
	}

	s := learn(t, obs, DefaultOptions).Models[0]
	testkit.Equal(t, s.Root.Choice.Kernel, "choice", "chose")
	testkit.Equal(t, s.Root.Next[0].Kernel, "helps", "next is the one that helps")
	for _, c := range s.Validation.Cases {
		testkit.Equal(t, c.Top3, 1, "%s: part of the oracle that the best of three has", c.Matrix)
	}
}

// A rule of another version may name what a kernel no longer has: no matrix is within that.
func TestNothingIsWithinWhatAKernelLacks(t *testing.T) {
	limits := Limits(kernels.Config{Kernel: "sell_blocks", Precision: kernels.Float32, Block: 128, Params: "columns=16"})
	testkit.Check(t, len(limits) == 1 && len(limits[0]) == 0, "limits are %v", limits)
}
