package store

import (
	"path/filepath"
	"testing"
)

// Reading leaves the folder as it was, also where an older reader left an empty log.
func TestReadingLeavesNoFiles(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path := db.Path()
	db.write, db.read = nil, nil // closed already

	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := one(t, reader, "SELECT count(*) FROM results"); n != int64(1) {
		t.Errorf("%v results, want 1", n)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("after reading, the folder holds %q", left)
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
