package chart

import (
	"testing"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// Whiskers reach where another run may find the throughput, not where this run's samples lie.
func TestWhiskersAreOfOtherRuns(t *testing.T) {
	r := store.Row{Time: 2, Another: trial.Interval{Low: 1, High: 4}}
	r.Median, r.Low, r.High = 1.9, 1.8, 2
	if p := Throughput(&r, 0, 10); p.Y != 10 || p.Low != 5 || p.High != 20 {
		t.Errorf("%+v, want 10 from 5 to 20", p)
	}
	r.Another = trial.Interval{}
	if p := Throughput(&r, 0, 10); p.Low != 10 || p.High != 10 {
		t.Errorf("without an interval: %+v", p)
	}
}
