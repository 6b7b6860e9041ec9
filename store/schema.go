// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"database/sql"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"time"

	"github.com/mattn/go-sqlite3"

	"example.org/spmvtune/internal/base/files"
)

// texts returns the single text column that a query gives.
func texts(ctx context.Context, db queryer, query string, args ...any) ([]string, error) {
	return collect(ctx, db, func(s *string) []any { return []any{s} }, query, args...)
}

// A queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// applicationID marks our files in SQLite's header: "SpMV".
const applicationID = 0x53704d56

// schemaVersion is the user_version of files with this schema. Those from firstVersion on have the same tables,
// and views that are made anew. The program had versions up to 22 before its first release, with other schemas.
const firstVersion, schemaVersion = 100, 102

// schema makes the tables and views of a new file.
//
//go:embed schema.sql
var schema string

// install makes the schema where the file has none, and the views where it has an earlier version's: who
// only reads sees those of this version beside them. The version is read in the transaction, because another
// process may be creating the same file.
//
// Changing to a write-ahead log, which the first use of the connection does, is
// refused at once instead of waiting while another process creates the same
// file; so it is tried again for a while.
func install(ctx context.Context, db *sql.DB, path string) error {
	const pause = 10 * time.Millisecond
	for deadline := time.Now().Add(busy); ; time.Sleep(pause) {
		err := within(ctx, db, func(tx *sql.Tx) error {
			var version int
			if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); version == schemaVersion || err != nil {
				return err
			}
			script := schema
			if version > 0 {
				script = viewBegins.ReplaceAllString(makeViews, "DROP VIEW IF EXISTS $1;\n$0")
			}
			_, err := tx.ExecContext(ctx, fmt.Sprintf("%s;\nPRAGMA application_id = %d; PRAGMA user_version = %d", script,
				applicationID, schemaVersion))
			return err
		})
		if code, ok := sqliteCode(err); ok && code == sqlite3.ErrBusy && time.Now().Before(deadline) {
			continue
		}
		if err != nil {
			return fmt.Errorf("creating the tables: %w", failed(path, err))
		}
		return nil
	}
}

// within runs f in a transaction.
func within(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// check refuses a file that is not ours or that this program does not know, and reports whether it
// has the schema. An empty file is ours.
func check(ctx context.Context, path string, options url.Values) (made bool, err error) {
	db := connect(path, options, nil)
	defer func() { err = errors.Join(err, db.Close()) }()
	var objects, application, version int
	// In one statement: another process may be creating the file.
	err = db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version
		FROM pragma_application_id, pragma_user_version`).Scan(&objects, &application, &version)
	switch {
	case err != nil:
		return false, failed(path, err)
	case objects == 0 && application == 0 && version == 0:
		return false, nil
	case application != applicationID:
		return false, fmt.Errorf("%s is an SQLite database of another program: give another path", path)
	case version > schemaVersion:
		return false, fmt.Errorf("%s was written by a newer version of this program (schema %d, this one knows %d): "+
			"update the program", path, version, schemaVersion)
	case version < 0:
		return false, fmt.Errorf("database %s: its schema has the version %d: %w", path, version, errDamaged)
	case version > 0 && version < firstVersion:
		return false, fmt.Errorf("%s was written by a version of this program before 0.1.0 (schema %d), whose databases "+
			"this one does not read: measure again into another file, or read it with that version", path, version)
	case version == 0:
		return false, nil
	}
	return true, checkValues(ctx, path, db)
}

// Size is that of a database in bytes by its header, which never shrinks; 0 where the file is no database of this
// program, or was cut.
func Size(path string) int64 {
	f, err := files.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	head := make([]byte, 100) // https://www.sqlite.org/fileformat.html
	_, err = io.ReadFull(f, head)
	if err != nil || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) || binary.BigEndian.Uint32(head[68:]) != applicationID {
		return 0
	}
	size := int64(binary.BigEndian.Uint16(head[16:])) * int64(binary.BigEndian.Uint32(head[28:]))
	if info, err := f.Stat(); err != nil || info.Size() < size {
		return 0
	}
	return size
}

// errDamaged says that a file is not what was written.
var errDamaged = errors.New("the file is damaged")

// Damaged reports whether an error of opening or importing says that a file is not what was written:
// statements of this program's own are wrong where the schema is.
func Damaged(err error) bool {
	code, ok := sqliteCode(err)
	return errors.Is(err, errDamaged) || ok && code == sqlite3.ErrError
}

// A foreign error says in its own words that a file was never this program's, or was damaged.
type foreign struct{ error }

func (foreign) Is(target error) bool { return target == errDamaged }

// wrap says what an error interrupted. It returns nil if there is none.
func (db *DB) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, failed(db.Path(), err))
}

// failed adds the file's name to an error of SQLite, and what it means for the
// user where SQLite's own words do not say.
func failed(path string, err error) error {
	if code, ok := sqliteCode(err); ok {
		switch code {
		case sqlite3.ErrNotADB:
			return foreign{fmt.Errorf("%s is not an SQLite database: give another path", path)}
		case sqlite3.ErrCorrupt:
			return fmt.Errorf("database %s: %w: %w", path, err, errDamaged)
		case sqlite3.ErrBusy, sqlite3.ErrLocked:
			return fmt.Errorf("database %s is in use by another process: %w", path, err)
		case sqlite3.ErrFull:
			return fmt.Errorf("database %s: %w: free some space and run again; what is recorded is kept", path, err)
		}
	}

	return fmt.Errorf("database %s: %w", path, err)
}

// sqliteCode returns the primary error code in err's chain.
func sqliteCode(err error) (sqlite3.ErrNo, bool) {
	e, ok := errors.AsType[sqlite3.Error](err)
	return e.Code, ok
}

// A Column is a column of a stable view, and what it says.
type Column struct{ Name, Doc string }

// A View is one of the stable views: what it has a row for, and its columns in their order.
type View struct {
	Name, Row string
	Columns   []Column
}

// In the schema, a stable view and each of its columns have comments behind them.
var (
	viewBegins      = regexp.MustCompile(`(?m)^CREATE VIEW (\w+)`)
	makeViews       = schema[viewBegins.FindStringIndex(schema)[0]:] // behind the first are views alone
	commentedView   = regexp.MustCompile(`(?ms)^CREATE VIEW (\w+) AS -- (.+?)$(.+?);$`)
	commentedColumn = regexp.MustCompile(`(?m)(\w+),? -- (.+)$`)
)

// Explained returns the stable views, the most useful first: users and scripts may rely on their columns.
func Explained() (views []View) {
	results := map[string]string{}
	for _, v := range commentedView.FindAllStringSubmatch(schema, -1) {
		view := View{Name: v[1], Row: v[2]}
		for _, c := range commentedColumn.FindAllStringSubmatch(v[3], -1) {
			if len(views) == 0 {
				results[c[1]] = c[2]
			} else if c[2] == "see results" {
				c[2] = results[c[1]]
			}
			view.Columns = append(view.Columns, Column{c[1], c[2]})
		}
		views = append(views, view)
	}
	return views
}
