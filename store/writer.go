package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A writer puts runs, matrices and results into the database, in one transaction.
// Recording, importing and uniting all go through it.
type writer struct {
	tx    *sql.Tx
	stmts statements
	keys  keys

	known    map[string]trial.Precedence // standings of identities that are there already
	versions map[trial.Case]int          // measurement versions that count, see versionIn
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
	return &writer{tx: tx, stmts: stmts.in(ctx, tx), keys: k, versions: map[trial.Case]int{}}
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
		if w.keys.kernels[source], err = putKernel(ctx, w.tx, source, run.Own); err != nil {
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
func (w *writer) look(ctx context.Context, ids []string) (err error) {
	if len(ids) > 1 {
		w.known, err = known(ctx, w.tx, ids)
		return err
	}

	w.known = map[string]trial.Precedence{}
	for _, id := range ids {
		var s trial.Precedence
		switch err := w.stmts.find.QueryRowContext(ctx, id).Scan(standingTargets(&s)...); {
		case err == nil:
			w.known[id] = s
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
	}

	return nil
}

// put records a result: a new one with the next flush.
func (w *writer) put(ctx context.Context, run *tuner.RunInfo, r *trial.Result) error {
	if err := r.Check(); err != nil {
		return err
	}
	if r.Again() {
		return w.repeat(ctx, run, r)
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
		if err := w.flush(ctx); err != nil { // the known one may be in the queue
			return err
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
	return w.decidePlace(ctx, k, r)
}

// repeat records a trial that was measured again. It is there already where a journal is
// merged for the second time.
func (w *writer) repeat(ctx context.Context, run *tuner.RunInfo, r *trial.Result) error {
	k, known := w.keys.runs[run]
	if !known {
		return errNoRun
	}
	return w.again(ctx, repeat{*r, k.origin})
}

// again records a repeat, whose origin is a key of this database.
func (w *writer) again(ctx context.Context, r repeat) error {
	throttled := 0
	if r.Telemetry != nil {
		throttled = r.Telemetry.Throttled
	}
	_, err := w.stmts.again.ExecContext(ctx, r.ID, r.At.UnixMilli(), nonzero(r.origin), r.Median, r.Low, r.High,
		throttled, r.Final, r.Spread, pack(r.Samples))
	return err
}

// replace puts a result, with its samples and readings, in the place of another one of its identity.
func (w *writer) replace(ctx context.Context, k trialKeys, r *trial.Result) error {
	if _, err := w.versionIn(ctx, k, r); err != nil { // before r is there, too
		return err
	}
	if _, err := w.stmts.replace.ExecContext(ctx, append(trialValues(k, r), r.ID)...); err != nil {
		return err
	}
	const of = " WHERE trial = (SELECT id FROM trial WHERE identity = ?)"
	for _, table := range []string{"sample", "reading"} {
		if _, err := w.tx.ExecContext(ctx, "DELETE FROM "+table+of, r.ID); err != nil {
			return err
		}
	}
	if len(r.Samples) > 0 {
		if _, err := w.stmts.resaved.ExecContext(ctx, pack(r.Samples), r.ID); err != nil {
			return err
		}
	}
	if err := w.telemetry(ctx, r); err != nil {
		return err
	}

	return w.decide(ctx, k, r, true)
}

func (w *writer) telemetry(ctx context.Context, r *trial.Result) error {
	if r.Telemetry == nil {
		return nil
	}
	_, err := w.stmts.reading.ExecContext(ctx, append(readingValues(*r.Telemetry), r.ID)...)
	return err
}

// flush inserts the queue, and decides which trials count.
func (w *writer) flush(ctx context.Context) error {
	if len(w.queue) == 0 {
		return nil
	}
	var first int64
	if err := w.stmts.next.QueryRowContext(ctx).Scan(&first); err != nil {
		return err
	}

	for i := range w.queue { // before the queue is there, too
		if w.queue[i].result.Measurement == 0 {
			continue
		}
		if _, err := w.versionIn(ctx, w.queue[i].keys, &w.queue[i].result); err != nil {
			return err
		}
	}
	if err := w.insert(ctx, first); err != nil {
		return err
	}
	shared, err := w.sharing(ctx, first)
	if err != nil {
		return err
	}

	for i := range w.queue {
		q := &w.queue[i]
		if err := w.decide(ctx, q.keys, &q.result, shared[q.result.ID]); err != nil {
			return err
		}
	}

	clear(w.queue)
	w.queue = w.queue[:0]
	return nil
}

// insert inserts the queue, with ids from the given one on. Nobody else gives ids as long
// as the transaction goes on.
func (w *writer) insert(ctx context.Context, id int64) error {
	var trials, samples [][]any
	for i := range w.queue {
		q := &w.queue[i]
		trials = append(trials, append([]any{id}, trialValues(q.keys, &q.result)...))
		if len(q.result.Samples) > 0 {
			samples = append(samples, []any{id, pack(q.result.Samples)})
		}
		id++
	}
	if err := insertRows(ctx, w.stmts.insert, trials); err != nil {
		return err
	}
	if err := insertRows(ctx, w.stmts.sample, samples); err != nil {
		return err
	}

	for i := range w.queue {
		if err := w.telemetry(ctx, &w.queue[i].result); err != nil {
			return err
		}
	}

	return nil
}

// sharing returns which trials from an id on have configurations that others have, too.
func (w *writer) sharing(ctx context.Context, first int64) (map[string]bool, error) {
	shared := map[string]bool{}
	var identity string
	rows, err := w.stmts.shared.QueryContext(ctx, first)
	err = readRows(rows, err, []any{&identity}, func() { shared[identity] = true })
	return shared, err
}

// versionIn returns the version of the measurement that counts in the place of a result.
// All good trials that count in a place have the same version, except those that were measured
// elsewhere. It is 0 if none has a version.
func (w *writer) versionIn(ctx context.Context, k trialKeys, r *trial.Result) (version int, err error) {
	place := r.Place(fmt.Sprint(k.device))
	version, known := w.versions[place]
	if !known {
		err = w.stmts.version.QueryRowContext(ctx, k.matrix, k.device, string(r.Precision),
			string(r.Cache)).Scan(&version)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return 0, err
		}
	}

	if version == 0 && r.Precedence().Good() {
		version = r.Measurement // the first one
	}
	w.versions[place] = version
	return version, nil
}

// decide decides which trials of r's configuration count, once r is recorded. shared says that
// there are others. If r or a failure changes the version of the measurement that counts in the
// place, it decides for the whole place.
func (w *writer) decide(ctx context.Context, k trialKeys, r *trial.Result, shared bool) error {
	s := r.Precedence()
	if s.Version == 0 && !shared {
		return nil
	}
	version, err := w.versionIn(ctx, k, r)
	switch {
	case err != nil:
		return err
	case s.Good() && s.Version > version:
		return w.decidePlace(ctx, k, r)
	case !shared && !(s.Good() && s.Version < version):
		return nil
	}

	rivals, all, err := w.rivals(ctx, k, r)
	if err != nil {
		return err
	}
	var force []int
	if i := inForce(rivals, all); i >= 0 {
		force = []int{i}
		// A good trial is in force no longer, perhaps the last of its version.
		if slices.ContainsFunc(rivals, func(o rival) bool {
			return !o.superseded && o.Good() && (!rivals[i].Good() || rivals[i].Version != o.Version)
		}) {
			return w.decidePlace(ctx, k, r)
		}
	}

	return w.stmts.markRivals(ctx, rivals, force, version)
}

// rivals reads the trials of the configuration of r, with their indices.
func (w *writer) rivals(ctx context.Context, k trialKeys, r *trial.Result) (rivals []rival, all []int, err error) {
	rows, err := w.stmts.rivals.QueryContext(ctx, k.matrix, k.device, string(r.Precision), string(r.Cache),
		r.Params.String(), r.Grid, r.Block, r.Kernel)
	var one rival
	err = readRows(rows, err, one.targets(), func() { rivals, all = append(rivals, one), append(all, len(all)) })
	return rivals, all, err
}

func (w *writer) decidePlace(ctx context.Context, k trialKeys, r *trial.Result) error {
	delete(w.versions, r.Place(fmt.Sprint(k.device)))
	return w.stmts.decidePlace(ctx, source{w.tx, len(migrations)}, k.matrix, k.device, r.Precision, r.Cache)
}
