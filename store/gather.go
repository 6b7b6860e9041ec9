package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
)

// Gather makes a database at path, which must not exist yet. It copies the trials that choice
// allows from other databases, with all that belongs to them, and decides their ties. Equal
// devices, and matrices of equal content, become one. If several databases have a trial, the one
// that ended well and was measured first is kept, and the repeats of all count. Which trials of a
// configuration and of a place count is decided as in any database. What no trial refers to is left
// out, except repeats where every trial is wanted: theirs may come with another database.
//
// The other databases are only read, whatever version wrote them.
func Gather(ctx context.Context, path string, from []string, choice Choice) (*DB, error) {
	if len(from) == 0 {
		return nil, errors.New("gathering trials: no database is given")
	}
	if choice.All() { // a copy of the first, which lacks nothing, has the others added
		first, err := OpenReadOnly(from[0])
		if err != nil {
			return nil, err
		}
		if err := errors.Join(first.copyTo(ctx, path), first.Close()); err != nil {
			return nil, err
		}
		from = from[1:]
	}

	db, err := Open(path)
	if err != nil {
		return nil, err
	}
	names := criteria(choice)

	for _, name := range from {
		if err := db.unite(ctx, name, names); err != nil {
			return nil, errors.Join(fmt.Errorf("adding %s: %w", name, err), db.Close())
		}
	}
	err = names.unknown()
	if err == nil && !choice.All() {
		err = db.transact(ctx, "leaving out repeats", leaveRepeats)
	}
	if err == nil {
		_, err = db.DecideTies(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Twice counts the trials of a database that those before it have, too, of other measurements: those that count, because
// they were measured first, and those that do not.
type Twice struct {
	Name      string
	Won, Lost int
}

// Twice says which of the gathered databases have trials that others have measured, too.
func (db *DB) Twice() []Twice { return db.twice }

// copyTo copies the database to a new file.
func (db *DB) copyTo(ctx context.Context, path string) error {
	source := connect(db.path, db.options, nil) // a reader may attach no file
	defer source.Close()
	if _, err := source.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("copying database: %w", failed(db.path, err))
	}
	return nil
}

// unite adds the trials of the database of this name that are chosen.
func (db *DB) unite(ctx context.Context, name string, chosen chosen) (err error) {
	from, err := openCurrent(ctx, name, filepath.Dir(db.path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := chosen.lookFor(ctx, from.from()); err != nil {
		return failed(name, err)
	}

	sum, err := db.Import(ctx, from.batches(ctx, chosen))
	if err != nil {
		return err
	}
	if sum.Won+sum.Lost > 0 {
		db.twice = append(db.twice, Twice{Name: name, Won: sum.Won, Lost: sum.Lost})
	}
	return db.transact(ctx, "adding repeats", func(tx *sql.Tx) error {
		return newWriter(ctx, tx, db.rec.stmts, newKeys()).adopt(ctx, from.from())
	})
}

// adopt adds all repeats of a database: their trials may be in another one.
func (w *writer) adopt(ctx context.Context, from source) error {
	repeats, err := from.repeats(ctx, "true")
	if err != nil {
		return err
	}
	origins, err := from.origins(ctx)
	if err != nil {
		return err
	}

	here := map[int64]int64{0: 0} // keys of origins here, by their keys there
	for _, list := range repeats {
		for _, r := range list {
			if _, known := here[r.origin]; !known {
				if here[r.origin], err = putOrigin(ctx, w.tx, origins[r.origin]); err != nil {
					return err
				}
			}
			r.origin = here[r.origin]
			if err := w.again(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaveRepeats deletes repeats of trials that were not chosen, and origins of nothing else.
func leaveRepeats(tx *sql.Tx) error {
	for _, statement := range []string{
		"DELETE FROM sentinel WHERE identity NOT IN (SELECT identity FROM trial)",
		`DELETE FROM origin WHERE id NOT IN (SELECT origin FROM trial WHERE origin IS NOT NULL)
			AND id NOT IN (SELECT origin FROM sentinel WHERE origin IS NOT NULL)`,
	} {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}
