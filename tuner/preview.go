package tuner

import (
	"context"
	"errors"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// A Forecast says what a sweep would do on one matrix.
type Forecast struct {
	Plan
	Finished int           // trials that are measured already
	Time     time.Duration // guess for those that are left
}

// Preview plans a sweep without measuring anything. Matrices are loaded, since
// constraints and identities depend on their content; one that can't be is a
// Failure. rec may be nil: nothing is measured yet.
func Preview(ctx context.Context, sweep *configs.Sweep, rec Recorder, opt Options) (kernels.Device, []Forecast, []Failure, error) {
	r := &run{sweep: sweep, rec: rec, opt: opt}
	defer func() {
		if r.client != nil {
			r.client.close()
		}
	}()
	var out []Forecast
	for _, spec := range sweep.Matrices {
		m, err := r.load(ctx, spec)
		switch {
		case errors.Is(err, errStop):
			return r.planner.device, out, r.sum.Failures, ctx.Err()
		case r.planner.sweep == nil: // no device answered
			return kernels.Device{}, nil, nil, err
		case err != nil:
			r.sum.Failures = append(r.sum.Failures, Failure{spec.Name, err})
			continue
		}
		plan, err := r.plan(m)
		if err != nil {
			return r.planner.device, nil, nil, err
		}
		todo := plan.Trials
		if rec != nil {
			if todo, _, err = r.unfinished(ctx, plan); err != nil {
				return r.planner.device, nil, nil, err
			}
		}
		f := Forecast{Plan: plan, Finished: len(plan.Trials) - len(todo)}
		for _, t := range todo {
			f.Time += guess(m, t, sweep.Protocol)
		}
		out = append(out, f)
	}
	return r.planner.device, out, r.sum.Failures, nil
}

// guessBandwidth is what a product is taken to move per second before anything
// was measured, in bytes: a few CPU cores; a GPU is faster.
const guessBandwidth = 10e9

// guess bounds the time of a trial from above: most samples that the budget
// leaves room for, and the product that is verified.
func guess(m Matrix, t Trial, p configs.Protocol) time.Duration {
	f := m.Features
	v := t.Precision.Bytes()
	once := float64((4+v)*f.Nonzeros+(4+v)*f.Rows+v*f.ColsUsed) / guessBandwidth
	sampling := float64(p.Samples[1]) * max(once, shortest)
	sampling = min(sampling, max(p.Budget.Seconds(), float64(p.Samples[0])*once))
	return time.Duration((sampling + float64(p.Warmup+1)*once) * float64(time.Second))
}
