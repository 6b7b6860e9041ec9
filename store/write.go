// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// A writer puts runs, matrices and results into the database, in one transaction.
// Recording, importing and uniting all go through it.
type writer struct {
	tx   *sql.Tx
	keys keys

	known    map[string]trial.Precedence // of identities that are there already
	versions map[caseKey]int             // measurement versions that count, see unsettles
	touched  map[caseKey]bool            // cases in which to decide anew which trials count
	sweeps   map[sweepUse]int64          // keys of those that were put
	queue    []queued
	sum      Imported
}

// A sweepUse is what is recorded of a run's sweep.
type sweepUse struct {
	sweep   *configs.Sweep
	version string
	started int64
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
func newWriter(tx *sql.Tx, k keys) *writer {
	return &writer{tx: tx, keys: k, versions: map[caseKey]int{}, touched: map[caseKey]bool{}, sweeps: map[sweepUse]int64{}}
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
	k, err := w.run(ctx, run, started)
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
	if len(w.queue) == 0 { // else those in the queue are known, too
		w.known = make(map[string]trial.Precedence, len(ids))
	}
	var p trial.Precedence
	rows, err := w.tx.QueryContext(ctx, findTrials, list(ids))
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
		if err := w.replace(ctx, k, r, old); err != nil {
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
	if _, err := w.tx.ExecContext(ctx, askTrial, asked, r.ID); err != nil {
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
	_, err := w.tx.ExecContext(ctx, insertRerun, r.ID, r.At.UnixMilli(), kindOf(&r.Result), nonzero(r.origin), r.Median, r.WithinLow,
		r.WithinHigh, r.Throttled(), pack(r.Samples))
	return err
}

// replace puts a result, with its samples and readings, in the place of another one of its identity.
func (w *writer) replace(ctx context.Context, k trialKeys, r *trial.Result, old trial.Precedence) error {
	if err := w.flush(ctx); err != nil { // the known one may be in the queue
		return err
	}
	// It is older than what it replaces, or counts for less.
	if r.Precedence().LastRequest(old) > 0 || old.Status == trial.OK || r.Partial() {
		w.touch(k, r)
	}
	if err := w.unsettles(ctx, k, r); err != nil {
		return err
	}
	var id int64
	if err := w.tx.QueryRowContext(ctx, replaceTrial, append(trialValues(k, r), r.ID)...).Scan(&id); err != nil {
		return err
	}
	if err := w.settle(ctx, id, id); err != nil {
		return err
	}
	const others = "DELETE FROM sample WHERE trial = ?; DELETE FROM reading WHERE trial = ?"
	if _, err := w.tx.ExecContext(ctx, others, id, id); err != nil {
		return err
	}
	return w.measured(ctx, id, r)
}

// measured records the samples and the readings of a trial.
func (w *writer) measured(ctx context.Context, id int64, r *trial.Result) error {
	if len(r.Samples) > 0 {
		if _, err := w.tx.ExecContext(ctx, insertSamples, id, pack(r.Samples)); err != nil {
			return err
		}
	}
	if r.Telemetry == nil {
		return nil
	}
	_, err := w.tx.ExecContext(ctx, insertReading, append([]any{id}, readingValues(*r.Telemetry)...)...)
	return err
}

// flush inserts the queue. Nobody else gives ids as long as the transaction goes on.
func (w *writer) flush(ctx context.Context) error {
	if len(w.queue) == 0 {
		return nil
	}
	var first int64
	if err := w.tx.QueryRowContext(ctx, nextTrial).Scan(&first); err != nil {
		return err
	}

	for i := range w.queue {
		q, id := &w.queue[i], first+int64(i)
		if err := w.unsettles(ctx, q.keys, &q.result); err != nil {
			return err
		}
		values := append([]any{id}, trialValues(q.keys, &q.result)...)
		if _, err := w.tx.ExecContext(ctx, insertTrial, values...); err != nil {
			return err
		}
		if err := w.measured(ctx, id, &q.result); err != nil {
			return err
		}
	}

	last := first + int64(len(w.queue)) - 1
	clear(w.queue)
	w.queue = w.queue[:0]
	return w.settle(ctx, first, last)
}

// settle decides which trials count of the configurations that new trials share with others, and forgets ties that rest
// on less than their repeat runs, which may have come before them. The new trials have the ids from first to last.
func (w *writer) settle(ctx context.Context, first, last int64) error {
	var of caseKey
	shared := map[caseKey]bool{}
	rows, err := w.tx.QueryContext(ctx, sharedCases, first, last)
	if err = readRows(rows, err, of.fields(), func() { shared[of] = true }); err != nil {
		return err
	}
	if len(shared) > 0 {
		if _, err := w.tx.ExecContext(ctx, supersede, first, last); err != nil {
			return err
		}
	}
	for of := range shared {
		version, err := w.counting(ctx, of)
		if err != nil {
			return err
		}
		if version == 0 { // the last of those with the version that counted may be superseded now
			w.touched[of] = true
		}
	}

	repeated := map[caseKey]bool{}
	rows, err = w.tx.QueryContext(ctx, repeatedCases, first, last)
	if err = readRows(rows, err, of.fields(), func() { repeated[of] = true }); err != nil {
		return err
	}
	for of := range repeated {
		if _, err := w.tx.ExecContext(ctx, forgetMatrix, of.matrix, of.device, string(of.cache)); err != nil {
			return err
		}
	}
	return nil
}

// counting returns the version of the measurement of the good trials that count in a case, 0 if there is none.
func (w *writer) counting(ctx context.Context, of caseKey) (version int, err error) {
	err = w.tx.QueryRowContext(ctx, countingVersion, of.values()...).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return version, err
}

// finish flushes, and decides in the cases that were touched which trials count. It is called before the
// commit.
func (w *writer) finish(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	for of := range w.touched {
		if _, err := w.tx.ExecContext(ctx, decideCase, of.values()...); err != nil {
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
func (w *writer) unsettles(ctx context.Context, k trialKeys, r *trial.Result) error {
	p := r.Precedence()
	if !p.Good() || p.Version == 0 {
		return nil
	}
	of := caseOf(k, r)
	version, known := w.versions[of]
	if !known {
		var err error
		if version, err = w.counting(ctx, of); err != nil {
			return err
		}
		version = cmp.Or(version, p.Version) // the first one
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
			RETURNING matrix, device, precision, cache`, time.Now().UnixMilli(), list(ids))
		for _, of := range list {
			w.touched[of] = true
		}
		return err
	})
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
