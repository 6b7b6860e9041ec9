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
	// Round is nil if there was nothing to send. It has no array if only the job that merges
	// was missing.
	Round *Round `json:"round,omitempty"`
	// Recovered are earlier submissions that had broken off.
	Recovered []slurm.Sent `json:"settled,omitempty"`
	// Again are the chunks that were sent as they were.
	Again []string `json:"again,omitempty"`
	// Split are the chunks whose halves were sent.
	Split []SplitChunk `json:"split,omitempty"`
	// OutOfMemory are chunks that were not sent, because they need more memory.
	OutOfMemory []status.Chunk `json:"out_of_memory,omitempty"`
	// Active are chunks that were not sent, because they run or wait, or may do so.
	Active []status.Chunk `json:"active,omitempty"`
	Done   int            `json:"done"`
}

// A SplitChunk is a chunk that was too long for a task.
type SplitChunk struct {
	Chunk string   `json:"chunk"`
	Into  []string `json:"into"`
}

// Retry submits, as a round of its own, the chunks that are not complete and have no task. A
// chunk that ran out of time is sent as its halves. One that ran out of memory is only sent if
// mem, in the form of sbatch, says how much the tasks of the round get. If everything that is
// missing has tasks, but a submission broke off before the job that merges, Retry sends that.
//
// Slurm must answer: a job that it does not mention might be running. After an error, Retried
// has only what was done before: Recovered, and the jobs of Round that were sent.
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
	recovered, err := Recover(ctx, c, r)
	if err != nil {
		return Retried{Recovered: recovered}, err
	}
	plan, chunks, err := status.Chunks(ctx, c, r)
	if err != nil {
		return Retried{Recovered: recovered}, err
	}

	done, send, grownPlan := decide(plan, chunks, mem != "")
	done.Recovered = recovered
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
		done = Retried{Round: done.Round, Recovered: recovered}
	}

	return done, err
}

// decide says which chunks are sent again, and returns the plan with the halves of those that
// are split.
func decide(plan slurm.Plan, chunks []status.Chunk, memory bool) (r Retried, send []string, grown slurm.Plan) {
	grown = plan
	known := map[string]status.Chunk{}
	for _, c := range chunks {
		known[c.Chunk] = c
	}

	for _, c := range plan.Current() {
		switch s := known[c.ID]; {
		case s.State == status.Done:
			r.Done++
		case s.State != status.Ended && s.State != status.Never:
			r.Active = append(r.Active, s)
		case s.Slurm == sbatch.OutOfMemory && !memory:
			r.OutOfMemory = append(r.OutOfMemory, s)
		case s.OutOfTime && c.Split() != nil:
			halves := c.Split()
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
