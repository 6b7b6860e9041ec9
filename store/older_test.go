package store

import (
	"database/sql"
	"fmt"
	"math"
	"os"
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

// A database from before has intervals within the run, also where it is only read. Brought up to
// date, it forgets the ties that samples told, and works out from its finals what another run
// finds.
func TestDatabaseFromBeforeIntervalsOfAnotherRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	statements := append(slices.Clone(migrations[:schemaAnother-1]),
		"INSERT INTO sweep (id, name, title, text, hash, protocol, version, started) VALUES (1, 'quick', '', '', 'h', '', 'v1', 0)",
		`INSERT INTO device (id, name, backend, model, driver, units, max_block, memory, cache, properties, roof_read, roof_copy, roof_triad)
			VALUES (1, 'Testcore 9000', 'cpu', 'Testcore 9000', 'go1.26', 2, 0, 0, 0, '{}', 1, 1, 1)`,
		`INSERT INTO matrix (id, name, class, hash, source, field, symmetry, rows, cols, nonzeros, row_min, row_p25, row_median, row_p75, row_p90,
			row_p99, row_max, empty_rows, cols_used, bandwidth)
			VALUES (1, 'grid', '', 'hash-of-grid', 'grid', '', '', 10, 10, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)`,
		"INSERT INTO kernel (id, name, paper, format, digest) VALUES (1, 'cpu_csr', '', 'csr', '1')",
		`INSERT INTO trial (id, sweep, matrix, kernel, precision, grid, params, cache, status, identity, device, block, median, stop,
			superseded, measured_at, low, high)
			VALUES (1, 1, 1, 1, 'float32', 2, '', 'cold', 'ok', 'a', 1, 32, 1e-3, 'target', 0, 5, 0.999e-3, 1.001e-3)`)
	for i := range 5 {
		statements = append(statements, fmt.Sprintf(`INSERT INTO sentinel (identity, at, median, low, high, throttled, final, data)
			VALUES ('a', %d, %v, 1e-3, 1e-3, 0, 1, x'')`, 10+i, []float64{1.1e-3, 1.21e-3}[i%2]))
	}
	statements = append(statements, `INSERT INTO tie_set (id, matrix, device, precision, cache, trial, winner, effect, drift)
		VALUES (1, 1, 1, 'float32', 'cold', 1, 1, 0.01, 0)`)
	raw(t, path, append(statements, "PRAGMA application_id = 1399868758", fmt.Sprintf("PRAGMA user_version = %d", schemaAnother-1))...)

	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := reader.Results(t.Context(), Filter{})
	if err != nil || len(rows) != 1 || rows[0].Another != (trial.Interval{Low: 0.999e-3, High: 1.001e-3}) || rows[0].Time != 1e-3 {
		t.Errorf("only read, it has %+v, %v", rows, err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}

	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if n := one(t, db, "SELECT count(*) FROM tie_set"); n != int64(0) {
		t.Errorf("%v places have ties of before", n)
	}
	if n := decideAll(t, db); n != 1 {
		t.Errorf("decided in %d places, want 1", n)
	}
	if got := fmt.Sprintf("%.3f", one(t, db, "SELECT factor FROM best")); got != "1.100" {
		t.Errorf("two runs differ by %s, want 1.100", got)
	}
}

// Trials of an older program carry papers' names for kernels that were not the papers' own. Beside
// new trials of the papers' forms they are told apart.
func TestOldFormsOfKernels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	const before = 13 // migrations
	raw(t, path, append(slices.Clone(migrations[:before]),
		`INSERT INTO kernel VALUES (1, 'csr_scalar', 'CSR Scalar', 'csr', 'old'), (2, 'csr_merge', '', 'csr', 'old'),
			(3, 'csr_scalar', 'CSR Scalar', 'csr', 'imported')`,
		"PRAGMA application_id = 1399868758", fmt.Sprintf("PRAGMA user_version = %d", before))...)

	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	got := fmt.Sprint(table(t, db, "SELECT name, paper, digest FROM kernel ORDER BY id"))
	if want := "[[csr_scalar_ahead  old] [csr_merge  old] [csr_scalar CSR Scalar imported]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A database of before is compared with others under the names and by the intervals of now. It
// stays as it is, and its copy goes away.
func TestOldDatabasesAreReadWithNamesOfNow(t *testing.T) {
	db := create(t)
	run := testRun()
	run.Sources["csr_vector"] = "1"
	begin(t, db, run)
	describe(t, db, testMatrix("grid"))
	record(t, db, noisy("grid", 10, 1.1)...)
	record(t, db, good("csr_vector", 64, takes(1)))
	old := older(t, db, schemaSpread).Path()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	before, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}

	current, err := OpenCurrent(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	if current.Path() != old {
		t.Errorf("it is called %s, want %s", current.Path(), old)
	}
	if kernel := one(t, current, "SELECT kernel FROM best"); kernel != "csr_vector_ahead" {
		t.Errorf("best is %v", kernel)
	}
	if factor := one1(t, current, "SELECT factor FROM best"); math.Abs(factor-1.1) > 1e-3 {
		t.Errorf("two runs differ by %v, want 1.1", factor)
	}
	if err := current.Close(); err != nil {
		t.Error(err)
	}

	if after, err := os.ReadFile(old); err != nil || string(after) != string(before) {
		t.Errorf("the database changed, %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(temporary, "*")); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// A run that was killed left no ties. What it measured again counts all the same, and the file
// stays as it is.
func TestRunsThatWereKilledAreReadWithTies(t *testing.T) {
	db := create(t)
	begin(t, db, testRun())
	describe(t, db, testMatrix("grid"))
	record(t, db, noisy("grid", 10, 1.1)...)

	current, err := OpenCurrent(t.Context(), db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer current.Close()
	if current.Path() != db.Path() {
		t.Errorf("it is called %s, want %s", current.Path(), db.Path())
	}
	if factor := one1(t, current, "SELECT factor FROM best"); math.Abs(factor-1.1) > 1e-3 {
		t.Errorf("two runs differ by %v, want 1.1", factor)
	}
	if n := one(t, db, "SELECT count(*) FROM spread"); n != int64(0) {
		t.Errorf("the database has %v spreads", n)
	}
}

// Ties that an older version decided by a lower level are decided again.
func TestOldTiesAreDecidedAgain(t *testing.T) {
	db := create(t)
	begin(t, db, testRun())
	describe(t, db, testMatrix("grid"))
	record(t, db, good("cpu_csr", 32))
	if n, err := db.DecideTies(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d places, %v", n, err)
	}
	old, err := Open(older(t, db, schemaHost).Path())
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if n := one(t, old, "SELECT (SELECT count(*) FROM tie_set) + (SELECT count(*) FROM tie_member)"); n != int64(0) {
		t.Errorf("%v ties and members are left of before", n)
	}
	if n, err := old.DecideTies(t.Context()); n != 1 || err != nil {
		t.Errorf("%d places were decided, %v", n, err)
	}
}

// Where a copy finds no room, the message says of which database, and where.
func TestNoRoomForACopy(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	gone := filepath.Join(t.TempDir(), "gone")
	t.Setenv("TMPDIR", gone)
	_, err := OpenCurrent(t.Context(), db.Path())
	if err == nil || !strings.Contains(err.Error(), "reading a copy of "+db.Path()+" in "+gone) {
		t.Errorf("error %v", err)
	}
}
