package submit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
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
	var jobs []sbatch.Job
	if ids := slurm.JobIDs(sent); len(ids) > 0 {
		if jobs, err = c.Jobs(ctx, ids); err != nil {
			return nil, fmt.Errorf("run %s: %w", r.JobName(), err)
		}
	}
	if len(r.Rounds()) > 0 || r.Forgetful() {
		stray, err := status.Stray(ctx, c, r, sent) // about which jobs.jsonl has lost its lines
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, stray...)
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
