package store

import (
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

func decideAll(t testing.TB, db *DB) int {
	t.Helper()
	n, err := db.DecideTies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sampled sets the samples, in ms around a time, and what follows from them.
func sampled(ms float64) func(*trial.Result) {
	return func(r *trial.Result) {
		takes(ms)(r)
		r.Samples = repeated(ms)
	}
}

// Where nothing was measured again, intervals within the run tell trials apart.
func TestSettledTies(t *testing.T) {
	wide := func(r *trial.Result) { r.Low, r.High = 0.5*r.Median, 2*r.Median }
	grid := func(n int) func(*trial.Result) { return func(r *trial.Result) { r.Grid = n } }
	for _, tt := range []struct {
		name   string
		trials []trial.Result
		want   string
	}{
		{"one trial", []trial.Result{good("cpu_csr_rows", 32)}, "cpu_csr_rows 32 NaN% 1"},
		{"intervals meet", []trial.Result{
			good("cpu_sell", 8, sampled(1), wide), good("cpu_csr_rows", 64, sampled(1.04), wide),
			good("cpu_csr", 0, sampled(2.5)),
		}, "cpu_sell 8 150% 2"},
		{"intervals do not meet, but the difference does not count", []trial.Result{
			good("cpu_sell", 256, sampled(1)), good("cpu_csr_rows", 64, sampled(1.009)), good("cpu_csr", 0,
				sampled(1.02)),
		}, "cpu_sell 256 2% 2"},
		{"intervals that are too wide to tell", []trial.Result{
			good("cpu_sell", 256, takes(1), wide), good("cpu_csr_rows", 64, takes(1.04), wide), good("cpu_csr",
				0, takes(9)),
		}, "cpu_sell 256 800% 2"},
		{"robust among neighbours in block and grid", []trial.Result{
			good("cpu_csr_rows", 32, sampled(3)), good("cpu_csr_rows", 64, sampled(1)), good("cpu_csr_rows",
				128, sampled(3)),
			good("cpu_csr_rows", 2048, sampled(1.005), grid(4)), good("cpu_csr_rows", 2048, sampled(1.2),
				grid(2)), good("cpu_csr_rows", 2048, sampled(1.2), grid(8)),
		}, "cpu_csr_rows 2048 20% 2"},
		{"of equal ones the common block size", []trial.Result{
			good("cpu_csr_rows", 64, sampled(1)), good("cpu_csr_rows", 128,
				sampled(1.002)), good("cpu_csr_rows", 1024, sampled(1.001)),
		}, "cpu_csr_rows 128 NaN% 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := started(t)
			record(t, db, tt.trials...)
			if n := decideAll(t, db); n != 1 {
				t.Errorf("decided in %d places, want 1", n)
			}
			if got := bestOf(t, db); got != tt.want {
				t.Errorf("best is %q, want %q", got, tt.want)
			}
			if n := decideAll(t, db); n != 0 {
				t.Errorf("decided again in %d places", n)
			}
		})
	}
}

// Where trials repeat badly, the name still goes to one that is as fast as the fastest, not to
// any that can't be told from it.
func TestNamedIsFastWhereTrialsRepeatBadly(t *testing.T) {
	db := started(t)
	record(t, db, noisy("grid", 10, 1.1)...)
	record(t, db, good("cpu_sell", 64, takes(1)), good("cpu_coo", 256, takes(1.02)))
	decideAll(t, db)
	if got, want := bestOf(t, db), "cpu_sell 64 900% 2"; got != want {
		t.Errorf("best is %q, want %q", got, want)
	}
}

// What is recorded later is seen at once, and only its own place is decided again.
func TestNothingStale(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("other"))
	record(t, db, good("cpu_sell", 8, sampled(1)), good("cpu_sell", 8, sampled(1), on("other")))
	decideAll(t, db)
	for i, change := range []func(){
		func() { record(t, db, good("cpu_csr", 0, sampled(0.5))) },
		func() { // the same configuration, under another protocol
			record(t, db, good("cpu_csr", 0, sampled(0.7), identity("new"),
				func(r *trial.Result) { r.At = r.At.Add(time.Hour) }))
		},
		func() { record(t, db, again(good("cpu_sell", 8, sampled(1)), time.Minute, 1)) },
		func() {
			if _, err := db.write.Exec("DELETE FROM sample WHERE trial = 3; DELETE FROM trial WHERE id = 3"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		change()
		if n := one(t, db, "SELECT count(*) FROM tie_set"); n != int64(1) {
			t.Errorf("change %d: %v places decided, want 1", i, n)
		}
		if n := one(t, db, "SELECT count(*) FROM tie_member"); n != int64(1) {
			t.Errorf("change %d: %v members, want 1", i, n)
		}
		before := one(t, db, "SELECT kernel || ' ' || median_ms FROM best WHERE matrix = 'grid'")
		if want := []string{"cpu_csr 0.5", "cpu_csr 0.7", "cpu_csr 0.7", "cpu_csr 0.5"}[i]; before != want && i < 3 {
			t.Errorf("change %d: best is %v, want %v", i, before, want)
		}
		if n := decideAll(t, db); n != 1 {
			t.Errorf("change %d: decided in %d places, want 1", i, n)
		}
	}
}

// A device that has become slower is no reason to call a later trial slow; one whose
// sentinels scatter makes small differences count for nothing.
func TestTiesUnderDrift(t *testing.T) {
	later := func(minutes int) func(*trial.Result) {
		return func(r *trial.Result) { r.At = r.At.Add(time.Duration(minutes) * time.Minute) }
	}
	for _, tt := range []struct {
		name      string
		second    float64   // ms, measured after four minutes
		sentinels []float64 // ms, each minute; 1.1 at first
		want      string
	}{
		{"steady", 1.1, []float64{1.1, 1.1, 1.1, 1.1}, "cpu_csr_rows 128 4.762% 1"},
		{"drifting", 1.1, []float64{1.1, 1.155, 1.155, 1.155}, "cpu_csr_rows 256 5% 2"},
		{"steady, a small difference", 1.07, []float64{1.1, 1.1, 1.1, 1.1}, "cpu_csr_rows 128 1.905% 1"},
		{"scattered, a small difference", 1.065, []float64{1.12, 1.1, 1.12, 1.1}, "cpu_csr_rows 256 4.762% 2"},
	} {
		db := started(t)
		watch := good("cpu_sell", 8, sampled(1.1))
		record(t, db, watch, good("cpu_csr_rows", 128, sampled(1.05)), good("cpu_csr_rows", 256,
			sampled(tt.second), later(4)))
		for i, ms := range tt.sentinels {
			record(t, db, again(watch, time.Duration(i+1)*time.Minute, ms))
		}
		decideAll(t, db)
		if got := bestOf(t, db); got != tt.want {
			t.Errorf("%s: best is %q, want %q", tt.name, got, tt.want)
		}
	}
}
