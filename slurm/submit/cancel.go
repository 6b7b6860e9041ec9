package submit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// Cancel cancels all jobs of the run that have not ended, of all rounds, and
// returns them, a task of an array each. A submission that goes on meanwhile is
// waited for.
func Cancel(ctx context.Context, c *sbatch.Client, r *slurm.Run) ([]sbatch.Job, error) {
	unlock, err := r.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, err := Recover(ctx, c, r); err != nil {
		return nil, err
	}
	jobs, err := activeJobs(ctx, c, r)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	return jobs, c.Cancel(ctx, jobIDsOf(jobs))
}

// active asks Slurm for the jobs of the run that have not ended.
func activeJobs(ctx context.Context, c *sbatch.Client, r *slurm.Run) ([]sbatch.Job, error) {
	sent, err := r.Jobs()
	if err != nil {
		return nil, err
	}
	ids := slurm.JobIDs(sent)
	if len(ids) == 0 {
		return nil, nil
	}
	jobs, err := c.Jobs(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", r.JobName(), err)
	}
	// Another job may have got the number of one that ended long ago.
	return slices.DeleteFunc(jobs, func(j sbatch.Job) bool {
		return j.State.Terminal() || !strings.HasPrefix(j.Name, r.JobName()+".")
	}), nil
}

// jobIDsOf are the ids of jobs, each once.
func jobIDsOf(jobs []sbatch.Job) []sbatch.JobID {
	var ids []sbatch.JobID
	for _, j := range jobs {
		if !slices.Contains(ids, j.JobID) {
			ids = append(ids, j.JobID)
		}
	}
	return ids
}
