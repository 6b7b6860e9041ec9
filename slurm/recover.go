package slurm

import (
	"context"
	"fmt"
	"time"
)

// Recover finds out what became of the submissions that were broken off before
// sbatch's answer was written down, as by a crash, and returns them. Slurm is asked
// for their names, and then its accounting: a job that has been over for long is only
// there. What neither knows is Lost; its chunks are done or not, as those of any
// job. The caller holds Lock.
func (r *Run) Recover(ctx context.Context, c *Client) ([]Sent, error) {
	jobs, err := r.Jobs()
	if err != nil {
		return nil, err
	}
	var settled []Sent
	for _, j := range jobs {
		if j.Outcome != Intended {
			continue
		}
		// The sbatch of a killed process may go on without it, as long as it gets no answer:
		// at most until a timeout from now, whatever another node's clock says of its start.
		until := time.Now().Add(c.timeout())
		if end := j.At.Add(c.timeout()); end.Before(until) {
			until = end
		}
		id, found, err := c.find(ctx, j.Cluster, j.Name, until)
		if err != nil {
			return settled, fmt.Errorf("finding out whether %s was submitted: %w", j.Name, err)
		}
		if !found {
			for _, old := range c.accountingNamed(ctx, j.Cluster, j.Name, j.At.Local()).Jobs {
				id, found = old.JobID, true
			}
		}
		j.Outcome = Lost
		if found {
			j.Outcome, j.JobID = Submitted, id
		}
		if err := r.note(jobLine{Batch: j.Batch, Outcome: j.Outcome, ID: j.ID, Cluster: j.Cluster}); err != nil {
			return settled, fmt.Errorf("writing to %s that %s is %s: %w", jobsFile, j.Name, j.Outcome, err)
		}
		settled = append(settled, j)
	}
	return settled, nil
}
