package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// A Choice says which trials to gather, by their names in the view results. Each list
// holds names, or patterns with * and ? for any characters and any one; of a device a
// part of its name in any case will do. An empty list means all.
type Choice struct {
	Devices, Matrices, Kernels, Precisions, Caches []string
}

// All reports whether everything is chosen.
func (c Choice) All() bool {
	return len(c.Devices)+len(c.Matrices)+len(c.Kernels)+len(c.Precisions)+len(c.Caches) == 0
}

// A criterion is one list of a choice.
type criterion struct {
	what   string // for people
	names  []string
	column string // of the table trial
	table  string // that the column refers to, and which has the names; "": the column is the name
	part   bool   // a part of the name will do
}

func (c Choice) criteria() []criterion {
	return []criterion{
		{"device", c.Devices, "device", "device", true},
		{"matrix", c.Matrices, "matrix", "matrix", false},
		{"kernel", c.Kernels, "kernel", "kernel", false},
		{"precision", c.Precisions, "precision", "", false},
		{"cache state", c.Caches, "cache", "", false},
	}
}

// keep removes the trials that a choice does not allow, and what nothing refers to then.
func (db *DB) keep(ctx context.Context, choice Choice) error {
	if choice.All() {
		return nil
	}
	err := db.transact(ctx, "choosing trials", func(tx *sql.Tx) error {
		for _, c := range choice.criteria() {
			if len(c.names) == 0 {
				continue
			}
			chosen, args, err := c.chosen(ctx, tx)
			if err != nil {
				return err
			}
			condition := c.column + " NOT IN (" + chosen + ")"
			for _, statement := range []string{
				"DELETE FROM sample WHERE trial IN (SELECT id FROM trial WHERE " + condition + ")",
				"DELETE FROM reading WHERE trial IN (SELECT id FROM trial WHERE " + condition + ")",
				"DELETE FROM counted WHERE trial IN (SELECT id FROM trial WHERE " + condition + ")",
				"DELETE FROM trial WHERE " + condition,
			} {
				if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
					return err
				}
			}
		}
		for _, statement := range []string{
			"DELETE FROM sentinel WHERE identity NOT IN (SELECT identity FROM trial)",
			"DELETE FROM claim",
			"DELETE FROM rule",
			"DELETE FROM pattern WHERE matrix NOT IN (SELECT matrix FROM trial)",
			"DELETE FROM matrix WHERE id NOT IN (SELECT matrix FROM trial)",
			"DELETE FROM device WHERE id NOT IN (SELECT device FROM trial)",
			"DELETE FROM kernel WHERE id NOT IN (SELECT kernel FROM trial)",
			"DELETE FROM sweep WHERE id NOT IN (SELECT sweep FROM trial)",
		} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	var unknown unknownName
	if errors.As(err, &unknown) {
		return unknown // without the path of the copy that is chosen from
	}
	return err
}

// An unknownName is a choice of what no trial has.
type unknownName string

func (e unknownName) Error() string { return string(e) }

// chosen is a query for the values of the column that the criterion allows. A name that
// nothing has is an error: more likely it is misspelt than left out.
func (c criterion) chosen(ctx context.Context, tx *sql.Tx) (query string, args []any, err error) {
	key, name, table := "id", "name", c.table
	if table == "" {
		key, name, table = c.column, c.column, "trial"
	}
	var conditions []string
	for _, n := range c.names {
		condition, values := name+" = ? OR "+name+" GLOB ?", []any{n, n}
		if c.part {
			condition, values = condition+" OR instr(lower("+name+"), lower(?))", append(values, n)
		}
		var found bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+table+" WHERE "+condition+")", values...).Scan(&found); err != nil {
			return "", nil, err
		}
		if !found {
			return "", nil, c.unknown(ctx, tx, n, "SELECT DISTINCT "+name+" FROM "+table+" ORDER BY 1")
		}
		conditions, args = append(conditions, condition), append(args, values...)
	}
	return "SELECT " + key + " FROM " + table + " WHERE " + strings.Join(conditions, " OR "), args, nil
}

// unknown says what there is instead of name.
func (c criterion) unknown(ctx context.Context, tx *sql.Tx, name, query string) error {
	names, err := collect(ctx, tx, func(rows *sql.Rows) (s string, err error) {
		err = rows.Scan(&s)
		return s, err
	}, query)
	if err != nil {
		return err
	}
	const listed = 12
	there := strings.Join(names[:min(len(names), listed)], ", ")
	if n := len(names) - listed; n > 0 {
		there += fmt.Sprintf(" and %d more", n)
	}
	return unknownName(fmt.Sprintf("no trial is of %s %q: there are %s", c.what, name, there))
}
