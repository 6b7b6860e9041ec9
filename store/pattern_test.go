package store

import (
	"path/filepath"
	"testing"

	"spmvtune/tuner/trial"
)

func TestPatterns(t *testing.T) {
	db := started(t)
	m := testMatrix("grid")
	check := func(want string) {
		t.Helper()
		got, err := db.Patterns(t.Context())
		if err != nil || len(got) != 1 || string(got[m.Hash]) != want {
			t.Errorf("patterns are %q, %v, want %q", got, err, want)
		}
	}
	check(string(m.Pattern))
	older := m
	older.Pattern = nil // from the journal of an older program
	describe(t, db, older)
	check(string(m.Pattern))
	m.Pattern = []byte("another")
	describe(t, db, m)
	check("another")
}

// A database from before patterns can be read as it is, and takes them once it is
// opened for recording.
func TestPatternsOfOlderDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	raw(t, path, migrations[0], `INSERT INTO matrix (name, class, hash, source, field, symmetry, rows, cols, nonzeros,
		row_min, row_p25, row_median, row_p75, row_p90, row_p99, row_max, empty_rows, cols_used, bandwidth)
		VALUES ('grid', 'grid', 'hash-of-grid', '', '', '', 9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 0, 9, 0)`,
		"PRAGMA application_id = 1399868758", "PRAGMA user_version = 1")
	count := func(open func(string) (*DB, error), change ...trial.Matrix) int {
		t.Helper()
		db, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, m := range change {
			describe(t, db, m)
		}
		got, err := db.Patterns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(got)
	}
	if n := count(OpenReadOnly); n != 0 {
		t.Errorf("%d patterns in an old database", n)
	}
	if n := count(Open, testMatrix("grid")); n != 1 {
		t.Errorf("%d patterns after recording one", n)
	}
	if n := count(OpenReadOnly); n != 1 {
		t.Errorf("%d patterns are kept", n)
	}
}
