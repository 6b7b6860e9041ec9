package store

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

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
		b := batcher{yield: yield, sweeps: map[int64]*Sweep{}, devices: map[string]*Device{},
			sources: map[kernelSource]int{}, runs: map[runKey]*tuner.RunInfo{}}
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

	sweeps  map[int64]*Sweep
	devices map[string]*Device // devices by label
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
	for i := range sweeps {
		b.sweeps[sweeps[i].id] = &sweeps[i]
	}
	for i := range devices {
		b.devices[devices[i].Label] = &devices[i]
	}
	nth := map[string]int{}
	for _, k := range list {
		b.sources[kernelSource{k.Name, k.Digest}] = nth[k.Name]
		nth[k.Name]++
	}
	b.origins, b.kernels = origins, list

	matrices, err5 := db.Features(ctx)
	patterns, err6 := db.Patterns(ctx)
	there, err7 := db.from().matricesOf(ctx, chosen)
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
