package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"spmvtune/rule"
	"spmvtune/store"
)

// A Job is a database with what was read from it.
type Job struct {
	db       *store.DB
	writable bool
	gathered bool         // db is a temporary copy of what was chosen from others
	close    func() error // nil if the database is the caller's

	rows     []store.Row
	matrices []store.Matrix
	sweeps   []store.Sweep
	seen     []rule.Observation // nil until Observations is called
}

// Of decides the ties of an open database and reads it.
func Of(ctx context.Context, db *store.DB) (*Job, error) {
	_, err := db.DecideTies(ctx)
	return (&Job{db: db, writable: true}).read(ctx, err)
}

// Open is Of for the database at path, which Close closes. It updates a database of an older
// version. A database that cannot be written stays as it is: see OpenReadOnly.
func Open(ctx context.Context, path string) (*Job, error) {
	// OpenReadOnly goes first: opening to write would create a missing database.
	first, err := store.OpenReadOnly(path)
	if err == nil {
		err = first.Close()
	}
	if err != nil {
		return nil, err
	}
	if !canWrite(path) {
		return OpenReadOnly(ctx, path)
	}

	db, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	_, err = db.DecideTies(ctx)
	return (&Job{db: db, writable: true, close: db.Close}).read(ctx, err)
}

// OpenReadOnly is Open for a database that stays as it is: what it lacks is decided in a copy. See
// store.OpenCurrent.
func OpenReadOnly(ctx context.Context, path string) (*Job, error) {
	db, err := store.OpenCurrent(ctx, path)
	if err != nil {
		return nil, err
	}
	return (&Job{db: db, close: db.Close}).read(ctx, nil)
}

// Gather makes one job of several databases, or of some of their trials. It copies them and
// leaves them as they are. Close removes the copy.
func Gather(ctx context.Context, paths []string, choice store.Choice) (*Job, error) {
	folder, err := os.MkdirTemp("", "spmvtune-report-*")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the report's database: %w", err)
	}
	db, err := store.Gather(ctx, filepath.Join(folder, DatabaseFile), paths, choice)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}

	remove := func() error { return errors.Join(db.Close(), os.RemoveAll(folder)) }
	return (&Job{db: db, gathered: true, close: remove}).read(ctx, nil)
}

// read reads the database of j. If that fails, or err says that something failed before, it
// closes the database.
func (j *Job) read(ctx context.Context, err error) (*Job, error) {
	if err == nil {
		j.rows, err = j.db.Results(ctx, store.Filter{})
	}
	if err == nil {
		j.matrices, err = j.db.Features(ctx)
	}
	if err == nil {
		j.sweeps, err = j.db.Sweeps(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}

	return j, nil
}

// Close closes the database, unless it is the caller's.
func (j *Job) Close() error {
	if j == nil || j.close == nil {
		return nil
	}
	return j.close()
}

// DB is the database.
func (j *Job) DB() *store.DB { return j.db }

// Matrices are the matrices with their features.
func (j *Job) Matrices() []store.Matrix { return j.matrices }

// Observations are the trials as a rule learns from them.
func (j *Job) Observations(ctx context.Context) ([]rule.Observation, error) {
	var err error
	if j.seen == nil {
		j.seen, err = rule.FromRows(ctx, j.db, j.rows, j.matrices)
	}
	return j.seen, err
}

// Unverified are the kernels whose y nobody sees, which no rule takes.
func (j *Job) Unverified() (names []string) {
	for i := range j.rows {
		if r := &j.rows[i]; !r.Verified() && !slices.Contains(names, r.Kernel) {
			names = append(names, r.Kernel)
		}
	}
	return names
}

// canWrite reports whether a file and its folder can be written, which SQLite needs.
func canWrite(path string) bool {
	const w = 2 // W_OK
	return syscall.Access(path, w) == nil && syscall.Access(filepath.Dir(path), w) == nil
}
