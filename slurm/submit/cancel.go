package submit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// Cancel cancels all jobs of the run that have not ended, in all rounds. It returns them, with
// every task of an array as a job. It waits for a submission in progress.
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

// activeJobs asks Slurm for the jobs of the run that have not ended.
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

	// The number of a job that ended long ago may belong to another one now.
	return slices.DeleteFunc(jobs, func(j sbatch.Job) bool {
		return j.State.Terminal() || !strings.HasPrefix(j.Name, r.JobName()+".")
	}), nil
}

// jobIDsOf returns the ids of jobs, each once.
func jobIDsOf(jobs []sbatch.Job) []sbatch.JobID {
	var ids []sbatch.JobID
	for _, j := range jobs {
		if !slices.Contains(ids, j.JobID) {
			ids = append(ids, j.JobID)
		}
	}
	return ids
}
