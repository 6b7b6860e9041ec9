// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// A spare is a process that reads what it will measure while a GPU measures: the matrices of the batch, for their
// repeat runs, and then those of the batch after it. It opens the device once the process before it ends. What it fails at
// is as if there had been no spare.
type spare struct {
	*worker.Client
	loading <-chan worker.Outcome
	asked   int // number of matrices that it was asked to read
	paused  bool
}

const (
	// spareShare is the part of free memory that the next matrix of a spare may take.
	spareShare = 0.25
	// spareBytes is what loading takes for a nonzero or a row, while features are found.
	spareBytes = 40
)

// foresee asks the spare for the next matrix that it will measure, unless it is reading one. The first matrix starts it. It
// reads as many for the batch after as there are in this one.
func (r *run) foresee() {
	n, batch := 0, len(r.batch)
	if r.spare != nil {
		n = r.spare.asked
	}
	if p := r.sweep.Protocol; p.Finals+p.Repeats == 0 || n >= max(1, 2*batch) || r.spare.busy() {
		return
	}
	spec := r.devices.peek(n - batch)
	if n < batch {
		spec = r.batch[n].spec
	}
	size, err := matrix.SizeOf(spec)
	if !spec.Resolved() || err != nil || float64(size.Nonzeros+size.Rows)*spareBytes >
		spareShare*float64(cmp.Or(cpu.FreeMemory(), math.MaxInt64)) { // 0: it is not known
		return
	}
	if r.spare == nil {
		c, err := worker.Start(r.opt.Launch)
		if err != nil {
			return
		}
		r.spare = &spare{Client: c}
	}
	r.spare.loading = r.spare.Start(worker.Request{Ready: &worker.LoadRequest{Matrix: spec, Seed: r.sweep.Protocol.Seed}})
	r.spare.asked++
}

// peek returns the matrix that is taken after so many others, as far as one can tell.
func (c *devices) peek(after int) configs.Matrix {
	c.mu.Lock()
	defer c.mu.Unlock()
	if after < 0 || after >= len(c.todo) {
		return configs.Matrix{}
	}
	return c.todo[after].Matrix
}

// adopt returns the process of the spare once it has read what it was asked for, nil if there is none.
func (r *run) adopt(ctx context.Context) *worker.Client {
	s := r.spare
	if s == nil {
		return nil
	}
	defer worker.Spend(&r.sum.Breakdown.Load, time.Now())
	r.spare = nil
	s.pause(false)
	if _, err := s.Wait(ctx, s.loading, 0); err != nil { // it is closed
		return nil
	}
	return s.Client
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

// starts starts a trial, and decides what goes on beside it.
func (r *run) starts(j job) <-chan worker.Outcome {
	r.asked = time.Now()
	req := r.request(j)
	if r.planner.device.Backend == "cpu" {
		return r.client.Start(req)
	}
	r.foresee()
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
		if res.Properties == nil {
			res.Properties = map[string]float64{}
		}
		res.Properties[Overlapped] = 0
		if o == overlapped {
			res.Properties[Overlapped] = 1
		}
	}
}
