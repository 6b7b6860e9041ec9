package cli

import (
	"io"
	"path/filepath"
	"testing"
	"time"

	"spmvtune/analysis"
	"spmvtune/internal/testing/testkit"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// What several databases teach is what a report on them shows: of a configuration the trial
// in force, which is the latest, not the one with the narrowest interval.
func TestLearnAndReportKeepTheSameTrials(t *testing.T) {
	later := func(r *trial.Result) {
		r.ID, r.At, r.WithinLow, r.WithinHigh = "2", r.At.Add(time.Hour), 0.5*r.Median, 2*r.Median
	}
	paths := []string{timed(t, "here", 1), timed(t, "here", 3, later)}
	seen, _, err := observed(t.Context(), io.Discard, paths)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Gather(t.Context(), filepath.Join(t.TempDir(), analysis.DatabaseFile), paths, store.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows := testkit.Must(db.Results(t.Context(), store.Filter{}))
	if len(seen) != 1 || len(rows) != 1 || seen[0].Seconds != rows[0].Median || seen[0].Seconds != 3e-3 {
		t.Errorf("learned from %+v, reported on %+v; want the later trial of 3 ms", seen, rows)
	}
}
