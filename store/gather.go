// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
)

// Gather makes a database at path, which must not exist yet. It copies the trials that choice
// allows from other databases, with all that belongs to them, and decides their ties. Equal
// devices, and matrices of equal content, become one. If several databases have a trial, the one
// that ended well and was measured first is kept, and the repeats of all count. Which trials of a
// configuration and of a place count is decided as in any database. What no trial refers to is left
// out, except repeats where every trial is wanted: theirs may come with another database.
//
// The other databases are only read.
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
		return newWriter(tx, newKeys()).adopt(ctx, from.from())
	})
}

// adopt adds all repeats of a database: their trials may be in another one.
func (w *writer) adopt(ctx context.Context, from source) error {
	reruns, err := from.reruns(ctx, "true")
	if err != nil {
		return err
	}
	origins, err := from.origins(ctx)
	if err != nil {
		return err
	}

	here := map[int64]int64{0: 0} // keys of origins here, by their keys there
	for _, list := range reruns {
		for _, r := range list {
			if _, known := here[r.origin]; !known {
				if here[r.origin], err = putOrigin(ctx, w.tx, origins[r.origin]); err != nil {
					return err
				}
			}
			r.origin = here[r.origin]
			if err := w.rerun(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaveRepeats deletes repeats of trials that were not chosen, and origins of nothing else.
func leaveRepeats(tx *sql.Tx) error {
	_, err := tx.Exec(`DELETE FROM rerun WHERE identity NOT IN (SELECT identity FROM trial);
		DELETE FROM origin WHERE id NOT IN (SELECT origin FROM trial WHERE origin IS NOT NULL)
			AND id NOT IN (SELECT origin FROM rerun WHERE origin IS NOT NULL)`)
	return err
}

// A Choice says which trials to gather, by their names in the view results. Each list holds
// names, or patterns in which * stands for any characters and ? for one. A part of a device's
// name is enough, in upper or lower case. An empty list means all.
type Choice struct {
	Devices, Matrices, Kernels, Precisions, Caches []string
}

// All reports whether everything is chosen.
func (c Choice) All() bool {
	return len(c.Devices)+len(c.Matrices)+len(c.Kernels)+len(c.Precisions)+len(c.Caches) == 0
}

// A criterion is one name, or pattern, of a choice.
type criterion struct {
	*names
	name  string
	found bool // a database has it
}

// names are one list of a choice, and what databases have instead.
type names struct {
	what   string   // what the names are called in messages
	column string   // expression for the names
	full   string   // expression for names that uniting databases may give instead, or ""
	table  string   // table of the column
	part   bool     // whether a part of the name is enough
	there  []string // names that the databases have
}

// chosen are the criteria of a choice: one of each list must hold. Looking for their names in
// databases changes them.
type chosen [][]*criterion

// criteria makes them of a choice.
func criteria(c Choice) chosen {
	var list chosen
	for _, one := range []struct {
		chosen []string
		names
	}{
		{c.Devices, names{what: "device", table: "device d", column: "d.name",
			full: "d.model || ' (' || d.backend || ' ' || d.driver || ')'", part: true}},
		{c.Matrices, names{what: "matrix", table: "matrix m", column: "m.name",
			full: "m.name || '~' || substr(m.hash, -8)"}},
		{c.Kernels, names{what: "kernel", table: "kernel k", column: "k.name"}},
		{c.Precisions, names{what: "precision", table: "trial t", column: "t.precision"}},
		{c.Caches, names{what: "cache state", table: "trial t", column: "t.cache"}},
	} {
		if len(one.chosen) > 0 {
			list = append(list, lists.Of(one.chosen, func(name string) *criterion {
				return &criterion{names: &one.names, name: name}
			}))
		}
	}

	return list
}

// conditions are those on trials, with their values.
func (c chosen) conditions() (conditions []string, args []any) {
	for _, any := range c {
		var either []string
		for _, one := range any {
			condition, values := one.condition()
			either, args = append(either, condition), append(args, values...)
		}
		conditions = append(conditions, "("+strings.Join(either, " OR ")+")")
	}
	return conditions, args
}

func (c *criterion) condition() (condition string, args []any) {
	for _, column := range []string{c.column, c.full} {
		if column == "" {
			continue
		}
		if condition != "" {
			condition += " OR "
		}
		condition, args = condition+column+" = ? OR "+column+" GLOB ?", append(args, c.name, c.name)
		if c.part {
			condition, args = condition+" OR instr(lower("+column+"), lower(?))", append(args, c.name)
		}
	}

	return condition, args
}

// lookFor looks for the names of the criteria in a database.
func (c chosen) lookFor(ctx context.Context, from source) error {
	for _, one := range slices.Concat(c...) {
		condition, args := one.condition()
		found, err := texts(ctx, from, "SELECT "+one.column+" FROM "+one.table+" WHERE "+condition+" LIMIT 1", args...)
		if one.found = one.found || len(found) > 0; err == nil && !one.found {
			found, err = from.names(ctx, one.column)
			one.there = append(one.there, found...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unknown returns an error for a name that no database has: more likely it is misspelt
// than left out.
func (c chosen) unknown() error {
	for _, one := range slices.Concat(c...) {
		if !one.found {
			names := slices.Compact(slices.Sorted(slices.Values(one.there)))
			return fmt.Errorf("no trials for %s %q: %s", one.what, one.name, configs.Instead(one.name, names))
		}
	}
	return nil
}
