package tuner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// Options are the choices of a run that do not change what is measured.
type Options struct {
	Launch  Launcher    // starts workers
	Retry   bool        // measure again what ended as anything but OK or Invalid
	Observe func(Event) // told of progress; may be nil
	Version string      // of this program, kept with the sweep
	Assume  *Assumed    // for Preview: plan for a device that is not here
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
	r := &run{sweep: sweep, rec: rec, opt: opt, started: time.Now()}
	r.sum.Measured, r.sum.Invalid, r.sum.Skipped = map[Status]int{}, map[string]int{}, map[string]int{}
	defer func() {
		if r.client != nil {
			r.client.close()
		}
	}()
	err := r.all(ctx)
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
	client  *client // nil: a new worker is needed
	planner planner
	named   map[string]string // name of each matrix planned, by its hash
	begun   bool
	started time.Time
	sum     Summary
}

func (r *run) all(ctx context.Context) error {
	if err := r.worker(ctx); err != nil {
		return err
	}
	dev := r.planner.device
	r.sum.Device, r.sum.Matrices = dev.Name, len(r.sweep.Matrices)
	r.opt.Observe(Event{Started: &Started{Device: dev.Name, Matrices: len(r.sweep.Matrices)}})
	for i, spec := range r.sweep.Matrices {
		if err := r.matrix(ctx, i, spec); err != nil {
			return err
		}
	}
	return nil
}

// openTimeout bounds how long a device may take to answer at all.
const openTimeout = 2 * time.Minute

// worker makes sure that there is a worker with an open device.
func (r *run) worker(ctx context.Context) error {
	if r.client != nil {
		return nil
	}
	c, err := startClient(r.opt.Launch)
	if err != nil {
		return err
	}
	device := r.sweep.Device
	if r.opt.Assume != nil {
		device = configs.Device{Backend: "cpu"} // which only loads matrices
	}
	rep, err := c.do(ctx, request{Open: &device}, openTimeout)
	if err != nil {
		r.drop(c, err)
		return r.interrupted(ctx, fmt.Errorf("opening the device: %w", err))
	}
	r.client = c
	r.planner = planner{r.sweep, *rep.Device, rep.Sources}
	if a := r.opt.Assume; a != nil {
		r.planner.device, r.planner.sources = a.Device, a.Sources
	}
	return nil
}

// drop closes a client after an error, unless the error has ended it already.
func (r *run) drop(c *client, err error) {
	var d *death
	if !errors.As(err, &d) && !errors.Is(err, context.Canceled) {
		c.close()
	}
	r.client = nil
}

// interrupted turns an error into errStop where the user asked to stop.
func (r *run) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		r.sum.Interrupted = true
		return errStop
	}
	return err
}

// load gives the worker a matrix. No deadline: a large file takes as long as it
// takes, and the user can interrupt.
func (r *run) load(ctx context.Context, spec configs.Matrix) (Matrix, error) {
	if err := r.worker(ctx); err != nil {
		return Matrix{}, err
	}
	rep, err := r.client.do(ctx, request{Load: &loadRequest{spec, r.sweep.Protocol.Seed}}, 0)
	if err != nil {
		var d *death
		if errors.As(err, &d) || ctx.Err() != nil {
			r.drop(r.client, err)
		}
		return Matrix{}, r.interrupted(ctx, err)
	}
	return *rep.Matrix, nil
}

// matrix measures what is left to do on one matrix.
func (r *run) matrix(ctx context.Context, index int, spec configs.Matrix) error {
	m, err := r.load(ctx, spec)
	if errors.Is(err, errStop) {
		return err
	}
	if err != nil {
		r.fail(spec.Name, err)
		return nil
	}
	plan, err := r.plan(m)
	if err != nil {
		return err
	}
	if plan.Twin != nil {
		r.sum.Twins = append(r.sum.Twins, *plan.Twin)
	}
	todo, err := r.unfinished(ctx, plan)
	if err != nil {
		return err
	}
	r.sum.Trials += len(plan.Trials)
	r.sum.Finished += len(plan.Trials) - len(todo)
	for reason, n := range plan.Skipped {
		r.sum.Skipped[reason] += n
	}
	if len(plan.Trials) > 0 {
		// Also where all is measured: the name may have stood for other content since.
		if err := r.rec.Matrix(ctx, m); err != nil {
			return fmt.Errorf("recording %s: %w", m.Name, err)
		}
	}
	r.opt.Observe(Event{Matrix: &MatrixPlanned{m, index, len(plan.Trials), len(plan.Trials) - len(todo), plan.Skipped}})
	if len(todo) == 0 {
		return nil
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	for _, t := range todo {
		if ctx.Err() != nil {
			return r.interrupted(ctx, nil)
		}
		switch err := r.reload(ctx, spec, m); {
		case errors.Is(err, errStop):
			return err
		case err != nil:
			r.fail(spec.Name, err)
			return nil
		}
		if b := r.sweep.Search.Time; b > 0 && time.Since(r.started) > b {
			r.sum.OutOfTime = true
			return errStop
		}
		if err := r.trial(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// plan plans m, unless a matrix of the same content, which has the same trials,
// came before it.
func (r *run) plan(m Matrix) (Plan, error) {
	plan, err := r.planner.plan(m)
	if err != nil {
		return plan, fmt.Errorf("planning %s: %w", m.Name, err)
	}
	if first, taken := r.named[m.Hash]; taken && first != m.Name {
		return Plan{Matrix: m, Twin: &Twin{m.Name, first}}, nil
	}
	if r.named == nil {
		r.named = map[string]string{}
	}
	r.named[m.Hash] = m.Name
	return plan, nil
}

// unfinished returns the trials of the plan that are still to be measured, and
// counts how the others ended.
func (r *run) unfinished(ctx context.Context, plan Plan) (todo []Trial, err error) {
	ids := make([]string, len(plan.Trials))
	for i, t := range plan.Trials {
		ids[i] = t.ID
	}
	known, err := r.rec.Finished(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("asking what is measured already: %w", err)
	}
	for _, t := range plan.Trials {
		status, done := known[t.ID]
		switch bad := status != OK && status != Invalid; {
		case !done || bad && r.opt.Retry:
			todo = append(todo, t)
		case bad:
			r.sum.FailedBefore++
		case status == OK:
			r.sum.OKBefore++
		}
	}
	return todo, nil
}

// begin measures the roof and opens the record, before the first trial.
func (r *run) begin(ctx context.Context) error {
	if r.begun {
		return nil
	}
	rep, err := r.client.do(ctx, request{Roof: true}, openTimeout)
	if err != nil {
		r.drop(r.client, err)
		return r.interrupted(ctx, fmt.Errorf("measuring the device's bandwidth: %w", err))
	}
	r.begun = true
	return r.rec.Begin(ctx, RunInfo{
		Sweep:    r.sweep,
		Device:   r.planner.device,
		Roof:     *rep.Roof,
		Sources:  r.planner.sources,
		Protocol: ProtocolText(r.sweep.Protocol),
		Version:  r.opt.Version,
	})
}

// reload gives m to a new worker, if the last one died.
func (r *run) reload(ctx context.Context, spec configs.Matrix, m Matrix) error {
	if r.client != nil {
		return nil
	}
	r.sum.Restarts++
	again, err := r.load(ctx, spec)
	switch {
	case errors.Is(err, errStop):
		return err
	case err != nil:
		return fmt.Errorf("loading it again for a new worker: %w", err)
	case again.Hash != m.Hash:
		return errors.New("the matrix has changed since the sweep started: run the sweep again")
	}
	return nil
}

// trial measures and records one trial. It is not interrupted by ctx.
func (r *run) trial(ctx context.Context, t Trial) error {
	ctx = context.WithoutCancel(ctx)
	rep, err := r.client.do(ctx, request{Trial: &trialRequest{t, r.sweep.Protocol}}, r.sweep.Protocol.Timeout)
	res := Result{Trial: t, At: time.Now().UTC()}
	var d *death
	switch {
	case errors.As(err, &d):
		res.Status, res.Message = d.Status, d.Message
		r.client = nil
	case err != nil:
		return err
	default:
		res = *rep.Result
		if rep.Spoiled {
			r.client.close()
			r.client = nil
		}
	}
	if err := r.rec.Record(ctx, res); err != nil {
		return fmt.Errorf("recording a trial: %w", err)
	}
	r.sum.Measured[res.Status]++
	switch res.Status {
	case OK:
	case Invalid:
		r.sum.Invalid[res.Message]++
	default:
		r.sum.Failed = append(r.sum.Failed, res)
	}
	r.opt.Observe(Event{Result: &res})
	return nil
}

// fail notes that a matrix can't be used, and that the sweep goes on.
func (r *run) fail(name string, err error) {
	f := Failure{name, err}
	r.sum.Failures = append(r.sum.Failures, f)
	r.opt.Observe(Event{Failure: &f})
}
