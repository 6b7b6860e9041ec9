package store

import (
	"math"
	"path/filepath"
	"testing"

	"spmvtune/tuner/trial"
)

// What an old database does not say of its matrices is not known, whether it is
// brought up to date or only read; it is filled in when the matrix is met again,
// and an old journal that is imported later takes nothing away.
func TestFeaturesOfOldDatabase(t *testing.T) {
	m := testMatrix("grid")
	m.Features.RowSimilarity, m.Features.Diagonals = 0.75, 5
	path := filepath.Join(t.TempDir(), "results.db")
	raw(t, path, migrations[0], migrations[1], migrations[2], `INSERT INTO matrix (name, class, hash, source, field, symmetry, rows, cols,
		nonzeros, row_mean, row_std, row_min, row_p25, row_median, row_p75, row_p90, row_p99, row_max, empty_rows, cols_used, bandwidth, bandwidth_mean)
		VALUES ('grid', 'grid', 'hash-of-grid', '', '', '', 1000, 900, 5000, 5, 0.5, 3, 4, 5, 5, 5, 5, 6, 7, 890, 100, 50.5)`,
		"PRAGMA application_id = 1399868758", "PRAGMA user_version = 3")
	unknown := func(db *DB) {
		t.Helper()
		got, err := db.Features(t.Context())
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, error %v", got, err)
		}
		f := got[0].Features
		if f.Rows != 1000 || f.BandwidthMean != 50.5 || !math.IsNaN(f.RowSimilarity) || !math.IsNaN(f.RowSkewness) || !math.IsNaN(f.PatternSymmetry) {
			t.Errorf("got %+v", f)
		}
	}
	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	unknown(reader)
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}

	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	unknown(db)
	less := m
	less.Features.RowSimilarity = math.NaN()
	for _, again := range []trial.Matrix{m, less} {
		describe(t, db, again)
		got, err := db.Features(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !got[0].Features.Equal(m.Features) {
			t.Errorf("met again: %+v\nwant %+v", got[0].Features, m.Features)
		}
	}
	if last := one(t, db, "SELECT name FROM pragma_table_info('features') ORDER BY cid DESC LIMIT 1"); last != "twin_scale" {
		t.Errorf("the last column of features is %v", last)
	}
}

// How long reading the features took stays as it was first: otherwise running a sweep again, which
// measures nothing, would change the rule.
func TestFirstReadingTimeStays(t *testing.T) {
	db := create(t)
	m := testMatrix("grid")
	for _, seconds := range []float64{0, 0.25, 0.5} {
		m.FeaturesSeconds = seconds
		describe(t, db, m)
	}
	list, err := db.Features(t.Context())
	if err != nil || len(list) != 1 || list[0].FeaturesSeconds != 0.25 {
		t.Errorf("%+v, %v; want 0.25 s", list, err)
	}
}
