package store

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// gather makes a database of what databases hold.
func gather(t *testing.T, choice Choice, from ...*DB) *DB {
	t.Helper()
	var names []string
	for _, db := range from {
		names = append(names, db.Path())
	}
	db, err := Gather(t.Context(), filepath.Join(t.TempDir(), "gathered.db"), names, choice)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestGatherDevices: two devices that measured a matrix under different names are side
// by side on it, with samples, sensors, sentinels and what kernels they ran.
func TestGatherDevices(t *testing.T) {
	a := started(t)
	record(t, a, good("cpu_csr", 64), good("cpu_sell", 32, failing(trial.Timeout, "too slow")))
	b := create(t)
	run := testRun()
	run.Device.Name, run.Device.Backend, run.Sources = "GPU 1", "cuda", map[string]string{"cpu_csr": "2",
		"coo_atomic": "1"}
	run.Sweep.Name = "other"
	begin(t, b, run)
	same := testMatrix("grid")
	same.Name = "the_grid"
	describe(t, b, same)
	gpu := good("cpu_csr", 128, func(r *trial.Result) { r.Telemetry = &trial.Telemetry{SMClock: 1000} })
	record(t, b, gpu, good("coo_atomic", 256))
	again := gpu
	again.Sentinel = true
	record(t, b, again)

	db := gather(t, Choice{}, a, b)
	for query, want := range map[string]any{
		"SELECT count(*) FROM results": int64(4),
		"SELECT group_concat(DISTINCT device) FROM (SELECT device FROM results ORDER BY device)": "GPU 1,Testcore 9000",
		"SELECT count(DISTINCT matrix) FROM results":                                             int64(1),
		"SELECT count(*) FROM sample":                                                            int64(3),
		"SELECT count(*) FROM sentinel":                                                          int64(1),
		"SELECT max(sm_mhz) FROM telemetry":                                                      int64(1000),
		"SELECT count(*) FROM tie_set":                                                           int64(2),
		"SELECT count(*) FROM kernel WHERE name = 'cpu_csr'":                                     int64(2),
	} {
		if got := one(t, db, query); got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	var broken int
	if err := db.write.QueryRow("SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil || broken > 0 {
		t.Errorf("%d rows refer to nothing, %v", broken, err)
	}
	if got := one(t, a, "SELECT count(*) FROM results"); got != int64(2) {
		t.Errorf("gathering changed what it read: %v trials", got)
	}
}

// TestGatherSameTrials: of a trial that failed in one and not in the other, the good one
// is taken; of a configuration, the latest counts, whichever database comes first.
func TestGatherSameTrials(t *testing.T) {
	a, b := started(t), started(t)
	record(t, a, good("cpu_csr", 64, identity("x"), failing(trial.Fault, "broke")), good("cpu_coo", 0,
		identity("old"), takes(5)))
	record(t, b, good("cpu_csr", 64, identity("x"), takes(3)), good("cpu_coo", 0, identity("new"), takes(7),
		func(r *trial.Result) { r.At = r.At.Add(1e9) }))
	for _, order := range [][]*DB{{a, b}, {b, a}} {
		db := gather(t, Choice{}, order...)
		if got := one(t, db, "SELECT group_concat(status || ' ' || round(median_ms)) FROM (SELECT * FROM results ORDER BY kernel, median_ms)"); got != "ok 5.0,ok 7.0,ok 3.0" {
			t.Errorf("trials: %v", got)
		}
		rows, err := db.Results(t.Context(), Filter{Kernel: "cpu_coo"})
		if err != nil || len(rows) != 1 || rows[0].Median != 7e-3 {
			t.Errorf("in force: %v, %v", rows, err)
		}
	}
}

// Where two databases have measured a trial, it is said whose measurement counts; a copy is no other measurement.
func TestGatherTwice(t *testing.T) {
	a, b := started(t), started(t)
	record(t, a, good("cpu_csr", 64, identity("x")), good("cpu_coo", 0, identity("y")), good("cpu_sell", 8, identity("z")))
	later := func(r *trial.Result) { r.At = r.At.Add(time.Minute) }
	record(t, b, good("cpu_csr", 64, identity("x"), later), good("cpu_coo", 0, identity("y"), later))
	for _, c := range []struct {
		order []*DB
		want  []Twice
	}{
		{[]*DB{a, b}, []Twice{{b.Path(), 0, 2}}}, {[]*DB{b, a}, []Twice{{a.Path(), 2, 0}}}, {[]*DB{a, a}, nil},
	} {
		if got := gather(t, Choice{}, c.order...).Twice(); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

// Repeats come along whose trial is in another database, and not those of trials that are left out.
func TestGatherRepeatsOfOtherTrials(t *testing.T) {
	a, b := started(t), started(t)
	first := good("cpu_csr", 64, sampled(1))
	record(t, a, first)
	record(t, b, good("cpu_sell", 8), again(first, time.Minute, 1))
	for _, c := range []struct {
		kernels []string
		want    int64
	}{{nil, 1}, {[]string{"cpu_sell"}, 0}} {
		db := gather(t, Choice{Kernels: c.kernels}, a, b)
		if n := one(t, db, "SELECT count(*) FROM sentinel"); n != c.want {
			t.Errorf("%v repeats with kernels %v, want %d", n, c.kernels, c.want)
		}
	}
}

// A trial that several databases have is the one that was measured first, with all that belongs to
// it, and all of its repeats count, whichever database comes first.
func TestGatherIsAlike(t *testing.T) {
	a, b, c := started(t), started(t), started(t)
	first := good("cpu_csr", 64, identity("x"), takes(3), func(r *trial.Result) {
		r.Telemetry = &trial.Telemetry{SMClock: 1755}
	})
	later := good("cpu_csr", 64, identity("x"), takes(4), func(r *trial.Result) { r.At = r.At.Add(time.Hour) })
	record(t, a, first, good("cpu_sell", 8, takes(5)), spreads(first, 2*time.Minute, 3.1))
	record(t, b, later, spreads(later, 2*time.Minute, 4.1))
	record(t, c, good("cpu_coo", 0, takes(6)), final(first, 4*time.Minute, 3.3), final(first, 5*time.Minute, 3.4))
	for _, choice := range []Choice{{}, {Kernels: []string{"cpu_csr", "cpu_sell"}}} {
		for _, order := range [][]*DB{{a, b, c}, {b, a, c}, {c, b, a}, {b, c, a}} {
			db := gather(t, choice, order...)
			for query, want := range map[string]any{
				"SELECT median_ms FROM results WHERE kernel = 'cpu_csr'":    3.0,
				"SELECT sm_mhz FROM telemetry WHERE kernel = 'cpu_csr'":     int64(1755),
				"SELECT count(*) FROM sentinel":                             int64(4),
				"SELECT runs FROM results WHERE kernel = 'cpu_csr'":         int64(4),
				"SELECT count(*) FROM sentinel WHERE origin IS NOT NULL":    int64(4),
				"SELECT count(*) FROM origin":                               int64(1),
				"SELECT count(*) FROM results WHERE kernel <> 'cpu_coo'":    int64(2),
				"SELECT kernel || ' ' || tie_size || ' ' || runs FROM best": "cpu_csr 1 4",
			} {
				if got := one(t, db, query); got != want {
					t.Errorf("%s: %v, want %v", query, got, want)
				}
			}
		}
	}
}

func TestGatherChoice(t *testing.T) {
	a := started(t)
	describe(t, a, testMatrix("other"))
	record(t, a, good("cpu_csr", 64, takes(1)), good("cpu_csr_rows", 64, takes(2)), good("cpu_sell", 8, takes(3)),
		good("cpu_sell", 8, on("other"), identity("y"), func(r *trial.Result) { r.Precision = kernels.Float64 }))
	for _, c := range []struct {
		choice Choice
		want   string
	}{
		{Choice{Kernels: []string{"cpu_csr*"}}, "cpu_csr grid,cpu_csr_rows grid"},
		{Choice{Kernels: []string{"cpu_s???", "cpu_csr"}, Matrices: []string{"grid"}}, "cpu_csr grid,cpu_sell grid"},
		{Choice{Devices: []string{"testcore"}, Precisions: []string{"float64"}}, "cpu_sell other"},
	} {
		db := gather(t, c.choice, a)
		if got := one(t, db, "SELECT group_concat(kernel || ' ' || matrix) FROM (SELECT * FROM results ORDER BY kernel, matrix)"); got != c.want {
			t.Errorf("%+v: %v, want %s", c.choice, got, c.want)
		}
		// The best of what is chosen, not what is chosen of the best.
		if got := one(t, db, "SELECT count(*) FROM best"); got != int64(1) {
			t.Errorf("%+v: %v best configurations", c.choice, got)
		}
	}
	_, err := Gather(t.Context(), filepath.Join(t.TempDir(), "gathered.db"), []string{a.Path()},
		Choice{Kernels: []string{"cpu_xsr"}})
	if err == nil || !strings.Contains(err.Error(), "cpu_csr_rows") {
		t.Errorf("error %v does not say which kernels there are", err)
	}
}

// What reading the features of a matrix took is gathered with it; one that does not tell
// takes nothing away.
func TestGatherFeaturesSeconds(t *testing.T) {
	var paths []string
	for _, seconds := range []float64{0.25, 0} {
		db := create(t)
		begin(t, db, testRun())
		m := testMatrix("grid")
		m.FeaturesSeconds = seconds
		describe(t, db, m)
		record(t, db, good("cpu_csr", 32))
		paths = append(paths, db.Path())
	}
	db, err := Gather(t.Context(), filepath.Join(t.TempDir(), "all.db"), paths, Choice{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if list, err := db.Features(t.Context()); err != nil || len(list) != 1 || list[0].FeaturesSeconds != 0.25 {
		t.Errorf("matrices %+v (%v), want one whose features took 0.25 s", list, err)
	}
}
