package store

import (
	"testing"

	"spmvtune/tuner/trial"
)

func TestLaunches(t *testing.T) {
	db := started(t)
	facts := func(occupancy float64) func(*trial.Result) {
		return func(r *trial.Result) { r.Properties = map[string]float64{"occupancy": occupancy} }
	}
	record(t, db,
		good("coo_atomic", 32, takes(3), facts(0.25)),
		good("coo_atomic", 64, takes(2), facts(0.5)),
		good("coo_atomic", 128, failing(trial.Wrong, "row 7 is off")),
		good("coo_atomic", 256, takes(1), facts(0.9), identity("old")),
		good("coo_atomic", 256, takes(4), facts(1), identity("new"), later),
		good("cpu_csr", 0, takes(0.5)),
	)
	got, err := db.Launches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[1].Kernel != "cpu_csr" {
		t.Fatalf("%d launches, want one of each kernel: %+v", len(got), got)
	}
	if l := got[0]; l.Kernel != "coo_atomic" || l.Matrix != "grid" || l.Block != 64 || l.Properties["occupancy"] != 0.5 {
		t.Errorf("launch %+v, want that of block 64: the fastest that is in force", l)
	}
}
