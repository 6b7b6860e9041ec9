package slurm

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Cancel cancels all jobs of the run that have not ended, of all rounds, and
// returns them, a task of an array each. A submission that goes on meanwhile is
// waited for.
func (r *Run) Cancel(ctx context.Context, c *Client) ([]Job, error) {
	unlock, err := r.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, err := r.Recover(ctx, c); err != nil {
		return nil, err
	}
	jobs, err := r.active(ctx, c)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	return jobs, c.Cancel(ctx, jobIDsOf(jobs))
}

// active asks Slurm for the jobs of the run that have not ended.
func (r *Run) active(ctx context.Context, c *Client) ([]Job, error) {
	sent, err := r.Jobs()
	if err != nil {
		return nil, err
	}
	ids := submitted(sent)
	if len(ids) == 0 {
		return nil, nil
	}
	jobs, err := c.Jobs(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", r.JobName(), err)
	}
	// Another job may have got the number of one that ended long ago.
	return slices.DeleteFunc(jobs, func(j Job) bool {
		return j.State.Terminal() || !strings.HasPrefix(j.Name, r.JobName()+".")
	}), nil
}

// jobIDsOf are the ids of jobs, each once.
func jobIDsOf(jobs []Job) []JobID {
	var ids []JobID
	for _, j := range jobs {
		if !slices.Contains(ids, j.JobID) {
			ids = append(ids, j.JobID)
		}
	}
	return ids
}
