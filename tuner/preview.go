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
	Missing  string        // Group/Name where it is to be downloaded first: of its Plan only the name is known then
	Size     trial.Size    // of the twin of one that is missing; zero where it has none
	Outlook  Outlook       // on that twin
	Count    int           // of trials; where a strategy decides which, as many as there may be
	AtMost   bool          // the strategy has not decided yet
	Finished int           // trials that are measured already
	Time     time.Duration // guess for those that are left, and for loading the matrix
	Known    int           // of those that are left, the ones whose kernel was measured on this matrix and device
}

// Preview plans a sweep without measuring anything. Matrices are loaded, since
// constraints and identities depend on their content; one that can't be is a
// Failure, and none is downloaded. rec may be nil: nothing is measured yet.
func Preview(ctx context.Context, sweep *configs.Sweep, rec Recorder, opt Options) (kernels.Device, []Forecast, []Failure, error) {
	r := &run{sweep: sweep, rec: rec, opt: opt, done: map[string]bool{}, over: map[trial.Place]bool{}}
	defer func() {
		if r.client != nil {
			r.client.Close()
		}
	}()
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
		spec = r.opt.Resolver.Foresee(spec)
		if !spec.Resolved() {
			f := Forecast{Plan: Plan{Matrix: matrix.Named(spec)}, Missing: spec.SuiteSparse}
			if spec.HasTwin() {
				var err error
				if f.Size, err = matrix.SizeOf(spec); err != nil {
					return r.planner.device, nil, nil, err
				}
				if f.Outlook, err = NewOutlook(sweep, f.Size, r.planner.device); err != nil {
					return r.planner.device, nil, nil, err
				}
			}
			out = append(out, f)
			continue
		}
		started := time.Now()
		m, err := r.load(ctx, spec)
		loading := time.Since(started)
		switch {
		case errors.Is(err, errStop):
			return r.planner.device, out, r.sum.Failures, ctx.Err()
		case err != nil:
			r.sum.Failures = append(r.sum.Failures, Failure{spec.Name, err})
			continue
		}
		plan, err := r.plan(m)
		if err != nil {
			return r.planner.device, nil, nil, err
		}
		f, err := r.forecast(ctx, plan, past)
		if err != nil {
			return r.planner.device, nil, nil, err
		}
		if f.Time > 0 {
			f.Time += loading
		}
		out = append(out, f)
	}
	return r.planner.device, out, r.sum.Failures, nil
}
