package tuner

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"reflect"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/base/lists"
	"spmvtune/kernels"
	"spmvtune/kernels/cpu"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// A spare is a process that loads what is measured next while a GPU measures: the next matrix, or the same one for its
// repeats. It opens the device after the process before it has ended. One that fails is as if there had been none.
type spare struct {
	*worker.Client
	matrix  configs.Matrix
	loading <-chan worker.Outcome
	paused  bool
}

const (
	// spareShare is the part of free memory that a spare may take.
	spareShare = 0.25
	// spareBytes is what loading takes for a nonzero or a row, while features are found.
	spareBytes = 40
	// spareNonzeros is how many nonzeros a matrix has at least that takes longer to load than a device to open. A
	// smaller one is loaded by the process that is there.
	spareNonzeros = 2_000_000
)

// foresee starts a spare for what comes after j, unless there is one. It is thought of once for each process that
// measures a matrix.
func (r *run) foresee(j job, spec configs.Matrix, size trial.Size) {
	if r.spare != nil || r.planner.device.Backend == "cpu" {
		return
	}
	if p := r.sweep.Protocol; j.fresh() || p.Finals+p.Repeats == 0 {
		var err error
		spec = r.devices.peek()
		if size, err = matrix.SizeOf(spec); err != nil || size.Nonzeros < spareNonzeros {
			return
		}
	}
	if free := float64(cpu.FreeMemory()); float64(size.Nonzeros+size.Rows)*spareBytes > spareShare*free && free > 0 {
		return
	}
	c, err := worker.Start(r.opt.Launch)
	if err != nil {
		return
	}
	r.spare = &spare{Client: c, matrix: spec, loading: c.Start(worker.Request{Ready: r.loading(spec)})}
}

// peek returns the matrix that is taken next, as far as one can tell.
func (c *devices) peek() configs.Matrix {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.todo) == 0 {
		return configs.Matrix{}
	}
	return c.todo[0].Matrix
}

// settle decides what becomes of the spare when a matrix is to be loaded: it takes the place of a process, or is
// dismissed, where it has loaded another matrix.
func (r *run) settle(spec configs.Matrix) {
	switch {
	case r.spare == nil:
	case !reflect.DeepEqual(r.spare.matrix, spec):
		r.dismiss()
	case r.client != nil:
		r.restart()
	}
}

// adopt returns the process of the spare once it is ready, nil if there is none.
func (r *run) adopt(ctx context.Context) *worker.Client {
	s := r.spare
	if s == nil {
		return nil
	}
	defer worker.Spend(&r.sum.Breakdown.Load, time.Now())
	s.pause(false)
	_, err := s.Wait(ctx, s.loading, 0)
	if err == nil {
		r.spare = nil
		return s.Client
	}
	if d := (*worker.Death)(nil); errors.As(err, &d) || ctx.Err() != nil { // it is closed
		r.spare = nil
	}
	r.dismiss()
	return nil
}

// dismiss ends the spare.
func (r *run) dismiss() {
	if r.spare != nil {
		r.spare.pause(false)
		r.spare.Close()
	}
	r.spare = nil
}

// pause holds the spare, or lets it go on.
func (s *spare) pause(on bool) {
	if s != nil && s.paused != on {
		s.Pause(on)
		s.paused = on
	}
}

// busy reports whether the spare is still loading.
func (s *spare) busy() bool { return s != nil && len(s.loading) == 0 }

// An overlap says whether anything overlapped a trial. A coin decides, so that whether it disturbs samples can be told
// from what is recorded.
type overlap int

const (
	unasked    overlap = iota // there was nothing to do beside it, or the trial had to be alone
	overlapped                // the spare loaded, or formats were made
	held                      // they waited
)

const (
	// heldShare is how many trials there are for one in which nothing overlaps it.
	heldShare = 8
	// mostAhead is for how many trials to come formats are made.
	mostAhead = 8
)

// waits is the coin of a trial. It follows from the protocol's seed, the device, the job and the trial: a run that goes
// on finds the same.
func (r *run) waits(t trial.Trial) bool {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %q %s", r.opt.Node, r.opt.Job, r.planner.device.Properties["uuid"], t.ID)
	return rand.New(rand.NewPCG(r.sweep.Protocol.Seed, h.Sum64())).IntN(heldShare) == 0
}

// begins starts a trial, and decides what goes on beside it.
func (r *run) begins(j job) <-chan worker.Outcome {
	r.asked = time.Now()
	req := r.request(j)
	if r.planner.device.Backend == "cpu" {
		return r.client.Start(req)
	}
	req.Trial.Next = lists.Of(j.ahead, func(t trial.Trial) kernels.Config { return t.Config })
	r.overlap = unasked
	if r.spare.busy() || len(req.Trial.Next) > 0 {
		r.overlap = overlapped
	}
	wait := r.waits(j.Trial)
	switch {
	case r.alone: // no coin decided that
		req.Trial.Next, r.overlap = nil, unasked
	case wait && r.overlap == overlapped:
		req.Trial.Next, r.overlap = nil, held
	}
	r.spare.pause(r.alone || r.overlap == held)
	return r.client.Start(req)
}

// Overlapped is the property of a trial that says 1 if something could overlap it, and 0 if that waited. Formats that
// are there already take no time, so 1 does not say that something did.
const Overlapped = "overlapped"

// note records the overlap with a trial.
func (o overlap) note(res *trial.Result) {
	if o != unasked && res.Status == trial.OK {
		properties := map[string]float64{}
		maps.Copy(properties, res.Properties)
		if res.Properties = properties; o == overlapped {
			properties[Overlapped] = 1
		} else {
			properties[Overlapped] = 0
		}
	}
}
