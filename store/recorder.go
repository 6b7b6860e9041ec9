package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"spmvtune/tuner"
)

// A recorder is what Record needs beyond the result: the keys of what the
// current run refers to, and the statements of its transaction.
type recorder struct {
	stmts statements

	mu       sync.Mutex
	sweep    int64 // 0: no run has begun
	device   int64
	kernels  map[string]int64 // by name
	matrices map[string]int64 // by hash
}

func (r *recorder) begin(sweep, device int64, kernels map[string]int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep, r.device, r.kernels = sweep, device, kernels
}

func (r *recorder) matrix(hash string, id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.matrices == nil {
		r.matrices = map[string]int64{}
	}
	r.matrices[hash] = id
}

// trialKeys are the rows that a trial refers to.
type trialKeys struct{ sweep, device, matrix, kernel int64 }

func (r *recorder) keys(res tuner.Result) (trialKeys, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sweep == 0 {
		return trialKeys{}, errNoRun
	}
	k := trialKeys{sweep: r.sweep, device: r.device}
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

func noKernel(r tuner.Result) error { return fmt.Errorf("the run has no kernel %s", r.Kernel) }
func noMatrix(r tuner.Result) error {
	return fmt.Errorf("the matrix with hash %s is not recorded yet", r.Matrix)
}

// statements are those of Record, prepared once.
type statements struct {
	trial, same, mark, sample *sql.Stmt
}

// prepareRecord prepares them.
func prepareRecord(ctx context.Context, db *sql.DB) (s statements, err error) {
	for _, p := range []struct {
		dst **sql.Stmt
		sql string
	}{
		{&s.trial, insertTrial()},
		// The trials of a configuration, whatever its kernel's source was. Anything
		// that SQLite would keep in a temporary table here, such as the list of an IN,
		// takes ten times as long as the rest of Record.
		{&s.same, `SELECT t.id, t.measured_at, t.superseded FROM kernel k CROSS JOIN trial t
			ON t.matrix = ? AND t.device = ? AND t.precision = ? AND t.cache = ? AND t.kernel = k.id
				AND t.params = ? AND t.grid = ? AND t.block = ?
			WHERE k.name = ?`},
		{&s.mark, `UPDATE trial SET superseded = ? WHERE id = ?`},
		{&s.sample, `INSERT OR REPLACE INTO sample (trial, data) VALUES (?, ?)`},
	} {
		if *p.dst, err = db.PrepareContext(ctx, p.sql); err != nil {
			s.close()
			return statements{}, err
		}
	}
	return s, nil
}

// in gives the statements for use in a transaction.
func (s statements) in(ctx context.Context, tx *sql.Tx) statements {
	return statements{tx.StmtContext(ctx, s.trial), tx.StmtContext(ctx, s.same), tx.StmtContext(ctx, s.mark), tx.StmtContext(ctx, s.sample)}
}

// insertTrial gives the statement that inserts a trial, or replaces one of the
// same identity that did not end well by one that did, or that is newer. It
// returns the row's id, and no row where the old one stays.
func insertTrial() string {
	columns := strings.Split(trialColumns, ",")
	set := make([]string, len(columns))
	for i, c := range columns {
		c = strings.TrimSpace(c)
		set[i] = c + " = excluded." + c
	}
	return fmt.Sprintf(`INSERT INTO trial (%s) VALUES (?%s)
		ON CONFLICT (identity) DO UPDATE SET superseded = 0, %s 
		WHERE trial.status <> 'ok' AND (excluded.status = 'ok' OR excluded.measured_at > trial.measured_at
			OR excluded.measured_at = trial.measured_at AND excluded.status <> trial.status)
		RETURNING id`, trialColumns, strings.Repeat(", ?", len(columns)-1), strings.Join(set, ", "))
}

// close ends those that are open; the connection reports what goes wrong.
func (s statements) close() {
	for _, stmt := range []*sql.Stmt{s.trial, s.same, s.mark, s.sample} {
		if stmt != nil {
			stmt.Close()
		}
	}
}
