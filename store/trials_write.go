package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// trialKeys are what a trial refers to.
type trialKeys struct {
	runKeys
	matrix, kernel int64
}

// keyColumns are the columns of the table trial besides trialColumns and the id.
var keyColumns = []string{"sweep", "device", "origin", "version", "matrix", "kernel", "superseded"}

// values are the values of keyColumns for a result. A partial measurement never counts. Which
// of the others count is decided later.
func (k trialKeys) values(r *trial.Result) []any {
	return []any{k.sweep, k.device, nonzero(k.origin), nonzero(k.version), k.matrix, k.kernel, r.Partial()}
}

// trialValues are the values of a row of the table trial, without its id.
func trialValues(k trialKeys, r *trial.Result) []any {
	values := k.values(r)
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
// the rows of RETURNING, would take longer than the rest of Record.
type statements struct {
	find    *sql.Stmt    // finds the standing of an identity
	next    *sql.Stmt    // gives the id of the next trial
	insert  [2]*sql.Stmt // insert one trial, and perInsert of them
	sample  [2]*sql.Stmt // insert the samples of one trial, and of perInsert trials
	replace *sql.Stmt    // replaces a trial, by identity
	resaved *sql.Stmt    // replaces the samples of a trial
	reading *sql.Stmt    // inserts telemetry
	again   *sql.Stmt    // inserts a repeat
	version *sql.Stmt    // finds the measurement version that counts in a place
	shared  *sql.Stmt    // finds trials from an id on whose configuration others have, too
	rivals  *sql.Stmt    // finds the trials of a configuration, from any source of the kernel
	mark    *sql.Stmt    // marks a trial as superseded, or not
	ask     *sql.Stmt    // notes when a run last wanted a trial, by identity
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
		&s.find:      "SELECT " + standingColumns(len(migrations)) + " FROM trial t WHERE t.identity = ?",
		&s.next:      "SELECT ifnull(max(id), 0) + 1 FROM trial",
		&s.insert[0]: inserts("trial", withID, 1),
		&s.insert[1]: inserts("trial", withID, perInsert),
		&s.sample[0]: inserts("sample", []string{"trial", "data"}, 1),
		&s.sample[1]: inserts("sample", []string{"trial", "data"}, perInsert),
		&s.replace:   "UPDATE trial SET " + strings.Join(columns, " = ?, ") + " = ? WHERE identity = ?",
		&s.resaved:   "INSERT OR REPLACE INTO sample (trial, data) SELECT id, ? FROM trial WHERE identity = ?",
		&s.reading: `INSERT OR REPLACE INTO reading
			(trial, sm_clock, memory_clock, temperature, power, energy, clock_reasons, repeated, throttled)
			 SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM trial WHERE identity = ?`,
		&s.again: `INSERT OR IGNORE INTO sentinel (identity, at, origin, median, low, high, throttled, final, spread, data)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.version: `SELECT measurement FROM trial WHERE matrix = ? AND device = ? AND precision = ? AND cache = ?
			AND superseded = 0 AND median IS NOT NULL AND measurement IS NOT NULL LIMIT 1`,
		&s.shared: `SELECT n.identity FROM trial n CROSS JOIN kernel k ON k.id = n.kernel
			WHERE n.id >= ? AND EXISTS (
				SELECT 1 FROM kernel o CROSS JOIN trial t
					ON t.matrix = n.matrix AND t.device = n.device AND t.precision = n.precision AND t.cache = n.cache
						AND t.kernel = o.id AND t.params = n.params AND t.grid = n.grid AND t.block = n.block
				WHERE o.name = k.name AND t.id <> n.id)`,
		&s.rivals: "SELECT " + rivalColumns(len(migrations)) + ` FROM kernel k CROSS JOIN trial t
				ON t.matrix = ? AND t.device = ? AND t.precision = ? AND t.cache = ? AND t.kernel = k.id
					AND t.params = ? AND t.grid = ? AND t.block = ?
			WHERE k.name = ?`,
		&s.mark: "UPDATE trial SET superseded = ? WHERE id = ?",
		&s.ask:  "UPDATE trial SET asked = ? WHERE identity = ?",
	}
}

// A preparer is a database or a transaction.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// prepare prepares the statements.
func prepare(ctx context.Context, db preparer) (s statements, err error) {
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

// standingColumns are what decides whether a trial counts, in a schema that has versions of measurements.
func standingColumns(schema int) string {
	return "t.identity, t.status, t.stop IS 'search', t.measured_at, ifnull(t.measurement, 0), ifnull(" +
		source{schema: schema}.since(schemaAsked, "t.asked") + ", 0)"
}

func standingTargets(s *trial.Precedence) []any {
	return []any{&s.ID, &s.Status, &s.Partial, &s.At, &s.Version, &s.LastRequested}
}

// known finds the standings of identities, all at once.
func known(ctx context.Context, tx *sql.Tx, ids []string) (map[string]trial.Precedence, error) {
	var s trial.Precedence
	list := make(map[string]trial.Precedence, len(ids))
	rows, err := tx.QueryContext(ctx, "SELECT "+standingColumns(len(migrations))+
		" FROM json_each(?) ids CROSS JOIN trial t ON t.identity = ids.value", identities(ids))
	err = readRows(rows, err, standingTargets(&s), func() { list[s.ID] = s })
	return list, err
}

// A rival is one of several trials of which some count.
type rival struct {
	id         int64
	config     kernels.Config
	superseded bool
	trial.Precedence
}

func rivalColumns(schema int) string {
	return "t.id, t.superseded, k.name, t.precision, t.block, t.grid, t.params, " + standingColumns(schema)
}

// targets are what rivalColumns are read into.
func (r *rival) targets() []any {
	c := &r.config
	return append([]any{&r.id, &r.superseded, &c.Kernel, &c.Precision, &c.Block, &c.Grid, &c.Params},
		standingTargets(&r.Precedence)...)
}

// rivalsInPlace reads all trials of a place.
func (from source) rivalsInPlace(ctx context.Context, matrix, device int64, precision kernels.Precision,
	cache trial.Cache) ([]rival, error) {
	return collect(ctx, from, (*rival).targets, "SELECT "+rivalColumns(from.schema)+` FROM trial t JOIN kernel k ON k.id = t.kernel
		WHERE t.matrix = ? AND t.device = ? AND t.precision = ? AND t.cache = ? ORDER BY t.id`,
		matrix, device, string(precision), string(cache))
}

// decideAgain decides which trials count in every place that has one of a condition. The schema
// may be an older one, in which the other statements do not run.
func decideAgain(ctx context.Context, tx *sql.Tx, schema int, condition string, args ...any) (err error) {
	var stmts statements
	if stmts.mark, err = tx.PrepareContext(ctx, stmts.each()[&stmts.mark]); err != nil {
		return err
	}
	defer stmts.close()

	type place struct {
		matrix, device int64
		trial.Case
	}

	places, err := collect(ctx, tx, func(p *place) []any {
		return []any{&p.matrix, &p.device, &p.Precision, &p.Cache}
	}, "SELECT DISTINCT t.matrix, t.device, t.precision, t.cache FROM trial t WHERE "+condition, args...)

	for _, p := range places {
		if err == nil {
			err = stmts.decidePlace(ctx, source{tx, schema}, p.matrix, p.device, p.Precision, p.Cache)
		}
	}

	return err
}

// decidePlace decides which trials of a place count.
func (s statements) decidePlace(ctx context.Context, from source, matrix, device int64,
	precision kernels.Precision, cache trial.Cache) error {
	rivals, err := from.rivalsInPlace(ctx, matrix, device, precision, cache)
	if err != nil {
		return err
	}
	var force []int // in force
	var standings []trial.Precedence
	for _, list := range byConfig(rivals) {
		if i := inForce(rivals, list); i >= 0 {
			force, standings = append(force, i), append(standings, rivals[i].Precedence)
		}
	}
	return s.markRivals(ctx, rivals, force, trial.Newest(standings))
}

// byConfig groups rivals by configuration, as indices in the order of the list.
func byConfig(rivals []rival) [][]int {
	var groups [][]int
	index := map[kernels.Config]int{}
	for i := range rivals {
		at, seen := index[rivals[i].config]
		if !seen {
			at = len(groups)
			index[rivals[i].config] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}

	return groups
}

// inForce returns which of the rivals of a configuration is in force, -1 if none is.
func inForce(rivals []rival, of []int) int {
	standings := make([]trial.Precedence, len(of))
	for i, at := range of {
		standings[i] = rivals[at].Precedence
	}
	if i := trial.Current(standings); i >= 0 {
		return of[i]
	}
	return -1
}

// markRivals marks rivals as superseded. It leaves those in force, if they are not good or
// compete in a place with this newest version of the measurement.
func (s statements) markRivals(ctx context.Context, rivals []rival, force []int, newest int) error {
	count := make([]bool, len(rivals))
	for _, i := range force {
		count[i] = !rivals[i].Good() || rivals[i].Competes(newest)
	}
	for i, r := range rivals {
		if r.superseded == count[i] {
			if _, err := s.mark.ExecContext(ctx, !count[i], r.id); err != nil {
				return err
			}
		}
	}

	return nil
}

// ask notes that a run wants those of some trials that are known but not in force, and decides again where
// there are any. What a search measured only briefly stays out of force.
func ask(ctx context.Context, tx *sql.Tx, ids []string, at time.Time) error {
	done, err := tx.ExecContext(ctx, `UPDATE trial SET asked = ? WHERE superseded = 1 AND stop IS NOT 'search'
		AND identity IN (SELECT value FROM json_each(?))`, at.UnixMilli(), identities(ids))
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); n == 0 || err != nil { // all trials need not be read
		return err
	}
	return decideAgain(ctx, tx, len(migrations), "t.superseded = 1 AND t.asked = ?", at.UnixMilli())
}

// putCounts keeps what a profiler counted in the products of a trial.
func putCounts(ctx context.Context, tx *sql.Tx, identity string, c Counts) error {
	for name, value := range c {
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO counter (trial, name, value)
			SELECT id, ?, ? FROM trial WHERE identity = ?`, name, value, identity); err != nil {
			return err
		}
	}
	return nil
}
