package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

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
		var any []*criterion
		for _, name := range one.chosen {
			any = append(any, &criterion{names: &one.names, name: name})
		}
		if len(any) > 0 {
			list = append(list, any)
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
	for _, any := range c {
		for _, one := range any {
			condition, args := one.condition()
			found, err := texts(ctx, from,
				"SELECT "+one.column+" FROM "+one.table+" WHERE "+condition+" LIMIT 1", args...)
			if err != nil {
				return err
			}
			if one.found = one.found || len(found) > 0; one.found {
				continue
			}
			there, err := from.names(ctx, one.column)
			if err != nil {
				return err
			}
			one.there = append(one.there, there...)
		}
	}

	return nil
}

// unknown returns an error for a name that no database has: more likely it is misspelt
// than left out.
func (c chosen) unknown() error {
	const listed = 12
	for _, any := range c {
		for _, one := range any {
			if one.found {
				continue
			}
			slices.Sort(one.there)
			names := slices.Compact(one.there)
			there := strings.Join(names[:min(len(names), listed)], ", ")
			if n := len(names) - listed; n > 0 {
				there += fmt.Sprintf(" and %d more", n)
			}
			return fmt.Errorf("no trials for %s %q; available: %s", one.what, one.name, there)
		}
	}

	return nil
}
