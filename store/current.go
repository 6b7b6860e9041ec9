package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"spmvtune/internal/base/files"
)

// OpenCurrent is OpenReadOnly for a database whose kernels and times are put beside those of
// others. Older versions gave some kernels other names, and knew no intervals of another run. A run
// that was killed, or goes on, has not decided ties, and its intervals are those within the run.
// Such a database is brought up to date in a temporary copy, with ties decided, which Close
// removes. The file itself stays as it is.
func OpenCurrent(ctx context.Context, path string) (*DB, error) { return openCurrent(ctx, path, "") }

// openCurrent does the work of OpenCurrent. A copy goes to a new folder below folder or, if that
// is empty, where temporary files go.
func openCurrent(ctx context.Context, path, folder string) (db *DB, err error) {
	if db, err = OpenReadOnly(path); err != nil {
		return db, err
	}
	if current, err := db.current(ctx); current {
		return db, nil
	} else if err != nil {
		return nil, errors.Join(err, db.Close())
	}

	original := db.path
	temporary, err := files.NewScratch(folder, "spmvtune-older-")
	if err != nil {
		err = fmt.Errorf("reading a copy of %s in %s: %w", original, cmp.Or(folder, os.TempDir()), err)
		return nil, errors.Join(err, db.Close())
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, temporary.Remove())
		}
	}()
	copied := filepath.Join(temporary.Path(), "results.db")
	if err := errors.Join(db.copyTo(ctx, copied), db.Close()); err != nil {
		return nil, fmt.Errorf("reading a copy of %s in %s: %w", original, temporary.Path(), err)
	}
	if db, err = Open(copied); err != nil {
		return nil, failed(original, err)
	}

	db.original, db.temporary = original, temporary
	if _, err := db.DecideTies(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// current reports whether the database is of this version, and its ties are decided.
func (db *DB) current(ctx context.Context) (bool, error) {
	if db.schema < len(migrations) {
		return false, nil
	}
	places, err := db.from().places(ctx)
	return err == nil && !slices.ContainsFunc(places, settled.open), db.wrap("looking for ties", err)
}

// Path returns the absolute path of the database file that was opened.
func (db *DB) Path() string { return cmp.Or(db.original, db.path) }

// removeCopy removes the database if it is a temporary copy.
func (db *DB) removeCopy() error {
	if db.original == "" {
		return nil
	}
	return db.temporary.Remove()
}
