package store

import (
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// throttled says that the device throttled while r was measured.
func throttled(r trial.Result) trial.Result {
	r.Telemetry = &trial.Telemetry{Throttled: 1}
	return r
}

// What repeat runs take on a throttled device says nothing of the configuration.
func TestThrottledFinalsDoNotDecide(t *testing.T) {
	db := started(t)
	first, second := good("cpu_csr_rows", 64, sampled(1)), good("cpu_csr_rows", 256, sampled(1.04))
	record(t, db, first, second)
	for i := range 6 {
		wobble, at := []float64{0.999, 1.001}[i%2], time.Duration(2*i+1)*time.Minute
		record(t, db, final(first, at, wobble), final(second, at, 1.04*wobble),
			throttled(final(first, at+time.Minute, 1.5*wobble)))
	}
	decideAll(t, db)
	if got, want := bestOf(t, db), "cpu_csr_rows 64 4% 1"; got != want {
		t.Errorf("best is %q, want %q", got, want)
	}
}

// A sentinel that the device throttled shows no drift of all others.
func TestThrottledSentinelsShowNoDrift(t *testing.T) {
	db := started(t)
	first := good("cpu_csr_rows", 64, sampled(1))
	record(t, db, first, again(first, time.Minute, 1), throttled(again(first, 2*time.Minute, 1.5)),
		again(first, 3*time.Minute, 1))
	drifts, err := db.Drifts(t.Context())
	if err != nil || len(drifts) != 1 || len(drifts[0].Points) != 3 {
		t.Errorf("drifts %+v, %v, want one of the trial and two sentinels", drifts, err)
	}
}
