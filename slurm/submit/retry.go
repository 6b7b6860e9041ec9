package submit

import (
	"context"
	"slices"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
)

// Retried says what a retry did about the chunks that are not done.
type Retried struct {
	Round       *Round         `json:"round,omitempty"` // nil: there was nothing to send; with no array: its last job was missing
	Settled     []slurm.Sent   `json:"settled,omitempty"`
	Again       []string       `json:"again,omitempty"`         // chunks that were sent as they were
	Split       []SplitChunk   `json:"split,omitempty"`         // chunks of which the halves were sent
	OutOfMemory []status.Chunk `json:"out_of_memory,omitempty"` // not sent
	Active      []status.Chunk `json:"active,omitempty"`        // not sent: they run, wait, or may do so
	Done        int            `json:"done"`
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
func Retry(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, mem string) (Retried, error) {
	if err := inPlace(r); err != nil {
		return Retried{}, err
	}
	unlock, err := r.Lock(ctx)
	if err != nil {
		return Retried{}, err
	}
	defer unlock()
	number := r.NextRound()
	settled, err := Recover(ctx, c, r)
	if err != nil {
		return Retried{Settled: settled}, err
	}
	plan, chunks, err := status.Chunks(ctx, c, r)
	if err != nil {
		return Retried{Settled: settled}, err
	}
	done, send, grownPlan := decide(plan, chunks, mem != "")
	done.Settled = settled
	if len(send) == 0 {
		done.Round, err = sendFinish(ctx, c, r, s, len(done.Active) > 0)
		return done, err
	}
	var grown *slurm.Plan
	if len(done.Split) > 0 {
		grown = &grownPlan
	}
	if mem != "" {
		s.Mem = mem
	}
	if s.Throttle, err = throttleOf(r, s.Throttle); err != nil {
		return done, err
	}
	round, err := sendRound(ctx, c, r, s, number, send, grown)
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
func decide(plan slurm.Plan, chunks []status.Chunk, memory bool) (r Retried, send []string, grown slurm.Plan) {
	grown = plan
	of := map[string]status.Chunk{}
	for _, c := range chunks {
		of[c.Chunk] = c
	}
	for _, c := range plan.Current() {
		switch s := of[c.ID]; {
		case s.State == status.Done:
			r.Done++
		case s.State != status.Ended && s.State != status.Never:
			r.Active = append(r.Active, s)
		case s.Slurm == sbatch.OutOfMemory && !memory:
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
