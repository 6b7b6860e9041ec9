package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"spmvtune/tuner/trial"
)

// keyColumns are the columns of the table trial besides trialColumns and the id.
var keyColumns = []string{"sweep", "device", "origin", "version", "matrix", "kernel", "superseded"}

// trialValues are the values of a row of the table trial, without its id. A partial measurement never
// counts. Which of the others count is decided later.
func trialValues(k trialKeys, r *trial.Result) []any {
	values := []any{k.sweep, k.device, nonzero(k.origin), nonzero(k.version), k.matrix, k.kernel, r.Partial()}
	for _, c := range trialColumns {
		values = append(values, c.value(r))
	}
	return values
}

// perInsert is how many rows a statement inserts: each statement has its cost, whatever
// it does.
const perInsert = 32

// statements are the statements that write results, prepared once.
//
// Anything that SQLite would keep in a temporary table here, the list of an IN or
// the rows of a DISTINCT, would take longer than the rest of Record.
type statements struct {
	find    *sql.Stmt    // finds what decides which trials count, of identities
	next    *sql.Stmt    // gives the id of the next trial
	insert  [2]*sql.Stmt // insert one trial, and perInsert of them
	sample  [2]*sql.Stmt // insert the samples of one trial, and of perInsert trials
	replace *sql.Stmt    // replaces a trial, by identity
	reading *sql.Stmt    // inserts telemetry
	rerun   *sql.Stmt    // inserts a rerun
	version *sql.Stmt    // finds the measurement version that counts in a case
	shared  *sql.Stmt    // finds the cases of some trials, by their ids, whose configuration others have, too
	// supersede lets trials count no longer if one of these, or one that has its configuration, came later.
	supersede *sql.Stmt
	repeated  *sql.Stmt // finds the cases of some trials, by their ids, that have reruns
	forget    *sql.Stmt // forgets the ties of a matrix
	decide    *sql.Stmt // decides which trials of a case count
	ask       *sql.Stmt // notes when a run last wanted a trial, by identity
}

// decideCase decides which trials of a case count, as trial.Precedence says.
const decideCase = `UPDATE trial SET superseded = d.superseded FROM (
	WITH ranked AS (
		SELECT t.id, t.status, t.measurement, t.stop IS NOT 'search' AND row_number() OVER (
			PARTITION BY k.name, t.params, t.grid, t.block
			ORDER BY t.stop IS 'search', max(t.measured_at, ifnull(t.asked, 0)) DESC, t.identity DESC) = 1 AS current
		FROM trial t JOIN kernel k ON k.id = t.kernel
		WHERE t.matrix = ? AND t.device = ? AND t.precision = ? AND t.cache = ?)
	SELECT id, NOT (current AND (status <> 'ok' OR measurement IS NULL OR
		measurement = (SELECT max(measurement) FROM ranked WHERE current AND status = 'ok'))) AS superseded
	FROM ranked) d
	WHERE d.id = trial.id AND d.superseded <> trial.superseded`

// rivals are new trials n, with the ids between two, and other trials t that have their configuration.
const rivals = `FROM trial n CROSS JOIN kernel k ON k.id = n.kernel CROSS JOIN kernel o ON o.name = k.name CROSS JOIN trial t
		ON t.matrix = n.matrix AND t.device = n.device AND t.precision = n.precision AND t.cache = n.cache
			AND t.kernel = o.id AND t.params = n.params AND t.grid = n.grid AND t.block = n.block
	WHERE n.id BETWEEN ? AND ? AND t.id <> n.id`

// order is what decides which trial of a configuration is current: that with the greatest.
func order(table string) string {
	return strings.ReplaceAll("(@.stop IS NOT 'search', max(@.measured_at, ifnull(@.asked, 0)), @.identity)", "@", table)
}

// each gives every statement with its text.
func (s *statements) each() map[**sql.Stmt]string {
	columns := keyColumns
	for _, c := range trialColumns {
		columns = append(columns, c.name)
	}
	inserts := func(into string, columns []string, rows int) string {
		row := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
		return fmt.Sprintf("INSERT INTO %s (%s) VALUES %s%s", into, strings.Join(columns, ", "), row,
			strings.Repeat(", "+row, rows-1))
	}
	withID := append([]string{"id"}, columns...)

	return map[**sql.Stmt]string{
		&s.find: `SELECT t.identity, t.status, t.stop IS 'search', t.measured_at, ifnull(t.measurement, 0), ifnull(t.asked, 0)
			FROM json_each(?) ids CROSS JOIN trial t ON t.identity = ids.value`,
		&s.next:      "SELECT ifnull(max(id), 0) + 1 FROM trial",
		&s.insert[0]: inserts("trial", withID, 1),
		&s.insert[1]: inserts("trial", withID, perInsert),
		&s.sample[0]: inserts("sample", []string{"trial", "data"}, 1),
		&s.sample[1]: inserts("sample", []string{"trial", "data"}, perInsert),
		&s.replace:   "UPDATE trial SET " + strings.Join(columns, " = ?, ") + " = ? WHERE identity = ? RETURNING id",
		&s.reading: inserts("reading", []string{"trial", "sm_clock", "memory_clock", "temperature", "power", "energy",
			"clock_reasons", "repeated", "throttled"}, 1),
		&s.rerun: inserts("rerun", []string{"identity", "at", "kind", "origin", "median", "low", "high", "throttled",
			"data"}, 1) + " ON CONFLICT DO NOTHING",
		&s.version: `SELECT measurement FROM trial WHERE matrix = ? AND device = ? AND precision = ? AND cache = ?
			AND superseded = 0 AND median IS NOT NULL AND measurement IS NOT NULL LIMIT 1`,
		&s.shared: "SELECT n.matrix, n.device, n.precision, n.cache " + rivals,
		&s.supersede: `UPDATE trial SET superseded = 1 WHERE superseded = 0 AND id IN (
			SELECT iif(` + order("n") + " > " + order("t") + ", t.id, n.id) " + rivals + ")",
		&s.repeated: `SELECT n.matrix, n.device, n.precision, n.cache FROM trial n WHERE n.id BETWEEN ? AND ?
			AND EXISTS (SELECT 1 FROM rerun WHERE identity = n.identity)`,
		&s.forget: "DELETE FROM tie_set WHERE matrix = ? AND device = ? AND cache = ?",
		&s.decide: decideCase,
		&s.ask:    "UPDATE trial SET asked = ? WHERE identity = ?",
	}
}

// prepare prepares the statements.
func prepare(ctx context.Context, db *sql.DB) (s statements, err error) {
	for stmt, text := range s.each() {
		if *stmt, err = db.PrepareContext(ctx, text); err != nil {
			s.close()
			return statements{}, err
		}
	}
	return s, nil
}

// in gives the statements for use in a transaction.
func (s statements) in(ctx context.Context, tx *sql.Tx) statements {
	for stmt := range s.each() {
		*stmt = tx.StmtContext(ctx, *stmt)
	}
	return s
}

// close closes the open statements. The connection reports what goes wrong.
func (s statements) close() {
	for stmt := range s.each() {
		if *stmt != nil {
			(*stmt).Close()
		}
	}
}

// insertRows inserts by the statement for one row and that for perInsert.
func insertRows(ctx context.Context, stmts [2]*sql.Stmt, rows [][]any) error {
	var values []any
	for len(rows) > 0 {
		n, stmt := 1, stmts[0]
		if len(rows) >= perInsert {
			n, stmt = perInsert, stmts[1]
		}
		values = values[:0]
		for _, row := range rows[:n] {
			values = append(values, row...)
		}
		if _, err := stmt.ExecContext(ctx, values...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
