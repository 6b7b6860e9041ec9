// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// A database that is open for reading refuses whatever would write.
func TestReadersWriteNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	full := testkit.Must(Open(path))
	begin(t, full, testRun())
	testkit.Succeed(t, full.Close())
	db := testkit.Must(OpenReadOnly(path))
	defer db.Close()
	for i, write := range writings(t.Context(), db) {
		testkit.Is(t, write(), errReadOnly, fmt.Sprint("writing ", i))
	}
}

// Trials keep the version of the program that measured them, also where the sweep has another.
func TestGatheredTrialsKeepVersions(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 0))
	later := testRun()
	later.Version = "newer"
	begin(t, db, later)
	record(t, db, good("cpu_sell", 8))
	const versions = "SELECT k.name, t.version FROM trial t JOIN kernel k ON k.id = t.kernel ORDER BY 1"
	want := query(t, db, versions).Rows
	testkit.Require(t, want[0][1] != want[1][1], "versions are %v", want)
	both := gather(t, Choice{Kernels: []string{"cpu_*"}}, db)
	got := query(t, both, versions).Rows
	testkit.Check(t, len(got) == 2 && got[0][1] == want[0][1] && got[1][1] == want[1][1],
		"versions are %v, want %v", got, want)
}

// writings write everything that a database holds, some of it twice.
func writings(ctx context.Context, db *DB) (list []func() error) {
	first, second := good("cpu_csr_rows", 64, sampled(1), sensed), good("cpu_sell", 8, sampled(1.002))
	failed := good("cpu_coo_chunks", 16384, failing(trial.Fault, "no"))
	retried := good("cpu_coo_chunks", 16384, sampled(2), sensed, identity(failed.ID))
	late := func(r *trial.Result) { r.At, r.ID = r.At.Add(time.Hour), "late" }
	run := testRun()
	run.Sources["cpu_coo_chunks"] = "1"
	others := []trial.Result{good("cpu_coo", 0, on("other")), good("cpu_csr", 0, on("other"), sensed)}

	add := func(f func() error) { list = append(list, f) }
	describe := func() { add(func() error { return db.Matrix(ctx, testMatrix("grid")) }) }
	decide := func() { add(func() error { _, err := db.DecideTies(ctx); return err }) }
	record := func(results ...trial.Result) {
		for _, r := range results {
			add(func() error { return db.Record(ctx, r) })
		}
	}
	add(func() error { return db.Begin(ctx, run) })
	describe()
	record(first, second, failed)
	decide()
	record(again(first, time.Minute, 1.001), final(first, time.Hour, 1), final(second, time.Hour, 1.5), retried)
	decide()
	record(good("cpu_sell", 8, sampled(1.1), late))
	describe()
	decide()
	add(func() error {
		batch := Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("other")}, Results: others}
		_, err := db.Import(ctx, func(yield func(Batch, error) bool) { yield(batch, nil) })
		return err
	})
	decide()
	for range 2 {
		add(func() error {
			return db.SaveClaims(ctx, []SavedClaim{{Claim: 1, Device: "Testcore 9000", Verdict: "v"}})
		})
		add(func() error { return db.SaveRule(ctx, SavedRule{Sweep: "quick", JSON: []byte("{}")}) })
		add(func() error { return db.SaveCounts(ctx, map[string]Counts{first.ID: {"occupancy": 1}}) })
	}
	return list
}

// Whatever the database refuses to write, whoever writes is told so, and can try again.
func TestRefusedWritesAreReported(t *testing.T) {
	db, plain := create(t), create(t)
	execute := func(statement string) {
		t.Helper()
		testkit.Must(db.write.Exec(statement))
	}
	var tables []string
	for _, row := range query(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table'").Rows {
		tables = append(tables, row[0].(string))
	}
	execute("CREATE TABLE countdown AS SELECT 0 AS n")
	for _, table := range tables {
		for _, what := range []string{"INSERT", "UPDATE", "DELETE"} {
			execute("CREATE TRIGGER " + what + "_" + table + " BEFORE " + what + " ON " + table + ` BEGIN
				UPDATE countdown SET n = n - 1;
				SELECT raise(FAIL, 'the disk is full') FROM countdown WHERE n = 0;
			END`) // FAIL leaves the countdown at 0, unless the transaction is taken back
		}
	}

	for i, write := range writings(t.Context(), db) {
		for n := 1; ; n++ {
			execute(fmt.Sprintf("UPDATE countdown SET n = %d", n))
			err := write()
			if err != nil && n < 100 {
				continue
			} else if err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			testkit.Check(t, one(t, db, "SELECT n FROM countdown") != int64(0), "step %d, write %d: no error", i, n)
			break
		}
	}

	for _, write := range writings(t.Context(), plain) {
		testkit.Succeed(t, write())
	}
	for _, table := range tables {
		count := "SELECT count(*) FROM " + table
		gives(t, db, count, one(t, plain, count), "%s has", table)
	}
}

// A countdown is a context that is cancelled when it has been asked about that so many times.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newCountdown(t *testing.T, n int64) *countdown {
	c := &countdown{}
	c.Context, c.cancel = context.WithCancel(t.Context())
	c.left.Store(n)
	t.Cleanup(c.cancel)
	return c
}

func (c *countdown) Done() <-chan struct{} {
	if c.left.Add(-1) <= 0 {
		c.cancel()
	}
	return c.Context.Done()
}

func (c *countdown) Err() error {
	if c.left.Add(-1) <= 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// Whoever is interrupted, at whatever moment, is told so: no part of what is recorded passes
// for all of it.
func TestInterruptedReadersSaySo(t *testing.T) {
	first, second := good("cpu_csr_rows", 64, sampled(1), sensed), good("cpu_sell", 8, sampled(1.5))
	db := started(t)
	describe(t, db, testMatrix("other"))
	record(t, db, first, second, good("cpu_coo", 0, on("other")), good("cpu_csr", 0, on("other"), takes(2)),
		again(first, time.Minute, 1.001), again(first, 2*time.Minute, 1.002), final(first, time.Hour, 1),
		final(second, time.Hour, 1.5))
	decideAll(t, db)
	saved := []SavedClaim{{Claim: 1, Device: "Testcore 9000", Verdict: "v", Figures: []byte("{}")}}
	testkit.Succeed(t, db.SaveClaims(t.Context(), saved))
	testkit.Succeed(t, db.SaveRule(t.Context(), SavedRule{Sweep: "quick", Learned: time.Unix(1, 0), JSON: []byte("{}")}))
	ids := []string{first.ID, second.ID}

	folder, n := t.TempDir(), 0
	for name, read := range map[string]func(context.Context) (any, error){
		"drifts":   func(ctx context.Context) (any, error) { return db.Drifts(ctx) },
		"good":     func(ctx context.Context) (any, error) { return db.Good(ctx) },
		"grids":    func(ctx context.Context) (any, error) { return db.Grids(ctx, Filter{}) },
		"features": func(ctx context.Context) (any, error) { return db.Features(ctx) },
		"patterns": func(ctx context.Context) (any, error) {
			list, err := db.Patterns(ctx)
			return map[string]sparse.Thumbnail(list), err
		},
		"query":    func(ctx context.Context) (any, error) { return db.Query(ctx, "results") },
		"results":  func(ctx context.Context) (any, error) { return db.Results(ctx, Filter{}) },
		"best":     func(ctx context.Context) (any, error) { return db.Best(ctx, Filter{}) },
		"count":    func(ctx context.Context) (any, error) { return db.Count(ctx) },
		"recorded": func(ctx context.Context) (any, error) { return db.Recorded(ctx, ids, trial.Full) },
		"devices":  func(ctx context.Context) (any, error) { return db.Devices(ctx) },
		"sweeps":   func(ctx context.Context) (any, error) { return db.Sweeps(ctx) },
		"kernels":  func(ctx context.Context) (any, error) { return db.Kernels(ctx) },
		"history": func(ctx context.Context) (any, error) {
			var list []trial.Result
			err := db.History(ctx, testRun().Device, func(r trial.Result, _ trial.Size) { list = append(list, r) })
			return list, err
		},
		"launches": func(ctx context.Context) (any, error) { return db.Launches(ctx) },
		"chosen":   func(ctx context.Context) (any, error) { return db.Chosen(ctx, "in_force") },
		"gathered": func(ctx context.Context) (any, error) {
			n++
			choice := Choice{Kernels: []string{"cpu_*"}, Precisions: []string{string(kernels.Float32)}}
			other, err := Gather(ctx, filepath.Join(folder, fmt.Sprint(n, ".db")), []string{db.Path()}, choice)
			if err != nil {
				return nil, err
			}
			defer other.Close()
			return query(t, other, "SELECT r.*, (SELECT count(*) FROM rerun), (SELECT count(*) FROM tie_member) FROM results r"), nil
		},
	} {
		whole, err := read(t.Context())
		testkit.Require(t, err == nil, "%s: %v", name, err)
		for steps := int64(1); ; steps += 1 + steps/4 {
			ctx := newCountdown(t, steps)
			got, err := read(ctx)
			if err == nil && !reflect.DeepEqual(got, whole) {
				t.Errorf("%s, interrupted at step %d: no error, but %+v, want %+v", name, steps, got, whole)
			}
			if ctx.Context.Err() == nil {
				break // it was not interrupted any more
			}
		}
	}
}

// What is written is there as a whole, or the writer learns that it is not.
func TestInterruptedWritersSaySo(t *testing.T) {
	first, second := good("cpu_csr_rows", 64, sampled(1), sensed), good("cpu_sell", 8, sampled(1.002))
	run := testRun()
	all := Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("grid"), testMatrix("other")},
		Results: []trial.Result{first, second, good("cpu_coo", 0, on("other")), again(first, time.Minute, 1.001),
			final(first, time.Hour, 1), final(second, time.Hour, 1.001)}}
	load := func(ctx context.Context, db *DB) error {
		_, err := db.Import(ctx, func(yield func(Batch, error) bool) { yield(all, nil) })
		return err
	}
	recorded := func(db *DB) string {
		t.Helper()
		return fmt.Sprint(query(t, db, `SELECT (SELECT count(*) FROM trial), (SELECT count(*) FROM sample),
			(SELECT count(*) FROM rerun), (SELECT count(*) FROM reading), (SELECT count(*) FROM pattern),
			(SELECT count(*) FROM tie_member), (SELECT count(*) FROM claim), (SELECT count(*) FROM rule),
			(SELECT count(*) FROM origin), (SELECT count(*) FROM matrix), (SELECT sum(superseded) FROM trial)`).Rows)
	}

	for name, write := range map[string]func(context.Context, *DB) error{
		"import": load,
		"ties": func(ctx context.Context, db *DB) error {
			_, err := db.DecideTies(ctx)
			return err
		},
		"claims": func(ctx context.Context, db *DB) error {
			return db.SaveClaims(ctx, []SavedClaim{{Claim: 1, Device: "Testcore 9000", Verdict: "v"},
				{Claim: 2, Device: "Testcore 9000", Verdict: "v"}})
		},
		"rule": func(ctx context.Context, db *DB) error {
			return db.SaveRule(ctx, SavedRule{Sweep: "quick", JSON: []byte("{}")})
		},
	} {
		try := func(steps int64) (db *DB, interrupted bool, err error) {
			db = create(t)
			if name != "import" {
				testkit.Succeed(t, load(t.Context(), db))
			}
			ctx := newCountdown(t, steps)
			err = write(ctx, db)
			return db, ctx.Context.Err() != nil, err
		}
		db, _, err := try(1 << 40)
		testkit.Require(t, err == nil, "%s: %v", name, err)
		whole := recorded(db)
		interrupted := true
		for steps := int64(1); interrupted; steps += 1 + steps/4 {
			if db, interrupted, err = try(steps); err == nil && recorded(db) != whole {
				t.Errorf("%s, interrupted at step %d: no error, but %s, want %s", name, steps, recorded(db), whole)
			}
		}
	}
}
