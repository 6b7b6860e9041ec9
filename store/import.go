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
)

// A Batch is results of one run that were kept elsewhere.
type Batch struct {
	Run      *tuner.RunInfo // nil where there are no results; not changed once it was given
	Started  time.Time      // when the run began
	Matrices []tuner.Matrix // each before the first result on it, in this batch or an earlier one
	Results  []tuner.Result
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
	for batch, err := range batches {
		if err != nil {
			return imp.sum, err
		}
		if err := imp.add(ctx, batch); err != nil {
			return imp.sum, err
		}
	}
	err = imp.commit(ctx)
	return imp.sum, err
}

// perCommit is how many results are committed together: enough that the disk is
// waited for seldom, and so few that others who write wait for a second at most.
const perCommit = 20_000

// tuning is how SQLite works.
type tuning struct {
	cache int // KiB
	log   int // pages in the write-ahead log after which they go into the file
}

// Trials come in no order of their identity, so that every commit changes most
// pages of that index. An import keeps them at hand, and moves them from the log
// to the file once for many commits.
var (
	usual = tuning{cache: 2_000, log: 1_000} // SQLite's own
	bulk  = tuning{cache: 160_000, log: 50_000}
)

func (db *DB) tune(ctx context.Context, t tuning) error {
	pragmas := fmt.Sprintf("PRAGMA cache_size = -%d; PRAGMA wal_autocheckpoint = %d", t.cache, t.log)
	if _, err := db.write.ExecContext(ctx, pragmas); err != nil {
		return fmt.Errorf("importing: %w", failed(db.path, err))
	}
	return nil
}

// An importer is the state of an Import.
type importer struct {
	db      *DB
	pending []Batch
	results int // in pending
	sum     Imported

	run *tuner.RunInfo // that runKeys belong to
	runKeys
	kernels  map[source]int64
	matrices map[string]int64 // by hash
}

// source identifies a kernel.
type source struct{ name, digest string }

func (imp *importer) add(ctx context.Context, b Batch) error {
	imp.pending = append(imp.pending, b)
	if imp.results += len(b.Results); imp.results < perCommit {
		return nil
	}
	return imp.commit(ctx)
}

// commit writes what is pending. The lock on the database is held only here.
func (imp *importer) commit(ctx context.Context) error {
	if len(imp.pending) == 0 {
		return nil
	}
	var sum Imported
	err := imp.db.transact(ctx, "importing", func(tx *sql.Tx) error {
		// With a context that may end, the driver starts a goroutine for each
		// statement.
		unbound := context.WithoutCancel(ctx)
		stmts := imp.db.rec.stmts.in(unbound, tx)
		for _, b := range imp.pending {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := imp.put(unbound, tx, stmts, b, &sum); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	imp.sum.New += sum.New
	imp.sum.Known += sum.Known
	clear(imp.pending)
	imp.pending, imp.results = imp.pending[:0], 0
	return nil
}

func (imp *importer) put(ctx context.Context, tx *sql.Tx, stmts statements, b Batch, sum *Imported) error {
	for _, m := range b.Matrices {
		id, err := putMatrix(ctx, tx, m)
		if err != nil {
			return fmt.Errorf("matrix %s: %w", m.Name, err)
		}
		imp.matrices[m.Hash] = id
	}
	if b.Run != nil && b.Run != imp.run {
		if err := imp.begin(ctx, tx, b); err != nil {
			return err
		}
	}
	for _, r := range b.Results {
		keys, err := imp.keys(b.Run, r)
		if err != nil {
			return fmt.Errorf("trial %s: %w", r.ID, err)
		}
		kept, err := putTrial(ctx, stmts, keys, r)
		if err != nil {
			return fmt.Errorf("trial %s: %w", r.ID, err)
		}
		if kept {
			sum.New++
		} else {
			sum.Known++
		}
	}
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
func (imp *importer) keys(run *tuner.RunInfo, r tuner.Result) (trialKeys, error) {
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
