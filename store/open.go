// SPDX-License-Identifier: Apache-2.0

// Package store keeps everything that sweeps find out in one SQLite file: the
// sweeps, the device, the matrices with their features, the kernels, and each
// trial with its raw samples.
//
// Everything that is written goes through one writer: Record, with one commit per trial;
// Import, with many results in one commit; and Gather, which reads other databases and
// imports what it reads. The writer decides which trials count, by the rules of
// trial.Precedence, anew in each case that it touched, and marks all others as superseded. Every
// reader and every view goes by that mark.
//
// schema.sql makes the tables and the views. The SQL on the table trial is in three files:
// columns.go lists its columns, once for reading and writing; trials.go reads it, and
// statements.go writes it.
//
// DecideTies works out what follows from repeats: how far another run may be off, what repeated
// trials take, and which configurations can't be told apart. It is derived, never copied from one
// database to another.
//
// Results flow out through views, whose columns do not change within a major version and
// which any SQLite shell can read, and through typed readers (Results, Best, Good and so
// on). The package refuses files that it did not make, files of a newer program or of one before
// the first release, and every statement given to Query that would do more than read.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/tuner"
)

// A DB is an open results database. Its methods may be called from several
// goroutines, but it records for one run at a time.
type DB struct {
	path  string
	write *sql.DB // one connection; nil if opened with OpenReadOnly
	read  *sql.DB // can't write, whatever it is asked to run
	// options open the file for reading.
	options url.Values
	rec     recorder
	file    os.FileInfo // of the database that is written
	// original is the file that this one is a temporary copy of, or "".
	original  string
	temporary *files.Scratch // of the copy
	twice     []Twice        // see Gather
}

// Open opens the results database at path for reading and recording. It creates
// the file and its folder where they are missing.
//
// The database has a write-ahead log on a local disk and a rollback journal on
// a network file system, where the log's shared memory does not work.
func Open(path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("creating the database's folder: %w", err)
	}

	if err := files.Check(path); err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	return open(context.Background(), path, network(dir))
}

// open does the work of Open; remote says that the file lies on a network file
// system.
func open(ctx context.Context, path string, remote bool) (*DB, error) {
	// Looked at before the journal mode is set, which would change the file.
	if _, err := check(ctx, path, url.Values{"mode": {"rwc"}}); err != nil {
		return nil, err
	}
	options := url.Values{"mode": {"rwc"}, "_foreign_keys": {"1"}, "_txlock": {"immediate"},
		"_journal_mode": {"WAL"}, "_synchronous": {"NORMAL"}}
	if remote {
		options.Set("_journal_mode", "DELETE")
		options.Set("_synchronous", "FULL")
	}

	db := &DB{path: path, write: connect(path, options, nil), options: url.Values{"mode": {"ro"}}}
	db.rec.keys, db.rec.runs = newKeys(), map[string]*tuner.RunInfo{}
	db.write.SetMaxOpenConns(1)
	if err := install(ctx, db.write, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}

	var err error
	if db.file, err = os.Stat(path); err != nil {
		return nil, errors.Join(failed(path, err), db.Close())
	}
	db.read = reader(path, db.options, mostValue)
	return db, nil
}

// OpenReadOnly opens the results database at path for reading. It changes
// nothing in the file's folder that matters to others, and works on a database
// whose writer runs or was killed, and in a folder that can't be written.
func OpenReadOnly(path string) (*DB, error) {
	path, options, err := readable(path)
	if err != nil {
		return nil, err
	}
	return &DB{path: path, read: reader(path, options, mostValue), options: options}, nil
}

// readable finds the absolute path of a database, and the options to read it with. A database
// without results is refused.
func readable(name string) (path string, options url.Values, err error) {
	if path, err = filepath.Abs(name); err != nil {
		return "", nil, fmt.Errorf("opening database: %w", err)
	}
	_, err = os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("there is no database %s: run a sweep first", path)
	}
	if err = cmp.Or(err, files.Check(path)); err != nil {
		return "", nil, fmt.Errorf("opening database: %w", err)
	}

	options = url.Values{"mode": {"ro"}}
	made, err := check(context.Background(), path, options)
	if code, ok := sqliteCode(err); ok && (code == sqlite3.ErrCantOpen || code == sqlite3.ErrReadonly) {
		if options, err = unlock(path, err); err == nil {
			made, err = check(context.Background(), path, options)
		}
	}
	if err != nil {
		return "", nil, err
	}

	if !made {
		return "", nil, fmt.Errorf("%s holds no results yet: run a sweep first", path)
	}
	return path, options, nil
}

// unlock finds the options to read a database that can't simply be opened
// read-only, because of cause.
func unlock(path string, cause error) (url.Values, error) {
	// A killed writer left a rollback journal: recovering is writing.
	if _, err := os.Stat(path + "-journal"); err == nil {
		if _, err := check(context.Background(), path, url.Values{"mode": {"rw"}}); err != nil {
			return nil, fmt.Errorf("%w (an interrupted write must be undone: open it once where the file is writable)", cause)
		}
		return url.Values{"mode": {"ro"}}, nil
	}
	// The folder does not take the log's index. Without a log, or with an empty
	// one, the file alone is the database, and nobody is writing it from here.
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return nil, fmt.Errorf("%w (its newest results are in %s-wal: copy both files to a writable folder)",
			cause, filepath.Base(path))
	}

	return url.Values{"mode": {"ro"}, "immutable": {"1"}}, nil
}

// Close closes the database. The write-ahead log is merged into the file.
func (db *DB) Close() error {
	var errs []error
	// The reader first: the last connection to close merges the log, and a
	// reader could not.
	if db.read != nil {
		errs = append(errs, db.read.Close())
	}
	if db.write != nil {
		errs = append(errs, db.write.Close())
	} else {
		tidy(db.path, db.options)
	}
	if db.temporary != nil {
		errs = append(errs, db.temporary.Remove())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing database %s: %w", db.path, err)
	}
	return nil
}

// tidy removes an empty log and its index, which SQLite leaves behind when it has only read. The
// last connection that could write removes them, if nobody else has the database open. Failure
// does no harm: the files mean nothing.
func tidy(path string, options url.Values) {
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() > 0 || options.Has("immutable") {
		return
	}
	pool := connect(path, url.Values{"mode": {"rw"}}, nil)
	defer pool.Close()
	var n int
	_ = pool.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n)
}

// busy is how long a statement waits for another process to finish its write.
// One commit takes milliseconds, on a network file system perhaps a second; a
// merge may take several.
const busy = 20 * time.Second

// connect gives a pool of connections to the file at path. Nothing is opened
// before the first use. hook runs on each new connection.
func connect(path string, options url.Values, hook func(*sqlite3.SQLiteConn) error) *sql.DB {
	options = maps.Clone(options)
	options.Set("_busy_timeout", strconv.FormatInt(busy.Milliseconds(), 10))
	options.Set("_stmt_cache_size", "64")
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: options.Encode()}
	return sql.OpenDB(connector{dsn.String(), &sqlite3.SQLiteDriver{ConnectHook: hook}})
}

// What may be read: a value's bytes, and the bytes that SQLite holds at once in this process. A user's query gets less.
// SQLite can't be interrupted within a function, and some take the square of a text's length, or its length times that of
// a pattern: json_patch takes longest, seconds for objects of 100 kB.
const (
	mostValue   = 50_000_000
	mostAsked   = 100_000
	mostPattern = 1000
	mostMemory  = 100_000_000
)

// reader gives a pool of connections that can't write, and know no value of more bytes. They see the views of this
// version, whichever made those of the file.
func reader(path string, options url.Values, most int) *sql.DB {
	pool := connect(path, options, func(c *sqlite3.SQLiteConn) error {
		_, err := c.Exec(fmt.Sprintf("%s;\nPRAGMA hard_heap_limit = %d; PRAGMA query_only = 1",
			viewBegins.ReplaceAllString(makeViews, "CREATE TEMP VIEW $1"), mostMemory), nil)
		c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, most)
		c.SetLimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, mostPattern)
		c.RegisterAuthorizer(authorize)
		return cmp.Or(err, addFunctions(c))
	})
	pool.SetMaxOpenConns(4)
	return pool
}

// A connector opens connections without a driver registered by name.
type connector struct {
	dsn    string
	driver *sqlite3.SQLiteDriver
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.driver }

// OpenCurrent is OpenReadOnly for a database whose times are put beside those of others. A run that
// was killed, or goes on, has not decided ties, and its intervals are those within the run. Of such a
// database it opens a temporary copy, decides the ties there, and removes it with Close. The file
// itself stays as it is.
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
	temporary, err := files.NewScratch(folder, "spmvtune-copy-")
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

// current reports whether the ties of the database are decided.
func (db *DB) current(ctx context.Context) (bool, error) {
	places, err := db.from().places(ctx)
	return err == nil && !slices.ContainsFunc(places, settled.open), db.wrap("looking for ties", err)
}

// Path returns the absolute path of the database file that was opened.
func (db *DB) Path() string { return cmp.Or(db.original, db.path) }
