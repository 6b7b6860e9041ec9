package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"spmvtune/tuner/trial"
)

// A recorder is what Record needs beyond the result: the keys of what the
// current run refers to, and the statements of its transaction.
type recorder struct {
	stmts statements

	mu       sync.Mutex
	run      runKeys
	kernels  map[string]int64 // by name
	matrices map[string]int64 // by hash
}

func (r *recorder) begin(run runKeys, kernels map[string]int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run, r.kernels = run, kernels
}

func (r *recorder) matrix(hash string, id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.matrices == nil {
		r.matrices = map[string]int64{}
	}
	r.matrices[hash] = id
}

// runKeys are the rows that all trials of a run refer to. They are 0 where no run has
// begun, and origin where nothing is known of it.
type runKeys struct{ sweep, device, origin int64 }

// trialKeys are the rows that a trial refers to.
type trialKeys struct {
	runKeys
	matrix, kernel int64
}

func (r *recorder) keys(res trial.Result) (trialKeys, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run.sweep == 0 {
		return trialKeys{}, errNoRun
	}
	k := trialKeys{runKeys: r.run}
	var ok bool
	if k.kernel, ok = r.kernels[res.Kernel]; !ok {
		return k, noKernel(res)
	}
	if k.matrix, ok = r.matrices[res.Matrix]; !ok {
		return k, noMatrix(res)
	}
	return k, nil
}

// What a result may lack that it refers to.
var errNoRun = errors.New("no run has begun")

func noKernel(r trial.Result) error { return fmt.Errorf("the run has no kernel %s", r.Kernel) }
func noMatrix(r trial.Result) error {
	return fmt.Errorf("the matrix with hash %s is not recorded yet", r.Matrix)
}

// statements are those of Record, prepared once.
//
// Anything that SQLite would keep in a temporary table here, the list of an IN or
// the rows of RETURNING, would take longer than the rest of Record.
type statements struct {
	find    *sql.Stmt // what there is of an identity
	insert  *sql.Stmt // a trial
	replace *sql.Stmt // a trial, by id
	same    *sql.Stmt // the trials of a configuration, whatever their kernel's source was
	mark    *sql.Stmt // a trial as superseded, or not
	sample  *sql.Stmt
	reading *sql.Stmt

	again *sql.Stmt // a further measurement of a trial
}

// each gives every statement with its text.
func (s *statements) each() map[**sql.Stmt]string {
	set := strings.Join(trialColumns, " = ?, ") + " = ?"
	return map[**sql.Stmt]string{
		&s.find:    `SELECT id, status, measured_at FROM trial WHERE identity = ?`,
		&s.insert:  fmt.Sprintf(`INSERT INTO trial (%s) VALUES (?%s)`, strings.Join(trialColumns, ", "), strings.Repeat(", ?", len(trialColumns)-1)),
		&s.replace: fmt.Sprintf(`UPDATE trial SET %s WHERE id = ?`, set),
		&s.same: `SELECT t.id, t.measured_at, t.superseded FROM kernel k CROSS JOIN trial t
			ON t.matrix = ? AND t.device = ? AND t.precision = ? AND t.cache = ? AND t.kernel = k.id
				AND t.params = ? AND t.grid = ? AND t.block = ?
			WHERE k.name = ?`,
		&s.mark:   `UPDATE trial SET superseded = ? WHERE id = ?`,
		&s.sample: `INSERT OR REPLACE INTO sample (trial, data) VALUES (?, ?)`,
		&s.reading: `INSERT OR REPLACE INTO reading (trial, sm_clock, memory_clock, temperature, power, energy, clock_reasons,
			repeated, throttled) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.again: `INSERT OR IGNORE INTO sentinel (identity, at, origin, median, low, high, throttled, final, data)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	}
}

// prepareRecord prepares them.
func prepareRecord(ctx context.Context, db *sql.DB) (s statements, err error) {
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

// close ends those that are open; the connection reports what goes wrong.
func (s statements) close() {
	for stmt := range s.each() {
		if *stmt != nil {
			(*stmt).Close()
		}
	}
}
