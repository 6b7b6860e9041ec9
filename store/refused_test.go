package store

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// writeAll writes everything that a database holds, some of it twice. It ends with the first error.
func writeAll(ctx context.Context, db *DB) error {
	first, second := good("cpu_csr_rows", 64, sampled(1), sensed), good("cpu_sell", 8, sampled(1.002))
	late := func(r *trial.Result) { r.At, r.ID = r.At.Add(time.Hour), "late" }
	run, claim := testRun(), SavedClaim{Claim: 1, Device: "Testcore 9000", Verdict: "v"}
	list := func(results ...trial.Result) func() error {
		return func() error {
			for _, r := range results {
				if err := db.Record(ctx, r); err != nil {
					return err
				}
			}
			return nil
		}
	}
	describe := func() error { return db.Matrix(ctx, testMatrix("grid")) }
	decide := func() error { _, err := db.DecideTies(ctx); return err }
	imported := func() error {
		_, err := db.Import(ctx, func(yield func(Batch, error) bool) {
			yield(Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("other")},
				Results: []trial.Result{good("cpu_coo", 0, on("other")), good("cpu_csr", 0, on("other"))}}, nil)
		})
		return err
	}
	claims := func() error { return db.SaveClaims(ctx, []SavedClaim{claim}) }
	rule := func() error { return db.SaveRule(ctx, SavedRule{Sweep: "quick", JSON: []byte("{}")}) }
	counts := func() error { return db.SaveCounts(ctx, map[string]Counts{first.ID: {Occupancy: 1}}) }
	for _, step := range []func() error{
		func() error { return db.Begin(ctx, run) }, describe, list(first, second), decide,
		list(again(first, time.Minute, 1.001), final(first, time.Hour, 1), final(second, time.Hour, 1.5)), decide,
		list(good("cpu_sell", 8, sampled(1.1), late)), describe, decide, imported, decide,
		claims, claims, rule, rule, counts, counts,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// What the database refuses to write is an error of whoever writes it, whatever it is.
func TestRefusedWritesAreReported(t *testing.T) {
	on := func(db *DB, event, action string) {
		t.Helper()
		table, what, _ := strings.Cut(event, " ")
		if _, err := db.write.Exec("CREATE TRIGGER \"" + event + "\" BEFORE " + what + " ON " + table +
			" BEGIN " + action + "; END"); err != nil {
			t.Fatal(err)
		}
	}

	all := create(t)
	if _, err := all.write.Exec("CREATE TABLE event (name TEXT)"); err != nil {
		t.Fatal(err)
	}
	for _, row := range query(t, all, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'event'").Rows {
		for _, what := range []string{"INSERT", "UPDATE", "DELETE"} {
			event := row[0].(string) + " " + what
			on(all, event, "INSERT INTO event VALUES ('"+event+"')")
		}
	}
	if err := writeAll(t.Context(), all); err != nil {
		t.Fatal(err)
	}

	var events []string
	for _, row := range query(t, all, "SELECT DISTINCT name FROM event ORDER BY name").Rows {
		events = append(events, row[0].(string))
	}
	if !slices.Contains(events, "tie_set DELETE") || !slices.Contains(events, "reading INSERT") {
		t.Errorf("only %q were written", events)
	}
	for _, event := range events {
		db := create(t)
		on(db, event, "SELECT RAISE(ABORT, 'the disk is full')")
		if err := writeAll(t.Context(), db); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("%s is refused: error %v", event, err)
		}
	}
}
