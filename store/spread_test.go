package store

import (
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// spreads is r measured again to see how much repeating moves it, so much later, so many ms.
func spreads(r trial.Result, later time.Duration, ms float64) trial.Result {
	r = again(r, later, ms)
	r.Sentinel, r.Spread = false, true
	return r
}

// Such a repeat keeps its mark, also through Gather. It is no sentinel, and tells no drift.
func TestSpreadRepeatsKeepTheirMark(t *testing.T) {
	db := started(t)
	first := good("cpu_csr_rows", 64, takes(1))
	record(t, db, first, spreads(first, time.Minute, 1.1), spreads(first, 2*time.Minute, 1.2))
	gathered, err := Gather(t.Context(), t.TempDir()+"/all.db", []string{db.Path(), db.Path()}, Choice{})
	if err != nil {
		t.Fatal(err)
	}
	defer gathered.Close()
	for _, db := range []*DB{db, gathered} {
		known, err := db.Recorded(t.Context(), []string{first.ID}, trial.Full)
		if err != nil || len(known[first.ID].Repeats) != 2 {
			t.Fatalf("known are %v, %v", known, err)
		}
		for _, r := range known[first.ID].Repeats {
			if !r.Spread || r.Sentinel || r.Final {
				t.Errorf("marks are %v, %v, %v, want only spread", r.Spread, r.Sentinel, r.Final)
			}
		}
		if drifts, err := db.Drifts(t.Context()); err != nil || len(drifts) != 0 {
			t.Errorf("drifts %v, %v, want none", drifts, err)
		}
	}
}
