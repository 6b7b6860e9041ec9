package store

import (
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// older makes a database of an older schema that has of db what it has room for, and opens it
// for reading only.
func older(t *testing.T, db *DB, schema int) *DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "older.db")
	pool, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	pool.SetMaxOpenConns(1)
	statements := slices.Concat([]string{"PRAGMA synchronous = off"}, migrations[:schema], []string{
		"PRAGMA application_id = 1399868758", fmt.Sprintf("PRAGMA user_version = %d", schema),
		fmt.Sprintf("ATTACH '%s' AS newest", db.Path())})
	for _, s := range statements {
		if _, err := pool.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	tables, err := texts(t.Context(), pool, "SELECT name FROM main.sqlite_master WHERE type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		shared, err := texts(t.Context(), pool, `SELECT o.name FROM pragma_table_info(?, 'main') o
			JOIN pragma_table_info(?, 'newest') n ON n.name = o.name`, table, table)
		if err != nil {
			t.Fatal(err)
		}
		from := "newest." + table
		if table == "counted" {
			shared, from = []string{"trial", "occupancy"}, "(SELECT trial, value AS occupancy FROM newest.counter)"
		}
		columns := strings.Join(shared, ", ")
		copied := fmt.Sprintf("INSERT INTO main.%s (%s) SELECT %[2]s FROM %[3]s", table, columns, from)
		if _, err := pool.Exec(copied); err != nil {
			t.Fatalf("schema %d: %v", schema, err)
		}
	}
	old, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { old.Close() })
	return old
}

// A database of any older version is read as far as it goes: what its tables have is there.
func TestOlderSchemasAreReadAsFarAsTheyGo(t *testing.T) {
	db := create(t)
	run := testRun()
	run.Roof.Gather = 5
	begin(t, db, run)
	m := testMatrix("grid")
	m.FeaturesSeconds, m.TwinOf, m.TwinScale = 0.25, "big", 0.5
	describe(t, db, m)
	first := good("cpu_csr", 32, sampled(1), version(3))
	record(t, db, first, good("cpu_sell", 8, takes(3), version(3)), again(first, time.Minute, 1.1),
		final(first, 2*time.Minute, 1.2), final(first, 3*time.Minute, 1.21), spreads(first, 4*time.Minute, 1.2))
	decideAll(t, db)
	if err := db.SaveCounts(t.Context(), map[string]Counts{first.ID: {"occupancy": 0.5}}); err != nil {
		t.Fatal(err)
	}

	for schema := 1; schema <= len(migrations); schema++ {
		old := older(t, db, schema)
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("schema %d: %v", schema, err)
			}
		}
		rows, err := old.Results(t.Context(), Filter{})
		check(err)
		recorded, err := old.Recorded(t.Context(), []string{first.ID}, trial.Full)
		check(err)
		drifts, err := old.Drifts(t.Context())
		check(err)
		devices, err := old.Devices(t.Context())
		check(err)
		matrices, err := old.Features(t.Context())
		check(err)
		patterns, err := old.Patterns(t.Context())
		check(err)
		launches, err := old.Launches(t.Context())
		check(err)
		repeats := recorded[first.ID].Repeats
		marked := func(is func(trial.Result) bool) bool { return slices.ContainsFunc(repeats, is) }

		for column, got := range map[string]bool{
			"pattern data":                            len(patterns) == 1,
			"matrix features_seconds":                 matrices[0].FeaturesSeconds == 0.25,
			"matrix twin_of":                          matrices[0].TwinOf == "big",
			"matrix " + featureNames()[firstFeatures]: !math.IsNaN(featureValues(matrices[0].Features)[firstFeatures].(float64)),
			"device roof_gather":                      devices[0].Roof.Gather == 5,
			"trial seconds":                           rows[0].Seconds == first.Seconds,
			"trial measurement":                       rows[0].Measurement == 3,
			"sentinel identity":                       len(repeats) == 4 && len(drifts) == 1 && drifts[0].Node == "n1",
			"sentinel final":                          marked(func(r trial.Result) bool { return r.Final }),
			"sentinel spread":                         marked(func(r trial.Result) bool { return r.Spread }),
			"tie_member trial":                        rows[0].Tied,
			"profile occupancy":                       len(launches) > 0 && launches[0].Properties["achieved_occupancy"] == 0.5,
			"estimate time":                           rows[0].Time > rows[0].Median,
		} {
			table, name, _ := strings.Cut(column, " ")
			found := one(t, old, fmt.Sprintf("SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'", table, name))
			if has := found == int64(1); got != has {
				t.Errorf("schema %d: the file has %s: %v, it is read: %v", schema, column, has, got)
			}
		}
	}
}
