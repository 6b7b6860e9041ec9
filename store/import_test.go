package store

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spmvtune/tuner/trial"
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
	sum, err := db.Import(t.Context(), batches(list...))
	if err != nil {
		t.Fatal(err)
	}
	return sum
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
	if sum != (Imported{New: 9}) {
		t.Errorf("imported %+v, want 9 new ones", sum)
	}
	if a, b := dump(t, one), dump(t, many); a != b {
		t.Errorf("imported\n%s\nrecorded\n%s", b, a)
	}
	for _, q := range []string{"SELECT * FROM best", "SELECT * FROM speedup", "SELECT name, digest FROM kernel",
		"SELECT * FROM features",
		"SELECT name, roof_read, roof_copy FROM device"} {
		if a, b := query(t, one, q).Rows, query(t, many, q).Rows; fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: imported %v, recorded %v", q, b, a)
		}
	}
}

// On a network file system there is no log to tune.
func TestImportWithRollbackJournal(t *testing.T) {
	db, err := open(t.Context(), filepath.Join(t.TempDir(), "results.db"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	imports(t, db, runs()...)
	local := create(t)
	imports(t, local, runs()...)
	if dump(t, db) != dump(t, local) {
		t.Error("it is not what a local database has")
	}
	if mode := one(t, db, "PRAGMA journal_mode"); mode != "delete" {
		t.Errorf("the journal's mode is %v", mode)
	}
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
		if got != want {
			t.Errorf("in the order %v:\n%s\nwant\n%s", order, got, want)
		}
		if n := one(t, db, "SELECT group_concat(identity, ', ') FROM (SELECT * FROM trial WHERE superseded = 1 ORDER BY identity)"); n != "old, too late" {
			t.Errorf("in the order %v: %v are superseded", order, n)
		}
		if n := one(t, db, "SELECT started FROM sweep"); n != int64(500) {
			t.Errorf("in the order %v: the sweep started at %v", order, n)
		}
	}
}

func TestImportAgain(t *testing.T) {
	db := create(t)
	imports(t, db, runs()...)
	before := dump(t, db)
	if sum := imports(t, db, runs()...); sum.New != 0 || sum.Known != 9 {
		t.Errorf("imported again: %+v", sum)
	}
	if dump(t, db) != before {
		t.Error("importing again has changed something")
	}
}

// More than one step's results arrive, and the run that Record records for
// stays what it was.
func TestImportMany(t *testing.T) {
	db := started(t)
	run := testRun()
	run.Sweep.Name = "imported"
	list := []Batch{{Run: &run, Matrices: []trial.Matrix{testMatrix("grid")}}}
	const n = 2*perStep + 7
	var results []trial.Result
	for i := range n {
		results = append(results, good("cpu_csr", i+1, identity(fmt.Sprint(i))))
	}
	for part := range slices.Chunk(results, 999) {
		list = append(list, Batch{Run: &run, Results: part})
	}
	if sum := imports(t, db, list...); sum.New != n {
		t.Errorf("%+v, want %d", sum, n)
	}
	record(t, db, good("cpu_coo", 32))
	if got := query(t, db, "SELECT sweep, count(*) FROM results GROUP BY sweep ORDER BY sweep").Rows; fmt.Sprint(got) != fmt.Sprintf("[[imported %d] [quick 1]]", n) {
		t.Errorf("trials by sweep: %v", got)
	}
}

// What can't be recorded ends an import with the step that it is in, not after all that follows.
func TestImportEndsWithItsFirstError(t *testing.T) {
	run := testRun()
	results := slices.Repeat([]trial.Result{good("cpu_csr", 32, identity("known"))}, perStep)
	results[0] = good("never_heard_of", 32)
	asked := 0
	_, err := create(t).Import(t.Context(), func(yield func(Batch, error) bool) {
		for more := true; more && asked < 3; asked++ {
			more = yield(Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("grid")}, Results: results}, nil)
		}
	})
	if err == nil || asked != 1 {
		t.Errorf("it ended with %v after %d batches, want an error after 1", err, asked)
	}
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
			if n := one(t, db, "SELECT count(*) FROM trial"); n != int64(0) {
				t.Errorf("%v trials are there", n)
			}
		})
	}
	_, err := create(t).Import(t.Context(), func(yield func(Batch, error) bool) { yield(Batch{}, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("a source that fails: %v", err)
	}
}
