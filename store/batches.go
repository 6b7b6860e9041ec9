package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// perBatch is the most results in a batch.
const perBatch = 256

// errStop ends reading where nobody wants more.
var errStop = errors.New("no more is wanted")

// Batches yields all trials of the database with what they refer to, without repeats.
func (db *DB) Batches(ctx context.Context) iter.Seq2[Batch, error] { return db.batches(ctx, nil) }

// batches yields all that a database has of the trials that are chosen, without repeats, for Import.
func (db *DB) batches(ctx context.Context, chosen chosen) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		b := batcher{from: db.from(), yield: yield, runs: map[runKey]*tuner.RunInfo{},
			started: map[*tuner.RunInfo]time.Time{}}
		err := b.read(ctx, chosen)
		if err != nil && !errors.Is(err, errStop) {
			yield(Batch{}, db.wrap("reading trials", err))
		}
	}
}

// A batcher makes batches of what it reads.
type batcher struct {
	from  source
	yield func(Batch, error) bool

	sweeps  map[int64]*Sweep
	devices map[string]*Device // devices by label
	origins map[int64]trial.Origin
	kernels map[string][]string // digests of the sources, by name
	own     map[kernelSource]kernels.Custom

	runs    map[runKey]*tuner.RunInfo
	started map[*tuner.RunInfo]time.Time
	batch   Batch
}

// A runKey tells apart what a run has in common.
type runKey struct {
	sweep, origin   int64
	device, version string
	// source is the index of the source that was run, among those of the kernel.
	source int
}

// read reads everything and yields it.
func (b *batcher) read(ctx context.Context, chosen chosen) error {
	if err := b.prepare(ctx, chosen); err != nil {
		return err
	}

	where, args := chosen.conditions()
	err := b.from.each(ctx, trialQuery{
		want:  wantSamples | wantFacts | wantCounts | wantTelemetry | wantWarnings,
		where: where, args: args, order: "t.id",
	}, func(s *stored) error {
		if err := b.add(b.key(s), s.Result); err != nil {
			return err
		}
		b.count(s) // into the batch that has the trial
		return nil
	})
	if err != nil {
		return err
	}
	return b.send()
}

// count puts what was counted in the launches of a trial into the batch.
func (b *batcher) count(s *stored) {
	if len(s.counts) == 0 {
		return
	}
	if b.batch.Counts == nil {
		b.batch.Counts = map[string]Counts{}
	}
	b.batch.Counts[s.ID] = s.counts
}

// prepare reads what trials refer to, and yields the matrices.
func (b *batcher) prepare(ctx context.Context, chosen chosen) error {
	sweeps, err := b.from.sweeps(ctx)
	if err != nil {
		return err
	}

	devices, err := b.from.devices(ctx)
	if err != nil {
		return err
	}
	b.sweeps, b.devices = map[int64]*Sweep{}, map[string]*Device{}
	for i := range sweeps {
		b.sweeps[sweeps[i].id] = &sweeps[i]
	}
	for i := range devices {
		b.devices[devices[i].Label] = &devices[i]
	}
	if b.origins, err = b.from.origins(ctx); err != nil {
		return err
	}
	list, err := b.from.kernels(ctx)
	if err != nil {
		return err
	}

	b.kernels, b.own = map[string][]string{}, map[kernelSource]kernels.Custom{}
	for _, k := range list {
		b.kernels[k.Name] = append(b.kernels[k.Name], k.Digest)
		if k.Own != nil {
			b.own[kernelSource{k.Name, k.Digest}] = *k.Own
		}
	}
	return b.matrices(ctx, chosen)
}

// matrices puts the matrices of chosen trials into the first batch.
func (b *batcher) matrices(ctx context.Context, chosen chosen) error {
	matrices, err := b.from.matrices(ctx)
	if err != nil {
		return err
	}
	patterns, err := b.from.patterns(ctx)
	if err != nil {
		return err
	}

	there, err := b.from.matricesOf(ctx, chosen)
	if err != nil {
		return err
	}
	for _, m := range matrices {
		if there[m.Hash] {
			m.Pattern = patterns[m.Hash]
			b.batch.Matrices = append(b.batch.Matrices, m)
		}
	}

	return nil
}

// key gives the run of a trial. If the version of the program that measured the trial is not
// known, it is the version of the sweep.
func (b *batcher) key(s *stored) runKey {
	k := runKey{sweep: s.sweep, origin: s.origin, device: s.Device, version: s.version}
	if k.version == "" {
		k.version = b.sweeps[s.sweep].Version
	}
	for i, digest := range b.kernels[s.Kernel] {
		if digest == s.digest {
			k.source = i
		}
	}

	return k
}

// run gives the run of a key.
func (b *batcher) run(k runKey) *tuner.RunInfo {
	if run := b.runs[k]; run != nil {
		return run
	}
	s, d := b.sweeps[k.sweep], b.devices[k.device]
	run := &tuner.RunInfo{
		Sweep:  s.Settings.Sweep(s.Name, s.Title, []byte(s.Text)),
		Device: d.Device, Roof: d.Roof, Sources: map[string]string{},
		Protocol: s.ProtocolText, Version: k.version, Origin: b.origins[k.origin],
	}

	for name, digests := range b.kernels {
		run.Sources[name] = digests[min(k.source, len(digests)-1)]
		if o, known := b.own[kernelSource{name, run.Sources[name]}]; known {
			run.Custom = append(run.Custom, o)
		}
	}
	b.runs[k], b.started[run] = run, s.Started
	return run
}

// add puts a result into the batch of its run.
func (b *batcher) add(k runKey, r trial.Result) error {
	run := b.run(k)
	if b.batch.Run != run || len(b.batch.Results) == perBatch {
		if err := b.send(); err != nil {
			return err
		}
		b.batch.Run, b.batch.Started = run, b.started[run]
	}
	b.batch.Results = append(b.batch.Results, r)
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

// patterns are the patterns of matrices, by hash.
func (from source) patterns(ctx context.Context) (map[string]sparse.Thumbnail, error) {
	list := map[string]sparse.Thumbnail{}
	var hash string
	var p []byte
	rows, err := from.QueryContext(ctx, "SELECT m.hash, p.data FROM pattern p JOIN matrix m ON m.id = p.matrix")
	err = readRows(rows, err, []any{&hash, &p}, func() { list[hash] = p })
	return list, err
}
