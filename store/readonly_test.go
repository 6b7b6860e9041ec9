package store

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// A database that is open for reading refuses whatever would write.
func TestReadersWriteNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	full, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, full, testRun())
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i, write := range writings(t.Context(), db) {
		if err := write(); !errors.Is(err, errReadOnly) {
			t.Errorf("writing %d: error %v", i, err)
		}
	}
}

// What is recorded before a run begins is refused.
func TestNothingIsRecordedWithoutARun(t *testing.T) {
	first := good("cpu_csr", 0)
	db := create(t)
	for name, err := range map[string]error{"result": db.Record(t.Context(), first),
		"repeat": db.Record(t.Context(), again(first, time.Minute, 1))} {
		if !errors.Is(err, errNoRun) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Trials keep the version of the program that measured them, also where the sweep has another.
func TestGatheredTrialsKeepVersions(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 0))
	later := testRun()
	later.Version = "newer"
	begin(t, db, later)
	record(t, db, good("cpu_sell", 8))
	const versions = "SELECT k.name, t.version FROM trial t JOIN kernel k ON k.id = t.kernel ORDER BY 1"
	want := query(t, db, versions).Rows
	if want[0][1] == want[1][1] {
		t.Fatalf("versions are %v", want)
	}
	both := gather(t, Choice{Kernels: []string{"cpu_*"}}, db)
	if got := query(t, both, versions).Rows; len(got) != 2 || got[0][1] != want[0][1] || got[1][1] != want[1][1] {
		t.Errorf("versions are %v, want %v", got, want)
	}
}
