package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"spmvtune/internal/base/lists"
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
	if err := db.tune(ctx, bulk); err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, db.tune(context.WithoutCancel(ctx), usual)) }()

	next, stop := iter.Pull2(batches)
	defer stop()
	keys := newKeys()
	b, unread, more := next()
	for more {
		var part Imported
		// With a context that may end, the driver starts a goroutine for each statement.
		err := db.record(context.WithoutCancel(ctx), "importing", keys, func(w *writer) error {
			for begun := time.Now(); more && time.Since(begun) < hold; b, unread, more = next() {
				if unread = cmp.Or(unread, ctx.Err()); unread != nil {
					return unread
				}
				if err := w.batch(context.WithoutCancel(ctx), b); err != nil {
					return err
				}
			}
			part = w.sum
			return nil
		})
		if err := cmp.Or(unread, err); err != nil {
			return sum, err
		}
		sum.New, sum.Known, sum.Won, sum.Lost = sum.New+part.New, sum.Known+part.Known, sum.Won+part.Won, sum.Lost+part.Lost
	}
	return sum, nil
}

// hold is how long results are collected before they are committed. Trials come in no
// order of their identity, so every commit writes most pages of that index: commits
// should be few. But other writers wait, up to busy.
const hold = busy / 5

// batch records a batch.
func (w *writer) batch(ctx context.Context, b Batch) error {
	for _, m := range b.Matrices {
		if err := w.matrix(ctx, m); err != nil {
			return err
		}
	}
	if _, begun := w.keys.runs[b.Run]; !begun && b.Run != nil {
		if err := w.begin(ctx, b.Run, b.Started); err != nil {
			return err
		}
	}

	if err := w.look(ctx, lists.Of(b.Results, func(r trial.Result) string { return r.ID })); err != nil {
		return err
	}
	for i := range b.Results {
		if err := w.put(ctx, b.Run, &b.Results[i]); err != nil {
			return fmt.Errorf("trial %s: %w", b.Results[i].ID, err)
		}
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	return putCounts(ctx, w.tx, b.Counts)
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
	if db.write == nil {
		return errReadOnly
	}
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
	conditions, args := f.on(nil, "r.sweep", "r.device", "r.matrix", "r.kernel", "r.")
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
