package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

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
