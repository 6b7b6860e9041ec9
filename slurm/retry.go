package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"spmvtune/configs"
)

// Retried says what a retry did about the chunks that are not done.
type Retried struct {
	Round       *Round        `json:"round,omitempty"` // nil: there was nothing to send; with no array: its last job was missing
	Settled     []Sent        `json:"settled,omitempty"`
	Again       []string      `json:"again,omitempty"`         // chunks that were sent as they were
	Split       []SplitChunk  `json:"split,omitempty"`         // chunks of which the halves were sent
	OutOfMemory []ChunkStatus `json:"out_of_memory,omitempty"` // not sent
	Active      []ChunkStatus `json:"active,omitempty"`        // not sent: they run, wait, or may do so
	Done        int           `json:"done"`
}

// A SplitChunk is a chunk that was too long for a task.
type SplitChunk struct {
	Chunk string   `json:"chunk"`
	Into  []string `json:"into"`
}

// Retry submits, as a round of its own, what is not complete and has no task: a
// chunk that ran out of time as its halves, and one that ran out of memory
// only if mem, as sbatch takes it, says how much the tasks of the round are to get.
// Where all that is missing has tasks, but a submission was broken off before the job
// that merges what they measure, that is sent.
//
// Slurm must answer: what it does not tell of might be running. On an error, Retried
// has only what was done by then: Settled, and the jobs of Round that were sent.
func (r *Run) Retry(ctx context.Context, c *Client, s configs.Slurm, mem string) (Retried, error) {
	if err := r.inPlace(); err != nil {
		return Retried{}, err
	}
	unlock, err := r.Lock(ctx)
	if err != nil {
		return Retried{}, err
	}
	defer unlock()
	number := r.nextRound()
	settled, err := r.Recover(ctx, c)
	if err != nil {
		return Retried{Settled: settled}, err
	}
	t := NewTracker(r)
	observer := Observer{Client: c}
	view := observer.Observe(ctx, t)
	if err := errors.Join(t.err, view.err); err != nil {
		return Retried{Settled: settled}, err
	}
	done, send, plan := decide(t.plan, t.chunks(view), mem != "")
	done.Settled = settled
	if len(send) == 0 {
		done.Round, err = r.sendFinish(ctx, c, s, len(done.Active) > 0)
		return done, err
	}
	var grown *Plan
	if len(done.Split) > 0 {
		grown = &plan
	}
	if mem != "" {
		s.Mem = mem
	}
	if s.Throttle, err = r.throttle(s.Throttle); err != nil {
		return done, err
	}
	round, err := r.submit(ctx, c, s, number, send, grown)
	if err == nil || len(round.Jobs) > 0 {
		done.Round = &round
	}
	if err != nil {
		done = Retried{Round: done.Round, Settled: settled}
	}
	return done, err
}

// decide says what is sent again, and gives the plan with the halves of what was
// split.
func decide(plan Plan, chunks []ChunkStatus, memory bool) (r Retried, send []string, grown Plan) {
	grown = plan
	status := map[string]ChunkStatus{}
	for _, c := range chunks {
		status[c.Chunk] = c
	}
	for _, c := range plan.Chunks {
		switch s, leaf := status[c.ID]; {
		case !leaf: // was split before
		case s.State == ChunkDone:
			r.Done++
		case s.State != ChunkEnded && s.State != ChunkNever:
			r.Active = append(r.Active, s)
		case s.Slurm == OutOfMemory && !memory:
			r.OutOfMemory = append(r.OutOfMemory, s)
		case s.OutOfTime:
			halves := c.Split()
			if len(halves) < 2 {
				r.Again = append(r.Again, c.ID)
				send = append(send, c.ID)
				continue
			}
			split := SplitChunk{Chunk: c.ID}
			for _, h := range halves {
				split.Into = append(split.Into, h.ID)
			}
			r.Split = append(r.Split, split)
			send = append(send, split.Into...)
			grown.Chunks = append(slices.Clip(grown.Chunks), halves...)
		default:
			r.Again = append(r.Again, c.ID)
			send = append(send, c.ID)
		}
	}
	return r, send, grown
}

// replacePlan makes plan that of the run. Tasks that read it meanwhile see the one
// or the other, and find their chunk in both.
func (r *Run) replacePlan(plan Plan) error {
	data, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	if err := replaceFile(r.Path(planFile), data); err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	return nil
}
