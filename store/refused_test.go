package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

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
		if _, err := db.write.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
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
			if one(t, db, "SELECT n FROM countdown") == int64(0) {
				t.Errorf("step %d, write %d: no error", i, n)
			}
			break
		}
	}

	for _, write := range writings(t.Context(), plain) {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range tables {
		count := "SELECT count(*) FROM " + table
		if got, want := one(t, db, count), one(t, plain, count); got != want {
			t.Errorf("%s has %v rows after all, want %v", table, got, want)
		}
	}
}
