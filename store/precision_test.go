package store

import (
	"math"
	"testing"

	"spmvtune/configs"
	"spmvtune/tuner"
)

func TestPrecisions(t *testing.T) {
	db := started(t)
	stopped := func(why tuner.Stop) func(*tuner.Result) {
		return func(r *tuner.Result) { r.Stop = why }
	}
	record(t, db,
		good("cpu_csr", 32, between(0.9, 1, 1.3), stopped(tuner.StopBudget)),
		good("cpu_csr", 64, between(0.98, 1, 1.01)),
		good("cpu_csr", 128, failing(tuner.Wrong, "row 7 is off")),
		good("cpu_csr", 256, between(0.5, 1, 1.5), stopped(tuner.StopSamples), identity("old")),
		good("cpu_csr", 256, between(0.95, 1, 1.05), stopped(tuner.StopSamples), identity("new")),
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
		{"late", "", tuner.StopTarget, 0.02},
		{"quick", "", tuner.StopBudget, 0.3}, {"quick", "", tuner.StopSamples, 0.05}, {"quick", "", tuner.StopTarget, 0.02},
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
