package submit

import (
	"context"
	"slices"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// sendFinish sends the job that ends the last round, if tasks are active and the submission of
// the round broke off before that job: nothing else would merge what they measure. It returns
// the round with that job, or nil.
func sendFinish(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, active bool) (*Round, error) {
	jobs, err := r.Jobs()
	if err != nil || !active {
		return nil, err
	}

	last := slurm.Sent{}
	for _, j := range jobs {
		if !j.Finish() && j.ID != "" && j.Round >= last.Round {
			last = j
		}
	}

	for _, j := range jobs {
		if j.Finish() && j.Round >= last.Round && j.ID != "" {
			return nil, nil
		}
	}

	b := finishOf(r, last.Round)
	if last.ID == "" {
		return nil, nil // jobs.jsonl knows none of the active tasks
	}
	there, err := c.Named(ctx, last.Cluster, b.Name)
	if err != nil || slices.ContainsFunc(there, func(j sbatch.Job) bool { return j.Name == b.Name }) {
		return nil, err // jobs.jsonl has lost the line about it
	}
	running, err := c.Jobs(ctx, arrays(jobs))
	if err != nil {
		return nil, err
	}
	after := ids(nil, activeIDs(running), last.Cluster)
	sent, err := send(ctx, c, r, last.Cluster, b, argsOf(r, b, s, after))
	if err != nil {
		return nil, &IncompleteError{Dir: r.Dir, All: 1, Unresolved: sent.Outcome == slurm.Intended, Err: err}
	}

	return &Round{Number: last.Round, Jobs: []slurm.Sent{sent}}, nil
}
