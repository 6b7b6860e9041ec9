package tuner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spmvtune/configs"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// openTimeout bounds how long a device may take to answer at all.
const openTimeout = 2 * time.Minute

// worker makes sure that there is a worker with an open device.
func (r *run) worker(ctx context.Context) error {
	if r.client != nil {
		return nil
	}
	c, err := worker.Start(r.opt.Launch)
	if err != nil {
		return err
	}
	device := configs.Device{Backend: r.sweep.Device.Backend, Index: r.sweep.Device.Index}
	if r.opt.Assume != nil {
		device = configs.Device{Backend: "cpu"} // it only loads matrices
	}
	open := worker.OpenRequest{Device: device, Own: r.sweep.Own(), Compiled: r.compiled, Scratch: r.scratch}
	rep, err := c.Do(ctx, worker.Request{Open: &open}, openTimeout)
	if err != nil {
		r.drop(c, err)
		return r.interrupted(ctx, &gone{fmt.Errorf("opening the device: %w", err)})
	}

	r.client, r.guest, r.noSensors = c, "", rep.NoSensors
	r.planner = planner{r.sweep, *rep.Device, rep.Sources, r.opt.Choose}
	if a := r.opt.Assume; a != nil {
		r.planner.device, r.planner.sources = a.Device, a.Sources
	}
	return nil
}

// drop closes a client after an error, unless its worker has ended already.
func (r *run) drop(c *worker.Client, err error) {
	var d *worker.Death
	if !errors.As(err, &d) && !errors.Is(err, context.Canceled) {
		c.Close()
	}
	r.client = nil
}

// interrupted turns an error into errStop if the user asked to stop.
func (r *run) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		r.sum.Interrupted = true
		return errStop
	}
	return err
}

// resolve finds out what a matrix is. That is not left to the worker, because a download
// shows its progress and ends when the user asks for it. The note says why a twin takes
// the place of a matrix.
func (r *run) resolve(ctx context.Context, spec configs.Matrix) (resolved configs.Matrix, note string, err error) {
	if spec.Resolved() {
		return spec, "", nil
	}
	if r.opt.Resolver == nil {
		if r.opt.Resolver, err = matrix.NewResolver(); err != nil {
			return spec, "", err
		}
	}

	r.crew.resolving.Lock()
	defer r.crew.resolving.Unlock()
	resolved, why, err := r.opt.Resolver.Resolve(ctx, spec)
	if err != nil {
		return spec, "", r.interrupted(ctx, err)
	}
	if why != nil {
		note = resolved.Substitution(why)
	}
	return resolved, note, nil
}

// load gives the worker a matrix. It has no deadline: a large file takes as long as it
// takes, and the user can interrupt.
func (r *run) load(ctx context.Context, spec configs.Matrix) (trial.Matrix, error) {
	return r.loadAs(ctx, spec, false)
}

// loadAs is load of a matrix that is not kept if it is only looked at.
func (r *run) loadAs(ctx context.Context, spec configs.Matrix, looking bool) (trial.Matrix, error) {
	if err := r.worker(ctx); err != nil {
		return trial.Matrix{}, err
	}
	request := worker.LoadRequest{Matrix: spec, Seed: r.sweep.Protocol.Seed, Looking: looking}
	rep, err := r.client.Do(ctx, worker.Request{Load: &request}, 0)
	if err != nil {
		return trial.Matrix{}, r.notLoaded(ctx, err)
	}

	return *rep.Matrix, nil
}

// notLoaded tells whether the matrix is at fault, or the device, which loads no other one either: it is, if a new
// worker can't open it.
func (r *run) notLoaded(ctx context.Context, err error) error {
	var d *worker.Death
	died := errors.As(err, &d) || r.planner.device.Backend != "cpu"
	if died || ctx.Err() != nil {
		r.drop(r.client, err)
	}
	if died && ctx.Err() == nil {
		if lost := r.worker(ctx); isGone(lost) {
			return lost
		}
	}
	return r.interrupted(ctx, err)
}
