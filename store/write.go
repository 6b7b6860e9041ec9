package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A writer puts runs, matrices and results into the database, in one transaction.
// Recording, importing and uniting all go through it.
type writer struct {
	tx    *sql.Tx
	stmts statements
	keys  keys

	known    map[string]trial.Precedence // of identities that are there already
	versions map[caseKey]int             // measurement versions that count, see unsettles
	touched  map[caseKey]bool            // cases in which to decide anew which trials count
	queue    []queued
	sum      Imported
}

// A queued result is yet to be inserted.
type queued struct {
	keys   trialKeys
	result trial.Result
}

// keys are the keys of what results refer to.
type keys struct {
	runs     map[*tuner.RunInfo]runKeys
	kernels  map[kernelSource]int64
	matrices map[string]int64 // keys by hash
}

// kernelSource identifies a kernel.
type kernelSource struct{ name, digest string }

// runKeys are what all trials of a run refer to, with the program's version.
type runKeys struct {
	sweep, device int64
	origin        int64 // 0 if it is not known
	version       string
}

// trialKeys are what a trial refers to.
type trialKeys struct {
	runKeys
	matrix, kernel int64
}

// A caseKey is a case by the keys of this database.
type caseKey struct {
	matrix, device int64
	precision      kernels.Precision
	cache          trial.Cache
}

func (c *caseKey) fields() []any { return []any{&c.matrix, &c.device, &c.precision, &c.cache} }

func (c caseKey) values() []any {
	return []any{c.matrix, c.device, string(c.precision), string(c.cache)}
}

func newKeys() keys {
	return keys{map[*tuner.RunInfo]runKeys{}, map[kernelSource]int64{}, map[string]int64{}}
}

// add adds the keys of others.
func (k keys) add(others keys) {
	maps.Copy(k.runs, others.runs)
	maps.Copy(k.kernels, others.kernels)
	maps.Copy(k.matrices, others.matrices)
}

// newWriter begins with a transaction.
func newWriter(ctx context.Context, tx *sql.Tx, stmts statements, k keys) *writer {
	return &writer{tx: tx, stmts: stmts.in(ctx, tx), keys: k, versions: map[caseKey]int{}, touched: map[caseKey]bool{}}
}

var errNoRun = errors.New("no run has begun")

// of gives the keys of a result.
func (k keys) of(run *tuner.RunInfo, r *trial.Result) (trialKeys, error) {
	of, known := k.runs[run]
	if !known {
		return trialKeys{}, errNoRun
	}
	t := trialKeys{runKeys: of}
	if t.kernel, known = k.kernels[kernelSource{r.Kernel, run.Sources[r.Kernel]}]; !known {
		return t, fmt.Errorf("the run has no kernel %s", r.Kernel)
	}
	if t.matrix, known = k.matrices[r.Matrix]; !known {
		return t, fmt.Errorf("the matrix with hash %s is not recorded yet", r.Matrix)
	}
	return t, nil
}

// begin records a run. Most of its kernels were in runs before it.
func (w *writer) begin(ctx context.Context, run *tuner.RunInfo, started time.Time) error {
	k, err := putRun(ctx, w.tx, *run, started)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(run.Sources)) {
		source := kernelSource{name, run.Sources[name]}
		if _, known := w.keys.kernels[source]; known {
			continue
		}
		if w.keys.kernels[source], err = putKernel(ctx, w.tx, source, run.Custom); err != nil {
			return err
		}
	}

	w.keys.runs[run] = k
	return nil
}

// matrix records a matrix.
func (w *writer) matrix(ctx context.Context, m trial.Matrix) error {
	id, err := putMatrix(ctx, w.tx, m)
	if err != nil {
		return fmt.Errorf("matrix %s: %w", m.Name, err)
	}
	w.keys.matrices[m.Hash] = id
	return nil
}

// look finds which of the identities of coming results are there already. It is called
// before put.
func (w *writer) look(ctx context.Context, ids []string) error {
	w.known = make(map[string]trial.Precedence, len(ids))
	var p trial.Precedence
	rows, err := w.stmts.find.QueryContext(ctx, identities(ids))
	return readRows(rows, err, []any{&p.ID, &p.Status, &p.Partial, &p.At, &p.Version, &p.LastRequested},
		func() { w.known[p.ID] = p })
}

// put records a result: a new one with the next flush.
func (w *writer) put(ctx context.Context, run *tuner.RunInfo, r *trial.Result) error {
	if err := r.Check(); err != nil {
		return err
	}
	if r.IsRerun() { // its trial may come later, or with another journal
		k, known := w.keys.runs[run]
		if !known {
			return errNoRun
		}
		return w.rerun(ctx, rerun{*r, k.origin})
	}
	k, err := w.keys.of(run, r)
	if err != nil {
		return err
	}
	old, is := w.known[r.ID]

	switch {
	case !is:
		w.sum.New++
		w.queue = append(w.queue, queued{k, *r})
	case !r.Precedence().Replaces(old):
		w.sum.Known++
		if r.Status == trial.OK && old.Status == trial.OK && r.At.UnixMilli() != old.At {
			w.sum.Lost++
		}
		return w.ask(ctx, k, r, old)
	default:
		if old.Status == trial.OK {
			w.sum.Known++
			w.sum.Won++
		} else {
			w.sum.New++
		}
		asking := *r
		asking.LastRequested = r.Precedence().LastRequest(old)
		r = &asking
		if err := w.replace(ctx, k, r); err != nil {
			return err
		}
	}

	w.known[r.ID] = r.Precedence()
	return nil
}

// ask notes that the trial of r, which stays as it is, was measured or wanted again.
func (w *writer) ask(ctx context.Context, k trialKeys, r *trial.Result, old trial.Precedence) error {
	asked := old.LastRequest(r.Precedence())
	if asked == old.LastRequested {
		return nil
	}
	if err := w.flush(ctx); err != nil { // the known one may be in the queue
		return err
	}
	if _, err := w.stmts.ask.ExecContext(ctx, asked, r.ID); err != nil {
		return err
	}
	old.LastRequested = asked
	w.known[r.ID] = old
	w.touch(k, r)
	return nil
}

// rerun records a trial that was measured again, unless it is there already. Its origin is a key of this
// database.
func (w *writer) rerun(ctx context.Context, r rerun) error {
	throttled := 0
	if r.Telemetry != nil {
		throttled = r.Telemetry.Throttled
	}
	_, err := w.stmts.rerun.ExecContext(ctx, r.ID, r.At.UnixMilli(), kindOf(&r.Result), nonzero(r.origin), r.Median, r.Low,
		r.High, throttled, pack(r.Samples))
	return err
}

// replace puts a result, with its samples and readings, in the place of another one of its identity.
func (w *writer) replace(ctx context.Context, k trialKeys, r *trial.Result) error {
	if err := w.flush(ctx); err != nil { // the known one may be in the queue
		return err
	}
	w.touch(k, r)
	var id int64
	if err := w.stmts.replace.QueryRowContext(ctx, append(trialValues(k, r), r.ID)...).Scan(&id); err != nil {
		return err
	}
	for _, table := range []string{"sample", "reading"} {
		if _, err := w.tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE trial = ?", id); err != nil {
			return err
		}
	}
	if len(r.Samples) > 0 {
		if _, err := w.stmts.sample[0].ExecContext(ctx, id, pack(r.Samples)); err != nil {
			return err
		}
	}
	return w.telemetry(ctx, id, r)
}

func (w *writer) telemetry(ctx context.Context, id int64, r *trial.Result) error {
	if r.Telemetry == nil {
		return nil
	}
	_, err := w.stmts.reading.ExecContext(ctx, append([]any{id}, readingValues(*r.Telemetry)...)...)
	return err
}

// flush inserts the queue. Nobody else gives ids as long as the transaction goes on.
func (w *writer) flush(ctx context.Context) error {
	if len(w.queue) == 0 {
		return nil
	}
	var first int64
	if err := w.stmts.next.QueryRowContext(ctx).Scan(&first); err != nil {
		return err
	}

	var trials, samples [][]any
	for i := range w.queue {
		q, id := &w.queue[i], first+int64(i)
		if err := w.unsettles(ctx, q); err != nil {
			return err
		}
		trials = append(trials, append([]any{id}, trialValues(q.keys, &q.result)...))
		if len(q.result.Samples) > 0 {
			samples = append(samples, []any{id, pack(q.result.Samples)})
		}
	}
	if err := insertRows(ctx, w.stmts.insert, trials); err != nil {
		return err
	}
	if err := insertRows(ctx, w.stmts.sample, samples); err != nil {
		return err
	}
	for i := range w.queue {
		if err := w.telemetry(ctx, first+int64(i), &w.queue[i].result); err != nil {
			return err
		}
	}

	var of caseKey
	rows, err := w.stmts.shared.QueryContext(ctx, first)
	err = readRows(rows, err, of.fields(), func() { w.touched[of] = true })
	clear(w.queue)
	w.queue = w.queue[:0]
	return err
}

// finish flushes, and decides in the cases that were touched which trials count. It is called before the
// commit.
func (w *writer) finish(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	for of := range w.touched {
		if _, err := w.stmts.decide.ExecContext(ctx, of.values()...); err != nil {
			return err
		}
	}
	clear(w.touched)
	return nil
}

func caseOf(k trialKeys, r *trial.Result) caseKey {
	return caseKey{k.matrix, k.device, r.Precision, r.Cache}
}

// touch says that it is to be decided anew which trials count in the case of a result.
func (w *writer) touch(k trialKeys, r *trial.Result) { w.touched[caseOf(k, r)] = true }

// unsettles touches the case of a new result if its measurement has another version than the good
// trials that count there, which all have the same. Otherwise it changes nothing for others, unless
// they share its configuration.
func (w *writer) unsettles(ctx context.Context, q *queued) error {
	p := q.result.Precedence()
	if !p.Good() || p.Version == 0 {
		return nil
	}
	of := caseOf(q.keys, &q.result)
	version, known := w.versions[of]
	if !known {
		err := w.stmts.version.QueryRowContext(ctx, of.values()...).Scan(&version)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if version == 0 {
			version = p.Version // the first one
		}
		w.versions[of] = version
	}
	if version != p.Version {
		w.touched[of] = true
	}
	return nil
}

// Ask says that a run wants the trials with these identities as far as they are known: of several
// trials of a configuration, the last that was measured or wanted counts. What a search measured only
// briefly stays out of it.
func (db *DB) Ask(ctx context.Context, ids []string) error {
	return db.record(ctx, "deciding which trials count", newKeys(), func(w *writer) error {
		list, err := collect(ctx, w.tx, (*caseKey).fields, `UPDATE trial SET asked = ? WHERE superseded = 1
			AND stop IS NOT 'search' AND identity IN (SELECT value FROM json_each(?))
			RETURNING matrix, device, precision, cache`, time.Now().UnixMilli(), identities(ids))
		for _, of := range list {
			w.touched[of] = true
		}
		return err
	})
}

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
	shared  *sql.Stmt    // finds the cases of trials from an id on whose configuration others have, too
	decide  *sql.Stmt    // decides which trials of a case count
	ask     *sql.Stmt    // notes when a run last wanted a trial, by identity
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
		&s.shared: `SELECT n.matrix, n.device, n.precision, n.cache FROM trial n CROSS JOIN kernel k ON k.id = n.kernel
			WHERE n.id >= ? AND EXISTS (
				SELECT 1 FROM kernel o CROSS JOIN trial t
					ON t.matrix = n.matrix AND t.device = n.device AND t.precision = n.precision AND t.cache = n.cache
						AND t.kernel = o.id AND t.params = n.params AND t.grid = n.grid AND t.block = n.block
				WHERE o.name = k.name AND t.id <> n.id)`,
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

// putCounts keeps what a profiler counted in the products of trials, by identity. Trials that are not
// recorded are ignored.
func putCounts(ctx context.Context, tx *sql.Tx, counts map[string]Counts) error {
	for identity, c := range counts {
		for name, value := range c {
			if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO counter (trial, name, value)
				SELECT id, ?, ? FROM trial WHERE identity = ?`, name, value, identity); err != nil {
				return err
			}
		}
	}
	return nil
}
