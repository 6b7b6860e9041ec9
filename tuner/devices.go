// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// devices are what the devices of a Run share: GPUs of one model, or a single device. Each has a run
// of its own, which takes one matrix after the other. A matrix stays on one device, so that its
// trials compare, unless a task cuts its parts. When a device fails, another one goes on with its matrix.
type devices struct {
	resolving sync.Mutex // one download at a time
	twins     bool       // one was said to be in place of a matrix, and why

	mu       sync.Mutex
	todo     []assignment      // that no device has taken yet
	running  []assignment      // that devices have taken and are not done with
	taken    int               // number of shares that were taken
	named    map[string]string // name of each matrix that was planned, by its hash
	able     int               // number of devices that have not failed
	expected bool              // whether the observer knows what is ahead
	err      error             // why no device can go on; nil: they can
}

// A share is a matrix, or some parts of it, for one device.
type assignment struct {
	configs.Matrix
	pieces []trial.Piece   // nil: everything
	done   map[string]bool // trials that devices of this run measured which have failed
	told   bool            // whether the observer knows its trials
}

// gone is the error of a device that does not answer any more.
type gone struct{ error }

func (g *gone) Unwrap() error { return g.error }

func isGone(err error) bool { return errors.As(err, new(*gone)) }

// fill puts the matrices into the queue. Several devices take the largest first, as far as sizes are
// known without loading, so that they end at about the same time. With a budget of time, or where the
// sweep shuffles, the order stays that of the sweep: the first matrices may be all that is measured.
// Where there are fewer matrices than devices, the parts of a task are cut once more, unless a search or a rule
// chooses the trials.
func (c *devices) fill(sweep *configs.Sweep, pieces []trial.Piece, devices int) {
	for _, m := range sweep.Matrices {
		own := lists.Where(pieces, func(p trial.Piece) bool { return p.Matrix == m.Name })
		if pieces == nil || len(own) > 0 {
			c.todo = append(c.todo, assignment{Matrix: m, pieces: own})
		}
	}
	strategy := sweep.Search.Strategy
	if pieces != nil && len(c.todo) < devices && !search.Adaptive(strategy) && strategy != search.Rule {
		c.cut(devices)
	}
	if devices == 1 || sweep.Search.Shuffled || sweep.Search.Time > 0 {
		return
	}

	sizes := map[string]int{}
	for _, s := range c.todo {
		size, _ := matrix.SizeOf(s.Matrix) // an error shows when it is loaded
		sizes[s.Name] = size.Nonzeros
	}
	slices.SortStableFunc(c.todo, func(a, b assignment) int { return cmp.Compare(sizes[b.Name], sizes[a.Name]) })
}

// cut gives each device a share of every part.
func (c *devices) cut(devices int) {
	var all []assignment
	for _, s := range c.todo {
		for i := range devices {
			pieces := lists.Of(s.pieces, func(p trial.Piece) trial.Piece { return p.Cut(devices)[i] })
			all = append(all, assignment{Matrix: s.Matrix, pieces: pieces})
		}
	}
	c.todo = all
}

// take returns the next share and how many were taken before. There is none if another device has
// ended the run.
func (c *devices) take() (s assignment, index int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.todo) == 0 || c.err != nil {
		return s, 0, false
	}
	s, c.todo = c.todo[0], c.todo[1:]
	c.running = append(c.running, s)
	c.taken++
	return s, c.taken - 1, true
}

// done notes that a device is done with a share or, if it has failed, leaves that to the others. The shares of a cut
// matrix count alike.
func (c *devices) done(s assignment, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.running, func(o assignment) bool { return o.Name == s.Name }); i >= 0 {
		c.running = slices.Delete(c.running, i, i+1)
	}
	if failed {
		c.todo = append([]assignment{s}, c.todo...)
		c.taken--
	}
}

// ended notes why a device goes on no longer. One that does not answer is left out, if there are
// others; what else goes wrong ends the run on all devices after their running trials.
func (c *devices) ended(r *run, err error) {
	c.mu.Lock()
	others := c.able - 1
	switch {
	case isGone(err):
		c.able--
	case err != nil && !errors.Is(err, errStop):
		c.err = cmp.Or(c.err, err)
	}
	c.mu.Unlock()
	if isGone(err) && others > 0 {
		r.opt.Observe(Event{Gone: &Gone{r.sweep.Device.Index, err, others}})
	}
}

// fail notes why no device can go on.
func (c *devices) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = cmp.Or(c.err, err)
}

// failed says why no device can go on.
func (c *devices) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// together calls f for each run at the same time, and returns those for which it gave no error. The
// error is one that ends the whole run.
func (c *devices) together(runs []*run, f func(*run) error) (able []*run, err error) {
	errs := make([]error, len(runs))
	var all sync.WaitGroup
	for i, r := range runs {
		all.Go(func() {
			start := time.Now()
			errs[i] = panics.Caught(func() error { return f(r) })()
			r.sum.Breakdown.Wall += time.Since(start)
			c.ended(r, errs[i])
		})
	}
	all.Wait()

	var last error
	for i, r := range runs {
		if errs[i] == nil {
			able = append(able, r)
		}
		if errors.Is(errs[i], errStop) {
			err = errStop
		}
		last = cmp.Or(errs[i], last)
	}
	if len(able) == 0 {
		err = cmp.Or(err, last)
	}
	return able, cmp.Or(c.failed(), err)
}

// open opens all devices, which must be of one model.
func (c *devices) open(ctx context.Context, runs []*run) (able []*run, err error) {
	able, err = c.together(runs, func(r *run) error { return r.worker(ctx) })
	if err != nil {
		return nil, err
	}
	for _, r := range able {
		one, other := able[0].planner.device, r.planner.device
		if one.Name != other.Name {
			return nil, fmt.Errorf("GPU %d is %s and GPU %d is %s: list GPUs of one model only, "+
				"by index in [device], and write one sweep for each model", able[0].sweep.Device.Index, one.Name,
				r.sweep.Device.Index, other.Name)
		}
	}
	return able, nil
}

// measure measures the matrices of a sweep on its devices, as long as there is one.
func (c *devices) measure(ctx context.Context, runs []*run) error {
	first := runs[0]
	c.able = len(runs)
	c.fill(first.sweep, first.opt.Pieces, len(runs))
	first.sum.Matrices = len(c.todo)
	able, err := c.open(ctx, runs)
	if err == nil {
		one := able[0]
		first.sum.Device = one.planner.device.Name
		one.opt.Observe(Event{Started: &Started{first.sum.Device, len(able), first.sum.Matrices, one.noSensors}})
	}
	for len(c.todo) > 0 && err == nil {
		able, err = c.together(able, func(r *run) error { return r.all(ctx) })
	}

	for _, r := range runs {
		first.sum.Interrupted = first.sum.Interrupted || r.sum.Interrupted
		first.sum.OutOfTime = first.sum.OutOfTime || r.sum.OutOfTime
	}
	first.unreached(c.todo, err)
	return err
}

// openTimeout bounds how long a device may take to answer at all.
const openTimeout = 2 * time.Minute

// worker makes sure that there is a worker with an open device.
func (r *run) worker(ctx context.Context) error {
	if r.client != nil {
		return nil
	}
	c, err := r.adopt(ctx), error(nil)
	defer worker.Spend(&r.sum.Breakdown.Start, time.Now())
	if c == nil {
		if c, err = worker.Start(r.opt.Launch); err != nil {
			return err
		}
	}
	device := configs.Device{Backend: r.sweep.Device.Backend, Index: r.sweep.Device.Index}
	if r.opt.Assume != nil {
		device = configs.Device{Backend: "cpu"} // it only loads matrices
	}
	open := worker.OpenRequest{Device: device, Custom: r.sweep.Custom(), Compiled: r.compiled, Scratch: r.scratch}
	rep, err := c.Do(ctx, worker.Request{Open: &open}, openTimeout)
	r.ending.Wait()
	again := r.another
	r.another = false
	switch {
	case err != nil && again: // it may have lacked what the worker before still had
		r.drop(c, err)
		return r.worker(ctx)
	case err != nil:
		r.drop(c, err)
		return r.interrupted(ctx, &gone{fmt.Errorf("opening the device: %w", err)})
	}

	r.client, r.holds, r.customKernel, r.noSensors = c, "", "", rep.NoSensors
	r.planner = planner{r.sweep, *rep.Device, rep.Sources, r.opt.Choose}
	if a := r.opt.Assume; a != nil {
		r.planner.device, r.planner.sources = a.Device, a.Sources
	}
	return nil
}

// ask waits for the worker, and counts where its time went.
func (r *run) ask(ctx context.Context, asked <-chan worker.Outcome, timeout time.Duration) (worker.Reply, error) {
	rep, err := r.client.Wait(ctx, asked, timeout)
	r.sum.Breakdown.Add(rep.Breakdown)
	return rep, err
}

// drop closes a client after an error, unless its worker has ended already.
func (r *run) drop(c *worker.Client, err error) {
	if !errors.As(err, new(*worker.Death)) && !errors.Is(err, context.Canceled) {
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
// the place of a matrix; of those after the first, that it does.
func (r *run) resolve(ctx context.Context, spec configs.Matrix) (resolved configs.Matrix, note string, err error) {
	if spec.Resolved() {
		return spec, "", nil
	}
	if r.opt.Resolver == nil {
		if r.opt.Resolver, err = matrix.NewResolver(); err != nil {
			return spec, "", err
		}
	}

	r.devices.resolving.Lock()
	defer r.devices.resolving.Unlock()
	resolved, why, err := r.opt.Resolver.Resolve(ctx, spec)
	if err != nil {
		return spec, "", r.interrupted(ctx, err)
	}
	switch {
	case why != nil && r.devices.twins:
		note = resolved.Name + " is generated, too"
	case why != nil:
		note, r.devices.twins = resolved.Substitution(why), true
	}
	return resolved, note, nil
}

// load gives the worker a matrix, which is not kept if it is only looked at. It has no deadline: a large file takes as
// long as it takes, and the user can interrupt.
func (r *run) load(ctx context.Context, spec configs.Matrix, looking bool) (trial.Matrix, error) {
	if err := r.worker(ctx); err != nil {
		return trial.Matrix{}, err
	}
	request := worker.LoadRequest{Matrix: spec, Seed: r.sweep.Protocol.Seed, Looking: looking}
	r.holds = ""
	rep, err := r.ask(ctx, r.client.Start(worker.Request{Load: &request}), 0)
	if err != nil {
		return trial.Matrix{}, r.notLoaded(ctx, err)
	}
	if !looking {
		r.holds = rep.Matrix.Hash
	}
	return *rep.Matrix, nil
}

// notLoaded tells whether the matrix is at fault, or the device, which loads no other one either: it is, if a new
// worker can't open it.
func (r *run) notLoaded(ctx context.Context, err error) error {
	died := errors.As(err, new(*worker.Death)) || r.planner.device.Backend != "cpu"
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
