package store

import (
	"math"
	"testing"

	"spmvtune/configs"
	"spmvtune/tuner/trial"
)

func TestPrecisions(t *testing.T) {
	db := started(t)
	stopped := func(why trial.Stop) func(*trial.Result) {
		return func(r *trial.Result) { r.Stop = why }
	}
	record(t, db,
		good("cpu_csr", 32, between(0.9, 1, 1.3), stopped(trial.StopBudget)),
		good("cpu_csr", 64, between(0.98, 1, 1.01)),
		good("cpu_csr", 128, failing(trial.Wrong, "row 7 is off")),
		good("cpu_csr", 256, between(0.5, 1, 1.5), stopped(trial.StopSamples), identity("old")),
		good("cpu_csr", 256, between(0.95, 1, 1.05), stopped(trial.StopSamples), identity("new")),
	)
	again := testRun()
	again.Sweep = &configs.Sweep{Name: "late", Text: []byte("name = \"late\"\n")}
	begin(t, db, again)
	record(t, db, good("cpu_csr", 512, between(0.99, 1, 1.02)))

	got, err := db.Precisions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Precision{
		{"late", "", trial.StopTarget, 0.02},
		{"quick", "", trial.StopBudget, 0.3}, {"quick", "", trial.StopSamples, 0.05}, {"quick", "", trial.StopTarget, 0.02},
	}
	if len(got) != len(want) {
		t.Fatalf("%d trials, want %d: neither the failed nor the superseded one: %v", len(got), len(want), got)
	}
	for i, w := range want {
		g := got[i]
		if g.Sweep != w.Sweep || g.Hash == "" || g.Stop != w.Stop || math.Abs(g.HalfWidth-w.HalfWidth) > 1e-9 {
			t.Errorf("trial %d: %+v, want %+v", i, g, w)
		}
	}
}
