// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// dump is all that the database says about its trials, by identity.
func dump(t *testing.T, db *DB) string {
	t.Helper()
	return fmt.Sprint(query(t, db, `SELECT t.identity, s.hash, s.started > 0, d.name, m.name, k.name, k.digest, t.precision, t.block, t.grid,
		t.params, t.cache, t.status, t.superseded, t.median, t.low, t.high, t.log_median, t.samples, t.batch, t.stop, t.prepare,
		t.max_error, t.worst_row, t.bytes_min, t.bytes_kernel, t.properties, t.warnings, t.message, t.measured_at, t.asked, hex(x.data),
		o.node, o.uuid, o.job, r.sm_clock, r.memory_clock, r.temperature, r.power, r.energy, r.clock_reasons, r.repeated, r.throttled
		FROM trial t JOIN sweep s ON s.id = t.sweep JOIN device d ON d.id = t.device JOIN matrix m ON m.id = t.matrix
		JOIN kernel k ON k.id = t.kernel LEFT JOIN sample x ON x.trial = t.id
		LEFT JOIN origin o ON o.id = t.origin LEFT JOIN reading r ON r.trial = t.id ORDER BY t.identity`).Rows)
}

// at sets when a trial was measured, in seconds after the others.
func at(seconds int) func(*trial.Result) {
	return func(r *trial.Result) { r.At = r.At.Add(time.Duration(seconds) * time.Second) }
}

func batches(list ...Batch) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for _, b := range list {
			if !yield(b, nil) {
				return
			}
		}
	}
}

func imports(t *testing.T, db *DB, list ...Batch) Imported {
	t.Helper()
	return testkit.Must(db.Import(t.Context(), batches(list...)))
}

// runs are two runs, the second with another source of cpu_csr, each with trials
// that fail, are measured twice, and supersede one another.
func runs() []Batch {
	first, second := testRun(), testRun()
	second.Sources["cpu_csr"] = "2"
	second.Roof.Read = 30
	second.Origin.Node = "n2"
	matrices := []trial.Matrix{testMatrix("grid"), testMatrix("other")}
	return []Batch{
		{Run: &first, Started: time.UnixMilli(1_000), Matrices: matrices[:1], Results: []trial.Result{
			good("cpu_csr", 32, at(1), identity("old")), good("cpu_csr", 64, at(9), identity("in force")),
			good("cpu_sell", 32, failing(trial.Fault, "first"), at(1)), good("cpu_sell", 64,
				failing(trial.Fault, "early")),
		}},
		{Run: &first, Started: time.UnixMilli(1_000), Matrices: matrices[1:],
			Results: []trial.Result{good("cpu_coo", 32, on("other"))}},
		{Run: &second, Started: time.UnixMilli(500), Matrices: matrices[:1], Results: []trial.Result{
			good("cpu_csr", 32, takes(2), at(2), identity("new"), sensed), good("cpu_csr", 64, takes(2), at(8),
				identity("too late")),
			good("cpu_sell", 32, failing(trial.OOM, "second"), at(2)), good("cpu_sell", 64, at(-5)),
		}},
	}
}

// Import leaves what Begin, Matrix and Record would.
func TestImportIsRecord(t *testing.T) {
	one, many := create(t), create(t)
	for _, b := range runs() {
		begin(t, one, *b.Run)
		for _, m := range b.Matrices {
			describe(t, one, m)
		}
		record(t, one, b.Results...)
	}
	sum := imports(t, many, runs()...)
	testkit.Equal(t, sum, (Imported{New: 9}), "imported")
	testkit.Equal(t, dump(t, one), dump(t, many), "imported")
	for _, q := range []string{"SELECT * FROM best", "SELECT * FROM speedup", "SELECT name, digest FROM kernel",
		"SELECT * FROM features",
		"SELECT name, roof_read, roof_copy FROM device"} {
		testkit.Equal(t, fmt.Sprint(query(t, one, q).Rows), fmt.Sprint(query(t, many, q).Rows), "%s: imported", q)
	}
}

// A repeat run that comes before its trial, in a batch or a journal before it, unsettles the ties of the trial's matrix
// in every precision, as one does that comes after it.
func TestRerunBeforeItsTrialUnsettlesTies(t *testing.T) {
	double := func(r *trial.Result) { r.Precision = kernels.Float64 }
	late := good("cpu_csr", 0, sampled(1))
	rerun := again(late, time.Minute, 2)
	run := testRun()
	batch := func(results ...trial.Result) Batch {
		return Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("grid")}, Results: results}
	}
	for name, come := range map[string]func(*DB){
		"recorded":         func(db *DB) { record(t, db, late, rerun) },
		"imported":         func(db *DB) { imports(t, db, batch(late, rerun)) },
		"imported, before": func(db *DB) { imports(t, db, batch(rerun, late)) },
		"recorded, before": func(db *DB) { record(t, db, rerun, late) },
	} {
		db := started(t)
		record(t, db, good("cpu_sell", 8, sampled(1), double))
		decideAll(t, db)
		come(db)
		gives(t, db, "SELECT count(*) FROM tie_set", int64(0), "%s: places stay decided", name)
	}
}

// On a network file system there is no log to tune.
func TestImportWithRollbackJournal(t *testing.T) {
	db := testkit.Must(open(t.Context(), filepath.Join(t.TempDir(), "results.db"), true))
	defer db.Close()
	imports(t, db, runs()...)
	local := create(t)
	imports(t, local, runs()...)
	testkit.Equal(t, dump(t, db), dump(t, local), "it is not what a local database has")
	gives(t, db, "PRAGMA journal_mode", "delete", "the journal's mode")
}

func TestImportInAnyOrder(t *testing.T) {
	want := ""
	list := runs()
	list[1].Matrices = append(list[1].Matrices, testMatrix("grid")) // in any order they are known
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {2, 1, 0, 2, 0}} {
		db := create(t)
		for _, i := range order {
			imports(t, db, list[i])
		}
		got := dump(t, db)
		if want == "" {
			want = got
		}
		testkit.Equal(t, got, want, "in the order %v", order)
		gives(t, db, "SELECT group_concat(identity, ', ') FROM (SELECT * FROM trial WHERE superseded = 1 ORDER BY identity)", "old, too late", "in the order %v", order)
		gives(t, db, "SELECT started FROM sweep", int64(500), "in the order %v: the sweep started at", order)
	}
}

func TestImportAgain(t *testing.T) {
	db := create(t)
	imports(t, db, runs()...)
	before := dump(t, db)
	sum := imports(t, db, runs()...)
	testkit.Check(t, sum.New == 0 && sum.Known == 9, "imported again: %+v", sum)
	testkit.Equal(t, dump(t, db), before, "importing again has changed something")
}

// All results arrive, and the run that Record records for
// stays what it was.
func TestImportMany(t *testing.T) {
	db := started(t)
	run := testRun()
	run.Sweep.Name = "imported"
	list := []Batch{{Run: &run, Matrices: []trial.Matrix{testMatrix("grid")}}}
	const n = 2*perBatch + 7
	var results []trial.Result
	for i := range n {
		results = append(results, good("cpu_csr", i+1, identity(fmt.Sprint(i))))
	}
	for part := range slices.Chunk(results, 99) {
		list = append(list, Batch{Run: &run, Results: part})
	}
	testkit.Equal(t, imports(t, db, append(list, list[len(list)-1])...), Imported{New: n, Known: n % 99}, "trials")
	record(t, db, good("cpu_coo", 32))
	testkit.Equal(t, fmt.Sprint((query(t, db, "SELECT sweep, count(*) FROM results GROUP BY sweep ORDER BY sweep").Rows)), fmt.Sprintf("[[imported %d] [quick 1]]", n), "trials by sweep")
}

// What can't be recorded ends an import with its batch, not after all that follows.
func TestImportEndsWithItsFirstError(t *testing.T) {
	run := testRun()
	results := slices.Repeat([]trial.Result{good("cpu_csr", 32, identity("known"))}, perBatch)
	results[0] = good("never_heard_of", 32)
	asked := 0
	_, err := create(t).Import(t.Context(), func(yield func(Batch, error) bool) {
		for more := true; more && asked < 3; asked++ {
			more = yield(Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("grid")}, Results: results}, nil)
		}
	})
	testkit.Check(t, err != nil && asked == 1, "it ended with %v after %d batches, want an error after 1", err, asked)
}

func TestImportRefuses(t *testing.T) {
	run := testRun()
	broken := errors.New("broken")
	matrix := []trial.Matrix{testMatrix("grid")}
	results := []trial.Result{good("cpu_csr", 32)}
	for _, tt := range []struct {
		name  string
		batch Batch
	}{
		{"no run", Batch{Matrices: matrix, Results: results}},
		{"no matrix", Batch{Run: &run, Results: results}},
		{"no kernel", Batch{Run: &run, Matrices: matrix, Results: []trial.Result{good("never_heard_of", 32)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := create(t)
			if sum, err := db.Import(t.Context(), batches(tt.batch)); err == nil || sum != (Imported{}) {
				t.Errorf("imported %+v, %v", sum, err)
			}
			gives(t, db, "SELECT count(*) FROM trial", int64(0), "trials are there")
		})
	}
	_, err := create(t).Import(t.Context(), func(yield func(Batch, error) bool) { yield(Batch{}, broken) })
	testkit.Check(t, errors.Is(err, broken), "a source that fails: %v", err)
}

// gather makes a database of what databases hold.
func gather(t *testing.T, choice Choice, from ...*DB) *DB {
	t.Helper()
	var names []string
	for _, db := range from {
		names = append(names, db.Path())
	}
	db := testkit.Must(Gather(t.Context(), filepath.Join(t.TempDir(), "gathered.db"), names, choice))
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
		"SELECT count(*) FROM rerun":                                                             int64(1),
		"SELECT max(sm_mhz) FROM telemetry":                                                      int64(1000),
		"SELECT count(*) FROM tie_set":                                                           int64(2),
		"SELECT count(*) FROM kernel WHERE name = 'cpu_csr'":                                     int64(2),
	} {
		gives(t, db, query, want, "%s", query)
	}
	var broken int
	err := db.write.QueryRow("SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken)
	testkit.Check(t, err == nil && broken == 0, "%d rows refer to nothing, %v", broken, err)
	gives(t, a, "SELECT count(*) FROM results", int64(2), "gathering changed what it read: trials")
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
		testkit.EqualLists(t, gather(t, Choice{}, c.order...).Twice(), c.want, "what is there twice")
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
		n := one(t, db, "SELECT count(*) FROM rerun")
		testkit.Check(t, n == c.want, "%v repeats with kernels %v, want %d", n, c.kernels, c.want)
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
				"SELECT count(*) FROM rerun":                                int64(4),
				"SELECT runs FROM results WHERE kernel = 'cpu_csr'":         int64(4),
				"SELECT count(*) FROM rerun WHERE origin IS NOT NULL":       int64(4),
				"SELECT count(*) FROM origin":                               int64(1),
				"SELECT count(*) FROM results WHERE kernel <> 'cpu_coo'":    int64(2),
				"SELECT kernel || ' ' || tie_size || ' ' || runs FROM best": "cpu_csr 1 4",
			} {
				gives(t, db, query, want, "%s", query)
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
		gives(t, db, "SELECT group_concat(kernel || ' ' || matrix) FROM (SELECT * FROM results ORDER BY kernel, matrix)", c.want, "%+v", c.choice)
		// The best of what is chosen, not what is chosen of the best.
		gives(t, db, "SELECT count(*) FROM best", int64(1), "%+v: best configurations", c.choice)
	}
	_, err := Gather(t.Context(), filepath.Join(t.TempDir(), "gathered.db"), []string{a.Path()},
		Choice{Kernels: []string{"cpu_xsr"}})
	testkit.Fails(t, err, `no trials for kernel "cpu_xsr": did you mean "cpu_csr"?`)
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
	db := testkit.Must(Gather(t.Context(), filepath.Join(t.TempDir(), "all.db"), paths, Choice{}))
	defer db.Close()
	list := testkit.Must(db.Features(t.Context()))
	testkit.Check(t, len(list) == 1 && list[0].FeaturesSeconds == 0.25,
		"matrices %+v, want one whose features took 0.25 s", list)
}
