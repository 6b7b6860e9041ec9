package submit

import (
	"context"

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
	// More is what tasks ask for because the last ones ran out of it: "mem = 8G".
	More []string `json:"more,omitempty"`
	// Avoided are the nodes that are not used any more, because tasks failed alike there.
	Avoided []status.Gathering `json:"avoided,omitempty"`
	// Notes are what the test of the jobs said.
	Notes []string `json:"notes,omitempty"`
	// Active are chunks that were not sent, because they run or wait, or may do so.
	Active []status.Chunk `json:"active,omitempty"`
	Done   int            `json:"done"`
}

// A SplitChunk is a chunk that was too long for a task.
type SplitChunk struct {
	Chunk string   `json:"chunk"`
	Into  []string `json:"into"`
}

// Options say how a retry differs from what the run asked for.
type Options struct {
	// Set are keys of [slurm] with other values, and Exclude are nodes that are not used. Both
	// hold for later retries, too. An empty value takes a key back.
	Set     map[string]string
	Exclude []string
	// Dependency is what the tasks wait for; nil: what the submit was told, if none of its jobs is there.
	Dependency *string
	// rest sends only what a limit of submitted jobs left over.
	rest bool
}

// Retry submits, as a round of its own, the chunks that are not complete and have no task. A chunk
// that ran out of time or memory is sent with more of it, where the sweep or Options say how much.
// Otherwise the first is sent as its halves, and the second is not sent. If everything that is
// missing has tasks, but a submission broke off before the job that merges, Retry sends that.
//
// Slurm must answer: a job that it does not mention might be running. After an error, Retried
// has only what was done before: Recovered, and the jobs of Round that were sent.
func Retry(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, opt Options) (Retried, error) {
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
	broken := Retried{Recovered: recovered}
	if err != nil {
		return broken, err
	}
	s, kept, err := settled(r, s, opt)
	if err != nil {
		return broken, err
	}
	if s.Dependency, err = dependencyOf(r, opt); err != nil {
		return broken, err
	}
	seen, err := status.Chunks(ctx, c, r)
	if err != nil {
		return broken, err
	}
	d, err := newDecision(r, s, opt, seen)
	if err != nil {
		return broken, err
	}
	d.Recovered, d.kept = recovered, kept
	if opt.rest && (len(d.send) == 0 || d.Done == 0) {
		return d.Retried, nil
	}
	if len(d.send) == 0 {
		if d.Round, err = sendFinish(ctx, c, r, s, len(d.Active) > 0); err == nil {
			err = d.kept.write(r)
		}
		return d.Retried, err
	}

	if d.slurm.Throttle, err = throttleOf(r, s.Throttle); err != nil {
		return broken, err
	}
	if err := d.check(ctx, c, r); err != nil {
		return broken, err
	}
	if err := d.kept.write(r); err != nil {
		return broken, err
	}
	round, err := sendRound(ctx, c, r, d.slurm, number, d.send, d.grown)
	if err != nil {
		if len(round.Jobs) > 0 {
			broken.Round = &round
		}
		return broken, err
	}
	d.Round = &round
	return d.Retried, nil
}

// dependencyOf is what the tasks of a retry wait for. What the submit was told holds until something was sent.
func dependencyOf(r *slurm.Run, opt Options) (string, error) {
	if opt.Dependency != nil {
		return *opt.Dependency, nil
	}
	jobs, err := r.Jobs()
	if err != nil || len(slurm.JobIDs(jobs)) > 0 {
		return "", err
	}
	return r.Dependency, nil
}
