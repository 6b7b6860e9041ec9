package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A Batch is results of one run that were kept elsewhere.
type Batch struct {
	Run      *tuner.RunInfo // nil where there are no results; not changed once it was given
	Started  time.Time      // when the run began
	Matrices []trial.Matrix // each before the first result on it, in this batch or an earlier one
	Results  []trial.Result
}

// Imported counts results.
type Imported struct {
	New   int // that the database did not have, or had only as failures
	Known int // that it had already
}

// Import records batches as Begin, Matrix and Record would, but many results in
// one commit. What is there already, it leaves; so an import that was
// interrupted, or whose source has grown, is simply done again. The run that
// Record records for stays what it was.
//
// Results may come in any order: which of two trials of a configuration
// supersedes the other is decided by when they were measured. Only where one
// trial was measured well twice, the first to come is kept.
//
// After an error, what was committed before is kept and counted.
func (db *DB) Import(ctx context.Context, batches iter.Seq2[Batch, error]) (sum Imported, err error) {
	if db.write == nil {
		return sum, errReadOnly
	}
	if err := db.tune(ctx, bulk); err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, db.tune(context.WithoutCancel(ctx), usual)) }()
	imp := &importer{db: db, kernels: map[source]int64{}, matrices: map[string]int64{}}
	defer imp.rollback()
	for batch, err := range batches {
		if err != nil {
			return imp.sum, err
		}
		if err := imp.add(ctx, batch); err != nil {
			return imp.sum, err
		}
	}
	if err := imp.step(ctx); err != nil {
		return imp.sum, err
	}
	err = imp.commit()
	return imp.sum, err
}

const (
	// perStep is how many results are looked up and inserted together.
	perStep = 10_000
	// hold is how long results are collected before they are committed. Trials come
	// in no order of their identity, so that every commit writes most pages of that
	// index: they are to be few. But others who write wait, up to busy.
	hold = busy / 5
)

// An importer is the state of an Import.
type importer struct {
	db      *DB
	pending []Batch
	results int // in pending
	sum     Imported

	tx       *sql.Tx // nil: none is open
	since    time.Time
	stmts    statements
	inserts  inserts
	unsummed Imported // in tx

	run *tuner.RunInfo // that runKeys belong to
	runKeys
	kernels  map[source]int64
	matrices map[string]int64 // by hash
}

// source identifies a kernel.
type source struct{ name, digest string }

func (imp *importer) add(ctx context.Context, b Batch) error {
	imp.pending = append(imp.pending, b)
	if imp.results += len(b.Results); imp.results < perStep {
		return nil
	}
	if err := imp.step(ctx); err != nil {
		return err
	}
	if time.Since(imp.since) < hold {
		return nil
	}
	return imp.commit()
}

// step is done with what is pending.
func (imp *importer) step(ctx context.Context) error {
	if err := imp.putAll(ctx); err != nil {
		return fmt.Errorf("importing: %w", failed(imp.db.path, err))
	}
	clear(imp.pending)
	imp.pending, imp.results = imp.pending[:0], 0
	return nil
}

// putAll puts what is pending into the transaction, and opens that if need be.
func (imp *importer) putAll(ctx context.Context) error {
	if len(imp.pending) == 0 {
		return nil
	}
	// With a context that may end, the driver starts a goroutine for each statement.
	unbound := context.WithoutCancel(ctx)
	if err := imp.open(unbound); err != nil {
		return err
	}
	known, err := imp.lookUp(unbound)
	if err != nil {
		return err
	}
	for _, b := range imp.pending {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := imp.put(unbound, b, known); err != nil {
			return err
		}
	}
	return imp.flush(unbound)
}

// put puts a batch into the transaction.
func (imp *importer) put(ctx context.Context, b Batch, known map[string]recorded) error {
	for _, m := range b.Matrices {
		id, err := putMatrix(ctx, imp.tx, m)
		if err != nil {
			return fmt.Errorf("matrix %s: %w", m.Name, err)
		}
		imp.matrices[m.Hash] = id
	}
	if b.Run != nil && b.Run != imp.run {
		if err := imp.begin(ctx, imp.tx, b); err != nil {
			return err
		}
	}
	for _, r := range b.Results {
		keys, err := imp.keys(b.Run, r)
		if err == nil {
			err = imp.putResult(ctx, keys, r, known)
		}
		if err != nil {
			return fmt.Errorf("trial %s: %w", r.ID, err)
		}
	}
	return nil
}

// putResult inserts r, or does what Record would where its identity is known.
func (imp *importer) putResult(ctx context.Context, k trialKeys, r trial.Result, known map[string]recorded) error {
	if r.Again() {
		return putAgain(ctx, imp.stmts, k.runKeys, r)
	}
	old, is := known[r.ID]
	switch {
	case !is:
		imp.unsummed.New++
		imp.inserts.add(k, r)
	case !r.Standing().Replaces(trial.Standing{Status: old.status, At: old.at}):
		imp.unsummed.Known++
		return nil
	default:
		imp.unsummed.New++
		if err := imp.flush(ctx); err != nil { // the known one may be in there
			return err
		}
		if _, err := putTrial(ctx, imp.stmts, k, r); err != nil {
			return err
		}
	}
	known[r.ID] = recorded{r.Status, r.At.UnixMilli()}
	return nil
}

// begin records the run of b. Most of its kernels were in runs before it.
func (imp *importer) begin(ctx context.Context, tx *sql.Tx, b Batch) (err error) {
	if imp.runKeys, err = putRun(ctx, tx, *b.Run, b.Started); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.Run.Sources)) {
		s := source{name, b.Run.Sources[name]}
		if _, known := imp.kernels[s]; known {
			continue
		}
		if imp.kernels[s], err = putKernel(ctx, tx, s.name, s.digest); err != nil {
			return err
		}
	}
	imp.run = b.Run
	return nil
}

// keys gives the rows that r refers to.
func (imp *importer) keys(run *tuner.RunInfo, r trial.Result) (trialKeys, error) {
	if run == nil {
		return trialKeys{}, errNoRun
	}
	k := trialKeys{runKeys: imp.runKeys}
	var ok bool
	if k.kernel, ok = imp.kernels[source{r.Kernel, run.Sources[r.Kernel]}]; !ok {
		return k, noKernel(r)
	}
	if k.matrix, ok = imp.matrices[r.Matrix]; !ok {
		return k, noMatrix(r)
	}
	return k, nil
}
