package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"spmvtune/store"
)

// outRoot is where runs leave their results unless --out says otherwise.
const outRoot = "spmvtune-out"

// openDatabase opens the named results database for reading, or, if no name is
// given, the only one below the results folder.
func openDatabase(name string) (*store.DB, string, error) {
	if name == "" {
		found, err := filepath.Glob(filepath.Join(outRoot, "*", "results.db"))
		if err != nil {
			return nil, "", err
		}
		switch len(found) {
		case 0:
			return nil, "", withHint(errors.New("no results database here"),
				"spmvtune run quickstart makes one; or name one")
		case 1:
			name = found[0]
		default:
			return nil, "", &exitError{exitUsage, fmt.Errorf("several results databases here: %v", found), "name one of them"}
		}
	}
	db, err := store.OpenReadOnly(name)
	return db, name, err
}
