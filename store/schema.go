package store

import (
	"context"
	"database/sql"
)

// relations lists the views and then the tables, each by name.
func relations(ctx context.Context, db *sql.DB) ([]string, error) {
	return texts(ctx, db, `SELECT name FROM sqlite_master
		WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type DESC, name`)
}

// allColumns lists the names of the columns of all views and tables, once each.
func allColumns(ctx context.Context, db *sql.DB) ([]string, error) {
	return texts(ctx, db, `SELECT DISTINCT c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type IN ('view', 'table') ORDER BY c.name`)
}

// column is what to select a column of a table by: its name, or null in a file that an
// older program wrote, and which is only read.
func (db *DB) column(ctx context.Context, table, name string) (string, error) {
	found, err := texts(ctx, db.read, `SELECT name FROM pragma_table_info(?) WHERE name = ?`, table, name)
	if err != nil || len(found) == 0 {
		return "NULL", err
	}
	return name, nil
}

// texts returns the single text column that a query gives.
func texts(ctx context.Context, db *sql.DB, query string, args ...any) ([]string, error) {
	return collect(ctx, db, func(rows *sql.Rows) (s string, err error) {
		err = rows.Scan(&s)
		return s, err
	}, query, args...)
}

// A queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// collect returns what scan makes of each row of a query.
func collect[T any](ctx context.Context, db queryer, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
