package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/mattn/go-sqlite3"
)

// A Table is the answer to a query.
type Table struct {
	Columns []string
	Rows    [][]any // int64, float64, string, []byte or nil
}

// Views are the stable views: users and scripts may rely on their columns.
var Views = []string{"best", "features", "profile", "results", "speedup", "telemetry"}

// identifier matches the name of a view or table standing alone.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Query runs one SQL statement that reads, or shows the view or table whose
// name it is given. Whatever the text is, the database is not changed: the file
// is open for reading only, the connection refuses to write, and a statement is
// not even compiled that would do more than read.
func (db *DB) Query(ctx context.Context, sqlOrView string) (*Table, error) {
	t := &Table{}
	return t, db.Each(ctx, sqlOrView, t.head, t.add)
}

// Each is Query for an answer of any length: it gives the names of the columns to head, and then each
// row to row, until one of them returns an error.
func (db *DB) Each(ctx context.Context, sqlOrView string, head func([]string) error, row func([]any) error) error {
	statement, rest := firstStatement(sqlOrView)
	statement = strings.TrimSpace(statement)
	switch {
	case blank(statement):
		return errors.New("nothing to run: give one SQL statement, or one of the views " +
			strings.Join(Views, ", "))
	case rest != "":
		return fmt.Errorf("one statement at a time: after the first comes %q", abbreviate(rest))
	case identifier.MatchString(statement):
		statement = `SELECT * FROM "` + statement + `"`
	}

	var refused error
	noted := func(values []any) error {
		refused = row(values)
		return refused
	}
	err := eachRow(ctx, db.read, statement, nil, head, noted)
	if err != nil && refused == nil {
		err = db.explain(ctx, err)
	}
	return err
}

func (t *Table) head(columns []string) error { t.Columns = columns; return nil }
func (t *Table) add(row []any) error         { t.Rows = append(t.Rows, row); return nil }

// readTable returns the answer to a statement.
func readTable(ctx context.Context, db queryer, statement string, args ...any) (*Table, error) {
	t := &Table{}
	return t, eachRow(ctx, db, statement, args, t.head, t.add)
}

// eachRow gives what a statement answers to head and row.
func eachRow(ctx context.Context, db queryer, statement string, args []any, head func([]string) error,
	row func([]any) error) error {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err == nil {
		err = head(columns)
	}
	for err == nil && rows.Next() {
		values, cells := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			cells[i] = &values[i]
		}
		if err = rows.Scan(cells...); err == nil {
			err = row(values)
		}
	}

	if err == nil {
		err = rows.Err()
	}
	return err
}

// explain puts SQLite's error in the user's words.
func (db *DB) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return err
	}
	message := e.Error()
	if name, ok := strings.CutPrefix(message, "no such table: "); ok {
		if slices.Contains(Views, strings.ToLower(name)) {
			return fmt.Errorf("this database is older than the view %s: run its sweep again, or merge, to update it",
				name)
		}
		names, err := relations(ctx, db.read)
		return errors.Join(unknown("view or table", name, names), err)
	}

	if name, ok := strings.CutPrefix(message, "no such column: "); ok {
		names, err := allColumns(ctx, db.read)
		said := unknown("column", name[strings.LastIndex(name, ".")+1:], names)
		if !strings.Contains(name, ".") {
			said = fmt.Errorf("%w (a text needs quotes: '%s')", said, name)
		}
		return errors.Join(said, err)
	}

	switch e.Code {
	case sqlite3.ErrAuth, sqlite3.ErrReadonly:
		return errors.New("query only reads: this statement would change the database or its settings, or open " +
			"another file")
	case sqlite3.ErrNomem:
		return fmt.Errorf("the query needs more than %d MB of memory: ask for less at a time", mostMemory/1_000_000)
	case sqlite3.ErrTooBig:
		return fmt.Errorf("a value of the query, or its text, is larger than %d MB", mostValue/1_000_000)
	case sqlite3.ErrFull:
		return fmt.Errorf("the query's temporary files do not fit into %s: TMPDIR names another folder", os.TempDir())
	case sqlite3.ErrError:
		return fmt.Errorf("the SQL does not run: %s", message)
	}

	return failed(db.path, err)
}

// unknown says that there is no such name and which one may be meant.
func unknown(what, name string, names []string) error {
	best, least := "", max(2, len(name)/3)+1
	for _, n := range names {
		if n == strings.ToLower(name) {
			continue // a column of some other view or table
		}
		if d := levenshtein.Distance(strings.ToLower(name), n, nil); d < least {
			best, least = n, d
		}
	}

	if best == "" {
		return fmt.Errorf("there is no %s %q: the views are %s", what, name, strings.Join(Views, ", "))
	}
	return fmt.Errorf("there is no %s %q: did you mean %q?", what, name, best)
}

// abbreviate shortens a text that is quoted in an error.
func abbreviate(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
