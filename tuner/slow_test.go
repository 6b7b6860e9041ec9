package tuner

import (
	"slices"
	"testing"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// The best so far is that of the same matrix, precision and cache state, also where an
// earlier run measured it.
func TestSlowIsAgainstTheBestSoFar(t *testing.T) {
	for _, gpu := range []bool{false, true} {
		rec := &memory{}
		sweep := func(blocks ...int) *configs.Sweep {
			s := testSweep(blocks...)
			if gpu {
				s = onGPU(s)
			}
			s.Protocol.Slow, s.Protocol.Cache = 3, "both"
			s.Kernels[0].Precisions = []kernels.Precision{kernels.Float32, kernels.Float64}
			return s
		}
		only := sweep(101)
		only.Kernels[0].Precisions = only.Kernels[0].Precisions[:1]
		runTest(t, only, rec, Options{})
		runTest(t, sweep(101, crawl), rec, Options{})
		for _, r := range rec.results {
			first := slices.IndexFunc(rec.results, func(o trial.Result) bool { return placeOf(o.Trial) == placeOf(r.Trial) })
			slow := r.Block == crawl && rec.results[first].Block != crawl
			if r.Precision == kernels.Float32 && r.Block == crawl && !slow {
				t.Errorf("%v, %s: measured before what was recorded first", r.Config, r.Cache)
			}
			if got := r.Stop == trial.StopSlow; got != slow {
				t.Errorf("%v, %s: stopped by %s after %d samples", r.Config, r.Cache, r.Stop, len(r.Samples))
			}
		}
	}
}
