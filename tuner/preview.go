package tuner

import (
	"context"
	"errors"
	"fmt"
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
	Missing string
	Size    trial.Size // of the twin of a missing matrix; zero if it has none
	Outlook Outlook    // of that twin
	Count   int        // number of trials; if a strategy decides, as many as there may be
	AtMost  bool       // whether the strategy has not decided yet
	// Announced says that the matrix was neither read nor generated: its sizes are as its file or its generator
	// announces them, and what is measured of it is not known.
	Announced bool
	Finished  int           // number of trials that are measured already
	Time      time.Duration // guess for the trials and repeat runs that are left, and for loading the matrix
	Repeating time.Duration // what of Time repeat runs take, where trials are left
	Known     int           // number of trials left whose kernel was measured on this matrix and device
	Repeats   int           // number of repeat runs that are missing at least, if all trials are measured
}

// Preview plans a sweep without measuring anything. Constraints and identities depend on the content of matrices:
// what the cache or rec knows of one is taken from there, small ones are read or generated for it and not kept, and
// others are planned by the sizes that they announce. A matrix that can't be used is a Failure, and none is
// downloaded. rec may be nil: nothing is measured yet.
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

	p := previewer{run: r, past: past}
	if l, is := rec.(Librarian); is {
		if p.recorded, err = l.Library(ctx); err != nil {
			return kernels.Device{}, nil, nil, fmt.Errorf("reading which matrices are known: %w", err)
		}
	}
	var out []Forecast
	for i, spec := range sweep.Matrices {
		r.planning(spec.Name, i, len(sweep.Matrices))
		f, err := p.preview(ctx, spec)
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
