package submit

import (
	"context"
	"fmt"
	"time"

	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// Recover finds out what became of the submissions that were broken off before
// sbatch's answer was written down, as by a crash, and returns them. Slurm is asked
// for their names, and then its accounting: a job that has been over for long is only
// there. What neither knows is Lost; its chunks are done or not, as those of any
// job. The caller holds Lock.
func Recover(ctx context.Context, c *sbatch.Client, r *slurm.Run) ([]slurm.Sent, error) {
	jobs, err := r.Jobs()
	if err != nil {
		return nil, err
	}
	var settled []slurm.Sent
	for _, j := range jobs {
		if j.Outcome != slurm.Intended {
			continue
		}
		// The sbatch of a killed process may go on without it, as long as it gets no answer:
		// at most until a timeout from now, whatever another node's clock says of its start.
		until := time.Now().Add(c.CommandTimeout())
		if end := j.At.Add(c.CommandTimeout()); end.Before(until) {
			until = end
		}
		id, found, err := c.Find(ctx, j.Cluster, j.Name, until)
		if err != nil {
			return settled, fmt.Errorf("finding out whether %s was submitted: %w", j.Name, err)
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
			return settled, fmt.Errorf("writing to %s that %s is %s: %w", slurm.JobsFile, j.Name, j.Outcome, err)
		}
		settled = append(settled, j)
	}
	return settled, nil
}
