package slurm

import (
	"context"

	"spmvtune/configs"
)

// sendFinish sends the job that ends the last round, where the submission of the round
// was broken off before it and tasks are active: nothing would merge what they measure.
// It returns the round with that job, or nil.
func (r *Run) sendFinish(ctx context.Context, c *Client, s configs.Slurm, active bool) (*Round, error) {
	jobs, err := r.Jobs()
	if err != nil || !active {
		return nil, err
	}
	last := Sent{}
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
	running, err := c.Jobs(ctx, arrays(jobs))
	if err != nil {
		return nil, err
	}
	after := ids(nil, activeIDs(running), last.Cluster)
	b := r.finishOf(last.Round)
	sent, err := r.send(ctx, c, last.Cluster, b, r.args(b, s, after))
	if err != nil {
		return nil, &IncompleteError{Dir: r.Dir, All: 1, Unresolved: sent.Outcome == Intended, Err: err}
	}
	return &Round{Number: last.Round, Jobs: []Sent{sent}}, nil
}
