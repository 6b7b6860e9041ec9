package store

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spmvtune/internal/testing/testkit"
)

// changed is a copy of a good database in which a statement has changed something.
func changed(t testing.TB, db *DB, statement string, args ...any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.db")
	testkit.Succeed(t, db.copyTo(t.Context(), path))
	pool := connect(path, url.Values{}, nil)
	defer pool.Close()
	testkit.Must(pool.Exec(statement, args...))
	return path
}

// filled is a database with a trial, a repeat and a matrix.
func filled(t testing.TB) *DB {
	t.Helper()
	db := started(t)
	first := good("cpu_csr_rows", 64, sampled(1), sensed)
	record(t, db, first, good("cpu_sell", 8, sampled(1.1)), again(first, 1, 1.01))
	return db
}

// A value that no version of this program writes is refused when the file is opened.
func TestBadValues(t *testing.T) {
	db := filled(t)
	for statement, want := range map[string]string{
		"PRAGMA user_version = -3":                                              "version -3",
		"UPDATE trial SET median = -1":                                          "the time of trial 1",
		"UPDATE trial SET median = 1e-320":                                      "the time of trial 1",
		"UPDATE trial SET median = 9e999":                                       "the time of trial 1",
		"UPDATE trial SET median = 'x'":                                         "the time of trial 1",
		"UPDATE trial SET high = 1e300":                                         "the interval of trial 1",
		"UPDATE trial SET bytes_min = 0":                                        "the bytes of trial 1",
		"UPDATE trial SET block = -9223372036854775808":                         "the block or grid of trial 1",
		"UPDATE trial SET grid = 2147483648":                                    "the block or grid of trial 1",
		"UPDATE trial SET measured_at = -9223372036854775808":                   "the moment of trial 1",
		"UPDATE matrix SET nonzeros = -1":                                       "matrix 1",
		"UPDATE matrix SET row_max = -9":                                        "matrix 1",
		"UPDATE matrix SET row_std = 9e999":                                     "matrix 1",
		"UPDATE matrix SET name = hex(zeroblob(105))":                           "matrix 1 is too long",
		"UPDATE device SET roof_read = -1":                                      "the bandwidth of device 1",
		"UPDATE rerun SET median = 0":                                           "invalid time in rerun, row 1",
		"UPDATE trial SET kernel = -9":                                          "a row of trial belongs to a kernel that is not there",
		"UPDATE rerun SET low = -1":                                             "invalid time in rerun, row 1",
		"UPDATE trial SET params = hex(zeroblob(501))":                          "the parameters of trial 1",
		"UPDATE device SET driver = hex(zeroblob(105))":                         "the name of device 1",
		"UPDATE kernel SET paper = hex(zeroblob(105))":                          "the name of kernel 1",
		"UPDATE sweep SET name = hex(zeroblob(105))":                            "the name of sweep 1",
		"CREATE TRIGGER x AFTER INSERT ON trial BEGIN SELECT 1; END":            "a trigger that is not this program's",
		"ALTER TABLE sample RENAME TO s; CREATE VIEW sample AS SELECT * FROM s": "sample is a view, and must be a table",
	} {
		for way, open := range map[string]func(string) (*DB, error){"Open": Open, "OpenReadOnly": OpenReadOnly} {
			_, err := open(changed(t, db, statement))
			testkit.Fails(t, err, want, "%s: %s gives", statement, way)
		}
	}
}

// Samples that are no numbers are refused where they are read.
func TestBadSamples(t *testing.T) {
	open := testkit.Must(OpenReadOnly(changed(t, filled(t), "UPDATE sample SET data = x'0000c07f0000c07f'")))
	defer open.Close()
	list := testkit.Must(open.Results(t.Context(), Filter{}))
	if _, err := open.Samples(t.Context(), list[0].ID); err == nil {
		t.Error("NaN is a sample")
	}
}

// A pipe is refused: opening it would wait for its writer.
func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "results.db")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	for _, open := range []func(string) (*DB, error){Open, OpenReadOnly} {
		testkit.Fails(t, testkit.Err(open(pipe)), "not a regular file")
	}
	if _, err := os.Stat(pipe); err != nil {
		t.Error(err)
	}
}

// A name that would make the database unreadable is refused before it is written.
func TestLongName(t *testing.T) {
	db := started(t)
	testkit.Succeed(t, db.Matrix(t.Context(), testMatrix(strings.Repeat("ä", 200))))
	if err := db.Matrix(t.Context(), testMatrix(strings.Repeat("ä", 201))); err == nil {
		t.Error("a name of 201 characters is taken")
	}
}
