package store

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// A search that goes on is told of each trial what it was told when it was measured, to the
// bit of a float32, and nothing of others; however many it asks for.
func TestKnown(t *testing.T) {
	db := started(t)
	fine := good("cpu_csr_rows", 32, identity("fine"), between(1.9, 2, 2.2), func(r *trial.Result) {
		r.Samples = []float64{2.1e-3, 1.9e-3, 2e-3}
	})
	wrong := good("cpu_csr_rows", 64, identity("wrong"), failing(trial.Wrong, "row 3 is off"))
	old := good("cpu_sell", 8, identity("old"))
	record(t, db, fine, wrong, old, good("cpu_sell", 8, identity("new"),
		func(r *trial.Result) { r.At = r.At.Add(time.Hour) }),
		final(fine, time.Minute, 2.03), again(fine, 2*time.Minute, 2.5), final(fine, 3*time.Minute, 2.01))
	ids := []string{"fine"}
	for i := range 12_000 { // more than are looked up at once
		ids = append(ids, fmt.Sprint("nobody ", i))
	}
	known, err := db.Recorded(t.Context(), append(ids, "wrong", "old"), trial.Full)
	if err != nil || len(known) != 3 {
		t.Fatalf("%d are known, %v", len(known), err)
	}
	k := known["fine"]
	if k.Status != trial.OK || k.Median != 2e-3 || k.Low != 1.9e-3 || k.High != 2.2e-3 {
		t.Errorf("of a good trial: %+v", k)
	}
	if !slices.EqualFunc(k.Samples, fine.Samples, func(a, b float64) bool { return a == float64(float32(b)) }) {
		t.Errorf("its samples are %v, want %v in this order", k.Samples, fine.Samples)
	}
	if want := []float64{2.03e-3, 2.01e-3}; !slices.EqualFunc(k.Finals(), want, func(a,
		b float64) bool {
		return math.Abs(a-b) < 1e-12
	}) {
		t.Errorf("its finals are %v, want %v: sentinels are none", k.Finals(), want)
	}
	if k := known["wrong"]; k.Status != trial.Wrong || k.Median != 0 || len(k.Samples) > 0 {
		t.Errorf("of a wrong one: %+v", k)
	}
	if k := known["old"]; k.Status != trial.OK { // of its own identity, though another has taken its place
		t.Errorf("of one that was measured anew: %+v", k)
	}
}
