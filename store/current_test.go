package store

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
