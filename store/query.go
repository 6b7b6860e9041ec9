// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/mattn/go-sqlite3"

	"example.org/spmvtune/configs"
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

// Names lists the names in a table of the schema, such as matrix, of which there are trials, sorted.
func (db *DB) Names(ctx context.Context, table string) ([]string, error) {
	return texts(ctx, db.read, "SELECT DISTINCT name FROM "+table+" WHERE id IN (SELECT "+table+" FROM trial) ORDER BY 1")
}

// Each is Query for an answer of any length: it gives the names of the columns to head, and then each
// row to row, until one of them returns an error.
func (db *DB) Each(ctx context.Context, sqlOrView string, head func([]string) error, row func([]any) error) error {
	statement, rest := firstStatement(sqlOrView)
	statement = strings.TrimSpace(statement)
	switch {
	case statement == "":
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
	asked := reader(db.path, db.options, mostAsked)
	defer asked.Close() // it was only read
	err := eachRow(ctx, asked, statement, nil, head, noted)
	if err != nil && refused == nil {
		err = db.explain(ctx, err)
	}
	return err
}

func (t *Table) head(columns []string) error { t.Columns = columns; return nil }
func (t *Table) add(row []any) error         { t.Rows = append(t.Rows, row); return nil }

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
	values, cells := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		cells[i] = &values[i]
	}
	return scanRows(rows, err, cells, func() error { return row(slices.Clone(values)) })
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
		names, err := texts(ctx, db.read, `SELECT name FROM sqlite_master
			WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type DESC, name`)
		return errors.Join(unknown("view or table", name, names), err)
	}

	if name, ok := strings.CutPrefix(message, "no such column: "); ok {
		names, err := texts(ctx, db.read, `SELECT DISTINCT c.name FROM sqlite_master m, pragma_table_info(m.name) c
			WHERE m.type IN ('view', 'table') ORDER BY c.name`)
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
		return fmt.Errorf("a value of the query, or its text, is larger than %d kB: take substr() of it, or ask for less in a row", mostAsked/1000)
	case sqlite3.ErrFull:
		return fmt.Errorf("the query's temporary files do not fit into %s: TMPDIR names another folder", os.TempDir())
	case sqlite3.ErrError:
		return fmt.Errorf("the SQL does not run: %s", message)
	}

	return failed(db.path, err)
}

// unknown says that there is no such name and which one may be meant.
func unknown(what, name string, names []string) error {
	others := slices.DeleteFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) // of some other view
	if near := configs.Nearest(name, others); near != "" {
		return fmt.Errorf("there is no %s %q: did you mean %q?", what, name, near)
	}
	return fmt.Errorf("there is no %s %q: the views are %s", what, name, strings.Join(Views, ", "))
}

// abbreviate shortens a text that is quoted in an error.
func abbreviate(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// authorize is asked by SQLite, while it compiles a statement, for everything
// that the statement is going to do. It allows reading.
// See https://www.sqlite.org/c3ref/c_alter_table.html for the actions.
func authorize(action int, arg1, arg2, _ string) int {
	const recursive = 33 // SQLITE_RECURSIVE, a WITH RECURSIVE; the driver does not name it
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, recursive:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_FUNCTION:
		if !strings.EqualFold(arg2, "load_extension") {
			return sqlite3.SQLITE_OK
		}
	case sqlite3.SQLITE_PRAGMA:
		// arg1 is the pragma, arg2 its argument.
		if argument, ok := harmless[strings.ToLower(arg1)]; ok && (argument || arg2 == "") {
			return sqlite3.SQLITE_OK
		}
	}

	return sqlite3.SQLITE_DENY
}

// harmless are the pragmas that only read. The value says whether an argument is allowed, which
// names what the pragma tells about.
var harmless = map[string]bool{
	"table_info":       true,
	"table_xinfo":      true,
	"table_list":       true,
	"index_list":       true,
	"index_info":       true,
	"index_xinfo":      true,
	"foreign_key_list": true,
	"integrity_check":  true,
	"quick_check":      true,
	"application_id":   false,
	"user_version":     false,
	"schema_version":   false,
	"journal_mode":     false,
	"page_count":       false,
	"page_size":        false,
	"freelist_count":   false,
	"encoding":         false,
	"database_list":    false,
	"function_list":    false,
	"compile_options":  false,
}

// sqlToken matches what SQL begins with: blanks or a comment, a semicolon, or something else. A doubled quote
// inside a string ends one string and starts the next, which comes to the same.
var sqlToken = regexp.MustCompile("(?s)^(?:([ \t\r\n\f]+|--[^\n]*|/[*].*?(?:[*]/|$))|(;)|" +
	"'[^']*'?|\"[^\"]*\"?|`[^`]*`?|\\[[^\\]]*\\]?|[^ \t\r\n\f;'\"`\\[/-]+|.)")

// firstStatement returns the first statement of a text, and what follows its semicolon. Both begin with
// something, or are empty: blanks, comments and empty statements before them are left out.
func firstStatement(sql string) (first, rest string) {
	begin, end := -1, -1
	for at := 0; at < len(sql); {
		m := sqlToken.FindStringSubmatchIndex(sql[at:])
		switch blank, semicolon := m[2] >= 0, m[4] >= 0; {
		case semicolon && begin >= 0 && end < 0:
			end = at
		case blank || semicolon:
		case begin < 0:
			begin = at
		case end >= 0:
			return sql[begin:end], sql[at:]
		}
		at += m[1]
	}
	if begin < 0 {
		return "", ""
	}
	if end < 0 {
		end = len(sql)
	}
	return sql[begin:end], ""
}

// functions are SQLite's own mathematical functions that a geometric mean or a deviation needs. The
// driver is compiled without them; the program sqlite3 has them.
var functions = map[string]func(float64) float64{"ln": math.Log, "exp": math.Exp, "sqrt": math.Sqrt}

// addFunctions makes the functions known to queries of a connection. As in SQLite, what is no number,
// and what has no value, is null.
func addFunctions(c *sqlite3.SQLiteConn) error {
	for name, f := range functions {
		err := c.RegisterFunc(name, func(v any) any {
			var x float64
			switch v := v.(type) {
			case int64:
				x = float64(v)
			case float64:
				x = v
			default:
				return nil
			}
			if y := f(x); !math.IsNaN(y) && !math.IsInf(y, -1) {
				return y
			}
			return nil
		}, true)
		if err != nil {
			return err
		}
	}
	return nil
}

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
	if err := s.Exec(ctx, "PRAGMA temp_store = memory; "+countingView); err != nil {
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
func (s *Scratch) Fill(ctx context.Context, table string, rows [][]any) error {
	for _, row := range rows {
		marks := "?" + strings.Repeat(", ?", len(row)-1)
		if err := s.Exec(ctx, "INSERT INTO temp."+table+" VALUES ("+marks+")", row...); err != nil {
			return fmt.Errorf("filling %s: %w", table, err)
		}
	}
	return nil
}

// Query runs one SQL statement.
func (s *Scratch) Query(ctx context.Context, statement string, args ...any) (*Table, error) {
	t := &Table{}
	if err := eachRow(ctx, s.conn, statement, args, t.head, t.add); err != nil {
		return nil, failed(s.path, err)
	}
	return t, nil
}

// Close drops the temporary tables.
func (s *Scratch) Close() error { return errors.Join(s.conn.Close(), s.pool.Close()) }
