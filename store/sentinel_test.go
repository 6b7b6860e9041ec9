package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// again is a sentinel: r measured once more, so much later, so many ms.
func again(r trial.Result, later time.Duration, ms float64) trial.Result {
	r.Sentinel = true
	r.At = r.At.Add(later)
	takes(ms)(&r)
	r.Samples = repeated(ms)
	return r
}

// repeated are 12 samples around a time in ms, all different, within ± 0.2%.
func repeated(ms float64) []float64 {
	var s []float64
	for i := range 12 {
		s = append(s, 1e-3*ms*(1+0.002*(float64(i)-5.5)/5.5))
	}
	return s
}

// A sentinel leaves the result of its trial as it is, also where an import meets it
// first or twice.
func TestSentinelsAreKeptApart(t *testing.T) {
	first := good("cpu_csr", 0)
	late := again(first, time.Minute, 2)
	recorded := started(t)
	record(t, recorded, first, late)
	imported := create(t)
	run := testRun()
	for range 2 {
		batch := Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("grid")}, Results: []trial.Result{late,
			first, late}}
		if _, err := imported.Import(t.Context(), func(yield func(Batch, error) bool) {
			yield(batch,
				nil)
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, db := range []*DB{recorded, imported} {
		if n := one(t, db, "SELECT count(*) FROM trial"); n != int64(1) {
			t.Errorf("%v trials, want 1", n)
		}
		if ms := one(t, db, "SELECT median_ms FROM results"); ms != 1.0 {
			t.Errorf("the trial takes %v ms, want 1", ms)
		}
		if n := one(t, db, "SELECT count(*) FROM sentinel s JOIN trial t ON t.identity = s.identity WHERE s.at = t.measured_at + 60000 AND s.median = 2e-3"); n != int64(1) {
			t.Errorf("%v sentinels, want 1", n)
		}
	}
}

// A drift says which trial each of its points measured again.
func TestDriftsNameTrials(t *testing.T) {
	db := started(t)
	first := good("cpu_csr_rows", 64, takes(1), func(r *trial.Result) { r.Samples = repeated(1) })
	second := good("cpu_csr_rows", 256, takes(2), func(r *trial.Result) {
		r.Samples, r.At = repeated(2),
			r.At.Add(time.Hour)
	})
	record(t, db, first, second, again(first, time.Minute, 1.1), again(second, time.Minute, 2))
	drifts, err := db.Drifts(t.Context())
	if err != nil || len(drifts) != 1 {
		t.Fatalf("drifts %v, %v, want one", drifts, err)
	}
	var got []string
	for _, p := range drifts[0].Points {
		got = append(got, fmt.Sprintf("%s %d %.1f", p.Trial.Kernel, p.Trial.Block, p.Value))
	}
	want := []string{"cpu_csr_rows 64 1.0", "cpu_csr_rows 64 1.1", "cpu_csr_rows 256 1.0", "cpu_csr_rows 256 1.0"}
	if !slices.Equal(got, want) {
		t.Errorf("points %q, want %q", got, want)
	}
	if d := drifts[0]; d.Matrix != "grid" || d.Device == "" || d.Cache != first.Cache {
		t.Errorf("drift of %s on %s, %s cache", d.Matrix, d.Device, d.Cache)
	}
}
