// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
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
	if len(w.queue) < perBatch && len(b.Counts) == 0 {
		return nil
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
	list := strings.Join(lists.Of(columns, func(c string) string { return `r."` + c + `"` }), ", ")
	conditions, args := f.on(nil, "r.sweep", "r.device", "r.matrix", "r.kernel", "r.")
	err = eachRow(ctx, db.read, "SELECT "+list+", x.data FROM ("+wideResults+") r LEFT JOIN sample x ON x.trial = r.id"+
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

// perBatch is the most results in a batch.
const perBatch = 256

// errStop ends reading where nobody wants more.
var errStop = errors.New("no more is wanted")

// Batches yields all trials of the database with what they refer to, without repeats.
func (db *DB) Batches(ctx context.Context) iter.Seq2[Batch, error] { return db.batches(ctx, nil) }

// batches yields all that a database has of the trials that are chosen, without repeats, for Import.
func (db *DB) batches(ctx context.Context, chosen chosen) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		b := batcher{yield: yield, sources: map[kernelSource]int{}, runs: map[runKey]*tuner.RunInfo{}}
		err := b.prepare(ctx, db, chosen)
		if err == nil {
			err = db.wrap("reading trials", b.read(ctx, db.from(), chosen))
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Batch{}, err)
		}
	}
}

// A batcher makes batches of what it reads.
type batcher struct {
	yield func(Batch, error) bool

	sweeps  map[int64]Sweep
	devices map[string]Device // devices by label
	origins map[int64]trial.Origin
	kernels []Kernel
	sources map[kernelSource]int // which of its kernel's sources each is

	runs  map[runKey]*tuner.RunInfo
	batch Batch
}

// A runKey tells apart what a run has in common.
type runKey struct {
	sweep, origin   int64
	device, version string
	source          int // of the kernel that was run, see batcher
}

// prepare reads what trials refer to, and puts the matrices of chosen ones into the first batch.
func (b *batcher) prepare(ctx context.Context, db *DB, chosen chosen) error {
	sweeps, err := db.Sweeps(ctx)
	devices, err2 := db.Devices(ctx)
	origins, err3 := db.from().origins(ctx)
	list, err4 := db.Kernels(ctx)
	b.sweeps = lists.Keyed(sweeps, func(s Sweep) (int64, Sweep) { return s.id, s })
	b.devices = lists.Keyed(devices, func(d Device) (string, Device) { return d.Label, d })
	nth := map[string]int{}
	for _, k := range list {
		b.sources[kernelSource{k.Name, k.Digest}] = nth[k.Name]
		nth[k.Name]++
	}
	b.origins, b.kernels = origins, list

	matrices, err5 := db.Features(ctx)
	patterns, err6 := db.Patterns(ctx)
	conditions, args := chosen.conditions()
	there, err7 := texts(ctx, db.read, "SELECT DISTINCT m.hash"+fromTrials+where(conditions), args...)
	for _, m := range matrices {
		if slices.Contains(there, m.Hash) {
			m.Pattern = patterns[m.Hash]
			b.batch.Matrices = append(b.batch.Matrices, m)
		}
	}
	return cmp.Or(err, err2, db.wrap("reading origins", err3), err4, err5, err6, db.wrap("reading matrices", err7))
}

// read reads the trials and yields them.
func (b *batcher) read(ctx context.Context, from source, chosen chosen) error {
	where, args := chosen.conditions()
	err := from.each(ctx, trialQuery{
		want:  wantSamples | wantFacts | wantCounts | wantTelemetry | wantWarnings,
		where: where, args: args, order: "t.id",
	}, b.add)
	if err != nil {
		return err
	}
	return b.send()
}

// run gives the run of a key.
func (b *batcher) run(key runKey) *tuner.RunInfo {
	if run := b.runs[key]; run != nil {
		return run
	}
	s, d := b.sweeps[key.sweep], b.devices[key.device]
	run := &tuner.RunInfo{
		Sweep:  s.Settings.Sweep(s.Name, s.Title, []byte(s.Text)),
		Device: d.Device, Roof: d.Roof, Sources: map[string]string{},
		Protocol: s.ProtocolText, Version: key.version, Origin: b.origins[key.origin],
	}
	for i, k := range b.kernels { // the sources of a kernel follow each other
		last := i+1 == len(b.kernels) || b.kernels[i+1].Name != k.Name
		nth := b.sources[kernelSource{k.Name, k.Digest}]
		if nth == key.source || last && nth < key.source {
			run.Sources[k.Name] = k.Digest
			if k.Own != nil {
				run.Custom = append(run.Custom, *k.Own)
			}
		}
	}
	b.runs[key] = run
	return run
}

// add puts a trial into the batch of its run. If the version of the program that measured it is not
// known, it is that of the sweep.
func (b *batcher) add(s *stored) error {
	run := b.run(runKey{sweep: s.sweep, origin: s.origin, device: s.Device,
		version: cmp.Or(s.version, b.sweeps[s.sweep].Version), source: b.sources[kernelSource{s.Kernel, s.digest}]})
	if b.batch.Run != run || len(b.batch.Results) == perBatch {
		if err := b.send(); err != nil {
			return err
		}
		b.batch.Run, b.batch.Started = run, b.sweeps[s.sweep].Started
	}
	b.batch.Results = append(b.batch.Results, s.Result)
	if len(s.counts) > 0 {
		if b.batch.Counts == nil {
			b.batch.Counts = map[string]Counts{}
		}
		b.batch.Counts[s.ID] = s.counts
	}
	return nil
}

// send yields the batch, and begins another one.
func (b *batcher) send() error {
	full := b.batch
	b.batch = Batch{}
	if len(full.Results)+len(full.Matrices) > 0 && !b.yield(full, nil) {
		return errStop
	}
	return nil
}

// origins are where trials were measured, by key.
func (from source) origins(ctx context.Context) (map[int64]trial.Origin, error) {
	list := map[int64]trial.Origin{}
	var id int64
	var o trial.Origin
	rows, err := from.QueryContext(ctx, "SELECT id, node, uuid, job FROM origin")
	err = readRows(rows, err, []any{&id, &o.Node, &o.UUID, &o.Job}, func() { list[id] = o })
	return list, err
}
