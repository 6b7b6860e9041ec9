package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A Scratch is a connection that reads a database and has temporary tables of its own
// beside it, for questions that take several steps. The database can't be changed
// through it. It is for one goroutine.
type Scratch struct {
	path string
	pool *sql.DB
	conn *sql.Conn
}

// Scratch opens one. Its tables are in memory, and gone when it is closed. It has a view
// counting of the trials that count, with their times in milliseconds.
func (db *DB) Scratch(ctx context.Context) (*Scratch, error) {
	s := &Scratch{path: db.path, pool: connect(db.path, db.options, nil)}
	var err error
	if s.conn, err = s.pool.Conn(ctx); err != nil {
		return nil, errors.Join(failed(db.path, err), s.pool.Close())
	}
	if err := s.Exec(ctx, "PRAGMA temp_store = memory; "+db.from().countingView()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Exec runs statements, which may make temporary tables.
func (s *Scratch) Exec(ctx context.Context, statements string, args ...any) error {
	if _, err := s.conn.ExecContext(ctx, statements, args...); err != nil {
		return failed(s.path, err)
	}
	return nil
}

// Fill inserts rows into a temporary table with the same number of columns.
func (s *Scratch) Fill(ctx context.Context, table string, rows [][]any) (err error) {
	if len(rows) == 0 {
		return nil
	}
	tx, err := s.conn.BeginTx(ctx, nil)
	if err != nil {
		return failed(s.path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("filling %s: %w", table, failed(s.path, err)), tx.Rollback())
		}
	}()

	marks := "?"
	for range len(rows[0]) - 1 {
		marks += ", ?"
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO temp."+table+" VALUES ("+marks+")")
	if err != nil {
		return err
	}
	defer insert.Close()

	for _, row := range rows {
		if _, err = insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}

	return tx.Commit()
}

// Query runs one SQL statement.
func (s *Scratch) Query(ctx context.Context, statement string, args ...any) (*Table, error) {
	t, err := readTable(ctx, s.conn, statement, args...)
	if err != nil {
		return nil, failed(s.path, err)
	}
	return t, nil
}

// Close drops the temporary tables.
func (s *Scratch) Close() error { return errors.Join(s.conn.Close(), s.pool.Close()) }
