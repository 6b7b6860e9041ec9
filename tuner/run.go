package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// Options are the choices of a run that do not change what is measured.
type Options struct {
	Launch   worker.Launcher  // starts workers
	Retry    bool             // measure again what ended as anything but OK or Invalid
	Observe  func(Event)      // told of progress; may be nil
	Version  string           // of this program, kept with the sweep
	Node     string           // where this is, for the Origin
	Job      string           // of Slurm's, for the Origin; "" if there is none
	Assume   *Assumed         // for Preview: plan for a device that is not here
	Resolver *matrix.Resolver // of matrices of the SuiteSparse collection; nil: a new one, which shows nothing

	// Accept is asked about every matrix once it is loaded: one that it refuses is left
	// out, and is a Failure. May be nil.
	Accept func(trial.Matrix) error

	// Parts are what is to be measured of each matrix, by its name; matrices without
	// any are left out. Nil: everything.
	Parts map[string][]trial.Part

	// Choose decides what is measured where the strategy of the sweep is ByRule.
	Choose Chooser
}

// Assumed is a device that is not here, as an earlier run recorded it or as
// somebody supposes, with the sources of its kernels.
type Assumed struct {
	Device  kernels.Device
	Sources map[string]string // by kernel
}

// errStop ends a run early without being an error.
var errStop = errors.New("stopped")

// Run measures every trial of the sweep that rec does not hold yet, one after
// the other. When ctx ends, the running trial is finished and recorded first.
// What goes wrong with a trial or a matrix is in the summary; an error is
// returned only when the sweep can't go on.
func Run(ctx context.Context, sweep *configs.Sweep, rec Recorder, opt Options) (Summary, error) {
	if opt.Observe == nil {
		opt.Observe = func(Event) {}
	}
	r := &run{sweep: sweep, rec: rec, opt: opt, started: time.Now(), done: map[string]bool{}, over: map[trial.Place]bool{}}
	r.sum.Measured, r.sum.Invalid, r.sum.Skipped = map[trial.Status]int{}, map[string]int{}, map[string]int{}
	defer func() {
		if r.client != nil {
			r.client.Close()
		}
	}()
	err := r.all(ctx)
	r.unreached(err)
	if errors.Is(err, errStop) {
		err = nil
	}
	return r.sum, err
}

// run is the state of a Run.
type run struct {
	sweep   *configs.Sweep
	rec     Recorder
	opt     Options
	client  *worker.Client        // nil: a new worker is needed
	ahead   <-chan worker.Outcome // of the next trial, where it was started already
	planner planner
	named   map[string]string    // name of each matrix planned, by its hash
	pieces  []piece              // parts of the current matrix, where there are Parts
	over    map[trial.Place]bool // searches of the current matrix that have ended
	done    map[string]bool      // trials of the current matrix that are recorded, by identity
	best    bests                // of the current matrix
	finals  *finals              // of the current matrix
	begun   bool
	// noSensors is why the device's sensors can't be read, where that is so.
	noSensors string
	started   time.Time
	sum       Summary
}

func (r *run) all(ctx context.Context) error {
	if err := r.worker(ctx); err != nil {
		return err
	}
	dev := r.planner.device
	matrices := r.matrices()
	r.sum.Device, r.sum.Matrices = dev.Name, len(matrices)
	r.opt.Observe(Event{Started: &Started{Device: dev.Name, Matrices: len(matrices), NoSensors: r.noSensors}})
	for i, spec := range matrices {
		r.done, r.pieces, r.over = map[string]bool{}, nil, map[trial.Place]bool{}
		err := r.matrix(ctx, i, spec)
		r.ended(spec.Name, err)
		var f *Failure
		if errors.As(err, &f) {
			r.sum.Failures = append(r.sum.Failures, *f)
			r.opt.Observe(Event{Failure: f})
		} else if err != nil {
			return err
		}
	}
	return nil
}

// matrix measures what is left to do on one matrix. A *Failure is of this matrix
// only.
func (r *run) matrix(ctx context.Context, index int, spec configs.Matrix) error {
	spec, note, err := r.resolve(ctx, spec)
	if errors.Is(err, errStop) {
		return err
	}
	if err != nil {
		return &Failure{spec.Name, err}
	}
	m, err := r.load(ctx, spec)
	if errors.Is(err, errStop) {
		return err
	}
	if err != nil {
		return &Failure{spec.Name, err}
	}
	if r.opt.Accept != nil {
		if err := r.opt.Accept(m); err != nil {
			return &Failure{spec.Name, err}
		}
	}
	m.Note = cmp.Or(note, m.Note)
	plan, err := r.plan(m)
	if err != nil {
		return err
	}
	if plan.Duplicate != nil {
		r.sum.Duplicates = append(r.sum.Duplicates, *plan.Duplicate)
	}
	work, err := r.workOn(ctx, plan)
	if err != nil {
		return err
	}
	r.sum.Finished += work.finished
	for reason, n := range plan.Skipped {
		r.sum.Skipped[reason] += n
	}
	if len(plan.Trials) > 0 {
		// Also where all is measured: the name may have stood for other content since.
		if err := r.rec.Matrix(ctx, m); err != nil {
			return fmt.Errorf("recording %s: %w", m.Name, err)
		}
	}
	r.opt.Observe(Event{Matrix: &MatrixPlanned{m, index, work.trials, work.finished, work.adaptive, plan.Skipped}})
	defer func() { r.sum.Trials += work.count() }()
	queue := newQueue(work.source, work.good, r.sweep.Protocol.Sentinel, r.finals)
	j := queue.next()
	if j == nil {
		return work.err()
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	for j != nil {
		if r.ahead == nil && ctx.Err() != nil {
			return r.interrupted(ctx, nil)
		}
		switch err := r.reload(ctx, spec, m); {
		case errors.Is(err, errStop):
			return err
		case err != nil:
			return &Failure{spec.Name, err}
		}
		late := r.sweep.Search.Time > 0 && time.Since(r.started) > r.sweep.Search.Time
		if r.ahead == nil && late {
			r.sum.OutOfTime = true
			return errStop
		}
		err := r.trial(ctx, *j, func(res trial.Result) *job {
			queue.told(res)
			j = queue.next()
			if late || ctx.Err() != nil {
				return nil
			}
			return j
		})
		if err != nil {
			return err
		}
	}
	return work.err()
}

// plan plans m, unless a matrix of the same content, which has the same trials,
// came before it. Of parts that cannot be said: which of them are the same is seen
// by their identities.
func (r *run) plan(m trial.Matrix) (Plan, error) {
	plan, err := r.planner.plan(m)
	if err != nil {
		return plan, fmt.Errorf("planning %s: %w", m.Name, err)
	}
	if r.opt.Parts != nil {
		return r.cut(plan), nil
	}
	if first, taken := r.named[m.Hash]; taken && first != m.Name {
		return Plan{Matrix: m, Duplicate: &Duplicate{m.Name, first}}, nil
	}
	if r.named == nil {
		r.named = map[string]string{}
	}
	r.named[m.Hash] = m.Name
	return plan, nil
}
