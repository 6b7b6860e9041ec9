package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A Batch is results of one run that were kept elsewhere.
type Batch struct {
	Run     *tuner.RunInfo // nil if there are no results; must not change later
	Started time.Time      // when the run began
	// Matrices has every matrix before the first result on it, in this batch or an earlier one.
	Matrices []trial.Matrix
	Results  []trial.Result
	Counts   map[string]Counts // a profiler's counts, by identity of the results
}

// Imported counts results.
type Imported struct {
	New   int // results that the database did not have, or had only as failures
	Known int // results that it had already
	// Won and Lost count those of Known that ended well here and there, at different times: the measurement that came
	// first took the place of what was there, or stayed.
	Won, Lost int
}

// Import records batches as Begin, Matrix and Record would, but many results in
// one commit. It does not touch what is there already, so an import that was
// interrupted, or whose source has grown, is simply repeated. The run that
// Record records for stays what it was.
//
// Results may come in any order: trial.Precedence says which of several trials count. But if one
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
	imp := &importer{db: db, keys: newKeys()}
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
	err = imp.commit(ctx)
	return imp.sum, err
}

const (
	// perStep is the number of results that are looked up and inserted together.
	perStep = 10_000
	// hold is how long results are collected before they are committed. Trials come in no
	// order of their identity, so every commit writes most pages of that index: commits
	// should be few. But other writers wait, up to busy.
	hold = busy / 5
)

// An importer is the state of an Import.
type importer struct {
	db      *DB
	keys    keys
	pending []Batch
	results int // number of results in pending
	sum     Imported

	tx    *sql.Tx   // the open transaction, or nil
	since time.Time // when tx began
	w     *writer   // the writer in tx
}

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
	return imp.commit(ctx)
}

// step puts what is pending into the transaction.
func (imp *importer) step(ctx context.Context) error {
	if err := imp.putAll(ctx); err != nil {
		return imp.db.wrap("importing", err)
	}
	clear(imp.pending)
	imp.pending, imp.results = imp.pending[:0], 0
	return nil
}

// putAll does the work of step, and opens a transaction if there is none.
func (imp *importer) putAll(ctx context.Context) error {
	if len(imp.pending) == 0 {
		return nil
	}
	// With a context that may end, the driver starts a goroutine for each statement.
	unbound := context.WithoutCancel(ctx)
	if err := imp.open(unbound); err != nil {
		return err
	}

	ids := make([]string, 0, imp.results)
	for _, b := range imp.pending {
		for i := range b.Results {
			ids = append(ids, b.Results[i].ID)
		}
	}
	if err := imp.w.look(unbound, ids); err != nil {
		return err
	}
	for _, b := range imp.pending {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := imp.put(unbound, b); err != nil {
			return err
		}
	}

	return imp.w.flush(unbound)
}

// put puts a batch into the transaction.
func (imp *importer) put(ctx context.Context, b Batch) error {
	for _, m := range b.Matrices {
		if err := imp.w.matrix(ctx, m); err != nil {
			return err
		}
	}

	if _, begun := imp.keys.runs[b.Run]; !begun && b.Run != nil {
		if err := imp.w.begin(ctx, b.Run, b.Started); err != nil {
			return err
		}
	}

	for i := range b.Results {
		if err := imp.w.put(ctx, b.Run, &b.Results[i]); err != nil {
			return fmt.Errorf("trial %s: %w", b.Results[i].ID, err)
		}
	}

	if len(b.Counts) == 0 {
		return nil
	}
	if err := imp.w.flush(ctx); err != nil { // counts belong to trials that are there
		return err
	}
	return putCounts(ctx, imp.tx, b.Counts)
}

// open begins a transaction.
func (imp *importer) open(ctx context.Context) (err error) {
	if imp.tx != nil {
		return nil
	}
	if imp.tx, err = imp.db.write.BeginTx(ctx, nil); err != nil {
		return err
	}
	imp.since = time.Now()
	imp.w = newWriter(ctx, imp.tx, imp.db.rec.stmts, imp.keys)
	return nil
}

func (imp *importer) commit(ctx context.Context) error {
	if imp.tx == nil {
		return nil
	}
	err := imp.w.finish(context.WithoutCancel(ctx))
	if err == nil {
		err = imp.tx.Commit()
	}
	if err != nil {
		return imp.db.wrap("importing", err)
	}
	imp.tx = nil

	imp.sum.New += imp.w.sum.New
	imp.sum.Known += imp.w.sum.Known
	imp.sum.Won += imp.w.sum.Won
	imp.sum.Lost += imp.w.sum.Lost
	return nil
}

// rollback undoes what was not committed.
func (imp *importer) rollback() {
	if imp.tx != nil {
		imp.tx.Rollback()
	}
}

// tuning is how SQLite works.
type tuning struct {
	cache int // KiB
	log   int // pages in the write-ahead log after which they go into the file
}

// An import keeps the pages of the indexes at hand, and moves them from the log to
// the file once for many commits.
var (
	usual = tuning{cache: 2_000, log: 1_000} // SQLite's own
	bulk  = tuning{cache: 160_000, log: 50_000}
)

func (db *DB) tune(ctx context.Context, t tuning) error {
	pragmas := fmt.Sprintf("PRAGMA cache_size = -%d; PRAGMA wal_autocheckpoint = %d", t.cache, t.log)
	_, err := db.write.ExecContext(ctx, pragmas)
	return db.wrap("importing", err)
}

// Places lists where the trials in force that the filter chooses compete, ordered by device, matrix,
// precision and cache state.
func (db *DB) Places(ctx context.Context, f Filter) ([]trial.Case, error) {
	conditions, args := f.conditions(current)
	places, err := collect(ctx, db.from(), func(p *trial.Case) []any {
		return []any{&p.Device, &p.Matrix, &p.Precision, &p.Cache}
	}, "SELECT DISTINCT d.name, m.name, t.precision, t.cache"+fromTrials+where(conditions)+" ORDER BY 1, 2, 3, 4", args...)
	return places, db.wrap("reading places", err)
}

// Trials calls each with the trials in force that the filter chooses, with their samples. They are ordered by
// device, matrix, precision, cache state, kernel, parameters, grid and block. The row is overwritten by the next.
func (db *DB) Trials(ctx context.Context, f Filter, each func(*Row) error) error {
	conditions, args := f.conditions(current)
	err := db.from().each(ctx, trialQuery{
		want: wantSamples, where: conditions, args: args,
		order: "d.name, m.name, t.precision, t.cache, k.name, t.params, t.grid, t.block, t.id",
	}, func(s *stored) error { return each(&s.Row) })
	return db.wrap("reading trials", err)
}

// EachResult gives the columns of the view results to head, and then each of its rows that the filter chooses to
// row, with its samples in seconds per product, in the order in which they were recorded.
func (db *DB) EachResult(ctx context.Context, f Filter, head func([]string) error,
	row func(values []any, samples []float64) error) error {
	columns, err := texts(ctx, db.read, "SELECT name FROM pragma_table_info('results')")
	if err != nil {
		return db.wrap("reading the view results", err)
	}
	list := ""
	for _, c := range columns {
		list += `r."` + c + `", `
	}
	conditions, args := f.ofView()
	err = eachRow(ctx, db.read, "SELECT "+list+"x.data FROM ("+wideResults+") r LEFT JOIN sample x ON x.trial = r.id"+
		where(conditions)+" ORDER BY r.id", args,
		func([]string) error { return head(columns) },
		func(values []any) error {
			var samples []float64
			if err := (packed{&samples}).Scan(values[len(columns)]); err != nil {
				return err
			}
			return row(values[:len(columns)], samples)
		})
	return db.wrap("reading results", err)
}
