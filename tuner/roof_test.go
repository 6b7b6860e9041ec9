package tuner

import (
	"strings"
	"testing"

	"spmvtune/tuner/trial"
)

// A cold trial that is faster than memory says so in its row.
func TestColdAboveTheRoofIsWarnedOf(t *testing.T) {
	for _, tt := range []struct {
		cache   trial.Cache
		bytes   int64
		roof    float64
		warning bool
	}{
		{trial.Cold, 11e9, 10, true},
		{trial.Cold, 9e9, 10, false},
		{trial.Warm, 11e9, 10, false}, // from the caches, as it should
		{trial.Cold, 11e9, 0, false},  // the roof is not known
	} {
		res := trial.Result{Trial: trial.Trial{Cache: tt.cache}, Median: 1, BytesMin: tt.bytes}
		if got := aboveRoof(res, tt.roof); strings.Contains(got, "above the roof") != tt.warning {
			t.Errorf("%+v: %q", tt, got)
		}
	}

	// The test device's roof is 10 GB/s, and a product of the grid takes 1 ms.
	rec := &memory{}
	sweep := testSweep(behave)
	sweep.Protocol.Cache = "cold"
	runTest(t, sweep, rec, Options{})
	for _, r := range rec.results {
		if above := r.BytesMin > int64(10e9*r.Median); above != strings.Contains(strings.Join(r.Warnings, ";"), "above the roof") {
			t.Errorf("%s: %d bytes in %g s, warnings %q", r.Config, r.BytesMin, r.Median, r.Warnings)
		}
	}
}
