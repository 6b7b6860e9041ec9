package submit

import (
	"context"
	"fmt"
	"time"

	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
)

// Recover finds out what became of submissions that broke off before sbatch's answer was
// written down, for example by a crash, and returns them. It asks Slurm for their names, and
// then its accounting, which alone knows a job that ended long ago. A job that neither knows is
// Lost; its chunks are done or not, like those of any job. What another user sent stays open where
// users don't see each other's jobs. The caller holds the run's Lock.
func Recover(ctx context.Context, c *sbatch.Client, r *slurm.Run) ([]slurm.Sent, error) {
	jobs, err := r.Jobs()
	if err != nil {
		return nil, err
	}

	var recovered []slurm.Sent
	for _, j := range jobs {
		if j.Outcome != slurm.Intended || j.User != "" && j.User != slurm.Me() && status.Private(ctx, c) {
			continue // of what somebody else sent, silence says nothing
		}
		// The sbatch of a killed process may go on without it until it gets an answer. Whatever
		// another node's clock says about its start, that takes at most a time-out from now.
		until := time.Now().Add(c.CommandTimeout())
		if end := j.At.Add(c.CommandTimeout()); end.Before(until) {
			until = end
		}

		id, found, err := c.Find(ctx, j.Cluster, j.Name, until)
		if err != nil {
			return recovered, fmt.Errorf("finding out whether %s was submitted: %w", j.Name, err)
		}
		if !found {
			for _, old := range c.AccountingNamed(ctx, j.Cluster, j.Name, j.At.Local()).Jobs {
				id, found = old.JobID, true
			}
		}

		j.Outcome = slurm.Lost
		if found {
			j.Outcome, j.JobID = slurm.Submitted, id
		}
		if err := r.Note(j, nil); err != nil {
			return recovered, fmt.Errorf("writing to %s that %s is %s: %w", slurm.JobsFile, j.Name, j.Outcome, err)
		}
		recovered = append(recovered, j)
	}

	return recovered, nil
}
