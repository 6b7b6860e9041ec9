package tuner

import (
	"strings"
	"testing"
	"time"

	"spmvtune/kernels"
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

	// In a run it is the roof that the run has measured.
	rec := &memory{}
	sweep := testSweep(behave, tooFast)
	sweep.Protocol.Cache = "cold"
	runTest(t, sweep, rec, Options{})
	for block, want := range map[int]bool{behave: false, tooFast: true} {
		warnings := strings.Join(rec.by(t, block).Warnings, ";")
		if strings.Contains(warnings, "above the roof") != want {
			t.Errorf("block %d: warnings %q", block, warnings)
		}
	}
}

// A processor that is not done with its bandwidth in time measures without it.
func TestRunWithoutRoof(t *testing.T) {
	defer func(before time.Duration) { roofTimeout = before }(roofTimeout)
	roofTimeout = time.Millisecond
	rec := &memory{}
	sweep := testSweep(behave)
	sweep.Device.Index = roofless
	var said []error
	runTest(t, sweep, rec, Options{Observe: func(e Event) {
		if e.Roofless != nil {
			said = append(said, e.Roofless)
		}
	}})
	if rec.by(t, behave).Status != trial.OK || rec.begun != 1 || rec.run.Roof != (kernels.Roof{}) || len(said) != 1 {
		t.Errorf("run %+v, begun %d times, said %q, results %+v", rec.run, rec.begun, said, rec.results)
	}
}
