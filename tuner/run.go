// SPDX-License-Identifier: Apache-2.0

// Package tuner plans trials and runs them.
//
// A trial is one experiment: a kernel with its block, grid and parameters on one matrix,
// in one precision and cache state. A worker, a child process that holds the device and the
// current matrix, verifies and measures it (see package worker). The parent holds neither.
// The result is handed to a Recorder before the next trial starts. When a worker crashes,
// hangs or runs out of memory, the trial it was on is recorded as such, and a new worker
// goes on with the next one. Several GPUs of one model share the matrices out.
//
// The plan of a matrix is a list of trials, or the searches of a strategy in each case. In
// between, a sentinel is measured again and again to see drift. In the end, the leaders are
// measured again to pick the winner.
//
// This package knows no SQL, no Slurm and no CUDA. It is given a Recorder and a way to start
// workers.
package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// Options are the choices of a run that do not change what is measured.
type Options struct {
	// Launch starts workers.
	Launch worker.Launcher
	// Retry measures again what ended as anything but OK or Invalid.
	Retry bool
	// Observe is told of progress; may be nil.
	Observe func(Event)
	// Planning is told by Preview which matrix it plans, and how many of how many are planned; may be nil.
	Planning func(matrix string, done, of int)
	// Version is that of this program, Node the name of this host, and Job that of Slurm, ""
	// if there is none. They are kept with the results.
	Version, Node, Job string
	// Assume is for Preview: it plans for a device that is not here.
	Assume *Assumed
	// Resolver resolves matrices of the SuiteSparse collection; nil: a new one, which shows
	// no progress.
	Resolver *matrix.Resolver
	// Accept is asked about every matrix once it is loaded; may be nil. A matrix that it
	// refuses is left out, and is a Failure.
	Accept func(trial.Matrix) error
	// Pieces are what is measured. Matrices without any are left out. Nil: everything.
	Pieces []trial.Piece
	// Choose decides what is measured if the strategy of the sweep is search.Rule.
	Choose Chooser
	// Roofless says that the bandwidth of the device is not measured.
	Roofless bool
	// Expect is asked once for each search if the strategy is search.Tune; may be nil.
	Expect Expecter
}

// An Assumed device is not here: an earlier run recorded it, or somebody supposes it.
type Assumed struct {
	Device  kernels.Device
	Sources map[string]string // digests of its kernels, by name
}

// errStop ends a run early without being an error.
var errStop = errors.New("stopped")

// Run measures every trial of the sweep that rec does not hold yet, one after the other on each
// device. When ctx ends, the running trials are finished and recorded first. What goes wrong with a
// trial or a matrix is in the summary. An error is returned only if the sweep can't go on.
func Run(ctx context.Context, sweep *configs.Sweep, rec Recorder, opt Options) (sum Summary, err error) {
	folder, remove, err := Compiled(sweep.Custom())
	if err != nil {
		return sum, err
	}
	defer remove()

	var runs []*run
	for _, index := range sweep.Device.Each() {
		own := *sweep
		own.Device.Index = index
		r := newRun(&own, rec, opt)
		r.compiled = folder
		if len(runs) > 0 {
			r.devices = runs[0].devices
		}
		if remove, err = r.keepScratch(); err != nil {
			return sum, err
		}
		defer remove()
		defer r.close()
		runs = append(runs, r)
	}

	err = runs[0].devices.measure(ctx, runs)
	for _, r := range runs {
		sum.Add(r.sum)
	}
	if errors.Is(err, errStop) {
		err = nil
	}
	return sum, err
}

// A run is the state of a Run on one device.
type run struct {
	devices *devices
	sweep   *configs.Sweep
	rec     Recorder
	opt     Options

	client       *worker.Client        // nil: a new worker is needed
	holds        string                // hash of the matrix that the worker has; "": none
	ending       sync.WaitGroup        // for the worker before
	another      bool                  // whether it may still be ending
	spare        *spare                // nil: there is none
	overlap      overlap               // of the trial that was started last
	alone        bool                  // whether nothing may overlap the next trial
	customKernel string                // the kernel of the sweep that has run in the worker, if one has
	ahead        <-chan worker.Outcome // of the next trial, if it was started already
	asked        time.Time             // when the trial was that was started last
	planner      planner
	noSensors    string  // why the device's sensors can't be read; "" if they can
	roof         float64 // bandwidth of the device in GB/s, once the run has begun
	begun        bool    // whether the recorder knows the run
	started      time.Time
	last         time.Time // when the last trial finished
	sum          Summary
	compiled     string // folder of what is compiled of own kernels
	scratch      string // folder of programs
	built        map[kernels.Config]bool
	programs     map[string]bool // kernels whose times are their own
	compared     map[string]bool // see job.compared
	batch        []*current      // matrices whose repeat runs the next process measures, and that whose trials this one does

	*current
}

// current is the state of a run that belongs to the current matrix.
type current struct {
	assignment             assignment
	spec                   configs.Matrix // resolved
	matrix                 trial.Matrix
	work                   *work               // nil: it is not begun
	over                   bool                // whether nothing is left to do, or this device does not go on
	whole                  []trial.Trial       // see Plan; nil: it is not planned yet
	searched               map[trial.Case]bool // searches that have ended
	done                   map[string]bool     // trials that are recorded, by identity
	measured               map[string]bool     // those of them that this run measured
	byFailedDevice         int                 // how many of these a device measured that has failed
	okBefore, failedBefore int                 // how those of an earlier run ended
	best                   bests
	host                   trial.HostUse // while its trials were measured
}

func newRun(sweep *configs.Sweep, rec Recorder, opt Options) *run {
	if opt.Observe == nil {
		opt.Observe = func(Event) {}
	}
	r := &run{sweep: sweep, rec: rec, opt: opt, started: time.Now(), built: map[kernels.Config]bool{},
		compared: map[string]bool{},
		programs: sweep.Programs(), devices: &devices{named: map[string]string{}}}
	r.sum.Measured, r.sum.Invalid, r.sum.Skipped = map[trial.Status]int{}, map[string]int{}, map[string]int{}
	r.next(assignment{})
	return r
}

// next begins with an assignment.
func (r *run) next(s assignment) {
	r.current = &current{assignment: s, searched: map[trial.Case]bool{}, done: map[string]bool{}, measured: map[string]bool{}}
	maps.Copy(r.measured, s.done)
}

// close ends the workers, in time that is counted.
func (r *run) close() {
	defer worker.Spend(&r.sum.Breakdown.Start, time.Now())
	if r.spare != nil {
		r.spare.pause(false)
		r.spare.Close()
	}
	if r.client != nil {
		r.client.Close()
	}
	r.ending.Wait()
	r.spare, r.client = nil, nil
}

// A batch of matrices ends once their trials have taken batchTime, or a share of the sweep's budget of time: a run that is
// stopped lacks the repeat runs of one batch. On an H200 a process takes 0.25 s to open the device.
const (
	batchTime  = 10 * time.Second
	batchShare = 10 // one of so many
)

// all measures one matrix after the other, until none is left. Repeat runs wait until a batch of matrices is measured. They
// begin in a new process: where a process has its memory is a part of what another run does otherwise. It goes on with
// the trials of the next batch.
func (r *run) all(ctx context.Context) error {
	defer r.close()
	longest := min(batchTime, cmp.Or(r.sweep.Search.Time, time.Hour)/batchShare)
	for more := true; more; {
		var err error
		for began := time.Now(); more && err == nil && time.Since(began) < longest; {
			s, index, is := r.devices.take()
			if more = is; more {
				r.next(s)
				r.batch = append(r.batch, r.current)
				err = r.part(func() error { return r.begins(ctx, index) })
				r.batch = slices.DeleteFunc(r.batch, func(c *current) bool { return c.over })
			}
		}
		if err = r.repeat(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// repeat ends the batch: with its repeat runs, or with an error that ends the run.
func (r *run) repeat(ctx context.Context, err error) error {
	batch := r.batch
	r.batch = nil
	if len(batch) > 0 {
		r.restart()
	}
	for _, r.current = range batch {
		err = r.part(func() error {
			if err != nil {
				return err
			}
			r.opt.Observe(Event{Repeating: r.matrix.Name})
			return r.measure(ctx, true)
		})
	}
	return err
}

// part does a part of the work on the current matrix, whose panics are named, too. An error ends the run. Repeat runs that
// are left are for the next process. If the device is gone, another one goes on with the matrix and counts its trials.
func (r *run) part(do func() error) error {
	err := panics.Caught(do)()
	if r.over = err != nil || r.work == nil || r.work.next() == nil; !r.over {
		return nil
	}
	r.assignment.done = r.measured
	r.devices.done(r.assignment, isGone(err))
	if isGone(err) {
		return err
	}
	if r.work != nil {
		r.sum.Trials += r.work.count()
		r.sum.Finished += r.work.finished
		r.sum.OKBefore += r.okBefore
		r.sum.FailedBefore += r.failedBefore
		r.opt.Observe(Event{Over: r.matrix.Name})
	}
	r.ended(r.assignment, err)
	if f, is := errors.AsType[*Failure](err); is {
		r.sum.Failures = append(r.sum.Failures, *f)
		r.opt.Observe(Event{Failure: f})
		return nil
	}
	return err
}

// begins loads and plans a matrix, and measures its trials. A *Failure concerns this matrix only.
func (r *run) begins(ctx context.Context, index int) error {
	spec, m, err := r.obtain(ctx, r.assignment.Matrix)
	if err != nil {
		return r.failure(spec.Name, err, false)
	}
	plan, err := r.plan(m)
	if err != nil {
		return err
	}

	work, err := r.workOn(ctx, plan)
	if err != nil {
		return err
	}

	if plan.Duplicate != nil {
		r.sum.Duplicates = append(r.sum.Duplicates, *plan.Duplicate)
	}
	if len(plan.Trials) > 0 {
		// Even if all is measured: the name may have stood for other content since.
		err := r.rec.Matrix(ctx, m)
		if err == nil {
			err = r.rec.Ask(ctx, idsOf(plan.Trials))
		}
		if err != nil {
			return fmt.Errorf("recording %s: %w", m.Name, err)
		}
	}

	if err := r.build(ctx, plan); err != nil {
		return err
	}
	r.spec, r.matrix, r.work = spec, m, work
	if !r.assignment.told {
		r.sum.Skipped = added(r.sum.Skipped, plan.Skipped)
	}
	r.opt.Observe(Event{Matrix: &MatrixPlanned{m, index, work.trials, work.finished, work.adaptive, r.assignment.told}})
	r.assignment.told = true
	return r.measure(ctx, false)
}

// obtain resolves and loads a matrix.
func (r *run) obtain(ctx context.Context, spec configs.Matrix) (configs.Matrix, trial.Matrix, error) {
	spec, note, err := r.resolve(ctx, spec)
	if err != nil {
		return spec, trial.Matrix{}, err
	}
	r.opt.Observe(Event{Doing: "loading " + spec.Name})
	m, err := r.load(ctx, spec, false)
	if err != nil {
		return spec, m, err
	}

	if r.opt.Accept != nil {
		if err := r.opt.Accept(m); err != nil {
			return spec, m, err
		}
	}

	m.Note = cmp.Or(note, m.Note)
	return spec, m, nil
}

// failure turns an error into one of a matrix, unless it ends the run.
func (r *run) failure(name string, err error, measured bool) error {
	if errors.Is(err, errStop) || isGone(err) {
		return err
	}
	return &Failure{name, err, measured}
}

// measure does the work on a matrix, job after job: its trials, or its repeat runs.
func (r *run) measure(ctx context.Context, again bool) error {
	for j := r.work.next(); j != nil && j.fresh() == again; j = r.work.next() {
		if r.ahead == nil {
			if err := cmp.Or(r.begin(ctx), r.halt(ctx)); err != nil {
				return err
			}
			if err := r.reload(ctx); err != nil {
				return r.failure(r.spec.Name, err, again)
			}
		}

		if err := r.trial(ctx, *j); err != nil {
			return err
		}
	}

	if s := r.work.searches; s != nil {
		return s.err
	}
	return nil
}

// halt says why no other trial may start; nil if one may.
func (r *run) halt(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return r.interrupted(ctx, nil)
	case r.sweep.Search.Time > 0 && time.Since(r.started) > r.sweep.Search.Time:
		r.sum.OutOfTime = true
		return errStop
	}
	return r.devices.failed()
}

// plan plans m, unless it has the same content as a matrix before it, which has the same
// trials. With parts that does not matter: the same trials have the same identities.
func (r *run) plan(m trial.Matrix) (Plan, error) {
	r.devices.mu.Lock()
	defer r.devices.mu.Unlock()
	plan, err := r.planner.plan(m)
	if err != nil {
		return plan, fmt.Errorf("planning %s: %w", m.Name, err)
	}
	r.whole = plan.Trials
	if r.opt.Pieces != nil {
		return r.cut(plan), nil
	}
	if first, taken := r.devices.named[m.Hash]; taken && first != m.Name {
		return Plan{Matrix: m, Duplicate: &Duplicate{m.Name, first}}, nil
	}
	r.devices.named[m.Hash] = m.Name
	return plan, nil
}
