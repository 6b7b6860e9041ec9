package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Reading leaves the folder as it was, also where an older reader left an empty log, and where ties
// are not decided, so that a copy is read.
func TestReadingLeavesNoFiles(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path := db.Path()
	db.write, db.read = nil, nil // closed already

	for name, open := range map[string]func() (*DB, error){
		"as it is": func() (*DB, error) { return OpenReadOnly(path) },
		"a copy":   func() (*DB, error) { return OpenCurrent(t.Context(), path) },
	} {
		reader, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if n := one(t, reader, "SELECT count(*) FROM results"); n != int64(1) {
			t.Errorf("%s: %v results, want 1", name, n)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
			t.Errorf("%s: after reading, the folder holds %q", name, left)
		}
	}
}

// A reader that ends leaves a running writer its log.
func TestReadingLeavesTheWritersLog(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	reader, err := OpenReadOnly(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	one(t, reader, "SELECT count(*) FROM results")
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	record(t, db, good("cpu_csr", 64))
	if n := one(t, db, "SELECT count(*) FROM results"); n != int64(2) {
		t.Errorf("%v results, want 2", n)
	}
}

// Where the database is removed, or another put in its place, the next record says so.
func TestRemovedWhileWritten(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	if err := os.Rename(db.Path(), db.Path()+"-moved"); err != nil {
		t.Fatal(err)
	}
	err := db.Record(t.Context(), good("cpu_csr", 64))
	if err == nil || !strings.Contains(err.Error(), "removed or replaced while it was written") {
		t.Error(err)
	}
}
