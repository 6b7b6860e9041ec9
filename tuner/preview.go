package tuner

import (
	"context"
	"errors"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

// A Forecast says what a sweep would do on one matrix.
type Forecast struct {
	Plan
	// Missing is Group/Name of a matrix that is to be downloaded first. Only the name is
	// known of its Plan then.
	Missing  string
	Size     trial.Size    // of the twin of a missing matrix; zero if it has none
	Outlook  Outlook       // of that twin
	Count    int           // number of trials; if a strategy decides, as many as there may be
	AtMost   bool          // whether the strategy has not decided yet
	Finished int           // number of trials that are measured already
	Time     time.Duration // guess for the trials and repeat runs that are left, and for loading the matrix
	Known    int           // number of trials left whose kernel was measured on this matrix and device
	Repeats  int           // number of repeat runs that are missing at least, if all trials are measured
}

// Preview plans a sweep without measuring anything. Matrices are loaded, because
// constraints and identities depend on their content. A matrix that can't be loaded is a
// Failure, and none is downloaded. rec may be nil: nothing is measured yet.
func Preview(
	ctx context.Context, sweep *configs.Sweep, rec Recorder, opt Options,
) (kernels.Device, []Forecast, []Failure, error) {
	r := newRun(sweep, rec, opt)
	defer r.close()
	if r.opt.Resolver == nil {
		var err error
		if r.opt.Resolver, err = matrix.NewResolver(); err != nil {
			return kernels.Device{}, nil, nil, err
		}
	}

	switch err := r.worker(ctx); {
	case errors.Is(err, errStop):
		return kernels.Device{}, nil, nil, ctx.Err()
	case err != nil: // no device answered
		return kernels.Device{}, nil, nil, err
	}
	past, err := readHistory(ctx, rec, sweep.Protocol, r.planner.device)
	if err != nil {
		return kernels.Device{}, nil, nil, err
	}

	var out []Forecast
	for _, spec := range sweep.Matrices {
		f, err := r.preview(ctx, spec, past)
		var failure *Failure
		switch {
		case errors.Is(err, errStop):
			return r.planner.device, nil, nil, ctx.Err()
		case errors.As(err, &failure):
			r.sum.Failures = append(r.sum.Failures, *failure)
		case err != nil:
			return r.planner.device, nil, nil, err
		default:
			out = append(out, f)
		}
	}
	return r.planner.device, out, r.sum.Failures, nil
}

// preview forecasts the work on one matrix.
func (r *run) preview(ctx context.Context, spec configs.Matrix, past history) (Forecast, error) {
	spec = r.opt.Resolver.Foresee(spec)
	if !spec.Resolved() {
		return r.previewMissing(spec)
	}

	started := time.Now()
	m, err := r.load(ctx, spec)
	loading := time.Since(started)
	if err != nil {
		return Forecast{}, r.failure(spec.Name, err, false)
	}

	plan, err := r.plan(m)
	if err != nil {
		return Forecast{}, err
	}
	f, err := r.forecast(ctx, plan, past)
	if f.Time > 0 {
		f.Time += loading
	}
	return f, err
}

// previewMissing forecasts the work on a matrix that is not downloaded, by its twin.
func (r *run) previewMissing(spec configs.Matrix) (Forecast, error) {
	f := Forecast{Plan: Plan{Matrix: matrix.Named(spec)}, Missing: spec.SuiteSparse}
	if !spec.HasTwin() {
		return f, nil
	}
	var err error
	if f.Size, err = matrix.SizeOf(spec); err != nil {
		return f, err
	}
	f.Outlook, err = NewOutlook(r.sweep, f.Size, r.planner.device)
	return f, err
}
