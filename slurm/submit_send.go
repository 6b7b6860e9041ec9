package slurm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// mostTries is how often sbatch runs for a job that it gets no answer about and that
// is not there afterwards.
const mostTries = 3

// send submits b. On an error, the outcome says whether there may be a job.
func (r *Run) send(ctx context.Context, c *Client, cluster string, b Batch, args []string) (Sent, error) {
	sent := Sent{Batch: b, JobID: JobID{Cluster: cluster}, Outcome: Refused}
	if err := ctx.Err(); err != nil {
		return sent, err
	}
	l := jobLine{Batch: b, Outcome: Intended, Cluster: cluster, Args: args}
	if err := r.note(l); err != nil {
		return sent, fmt.Errorf("writing to %s before submitting: %w", jobsFile, err)
	}
	sent.Outcome, l.Args = Intended, nil
	settle := func(o Outcome, id JobID, said string) error {
		sent.JobID, sent.Outcome, sent.Said, sent.At = id, o, said, time.Now().UTC()
		l.Outcome, l.ID, l.Cluster, l.Said = o, id.ID, id.Cluster, said
		if err := r.note(l); err != nil {
			sent.Outcome = Intended
			return fmt.Errorf("writing to %s that %s is job %s: %w", jobsFile, b.Name, orText(id.ID, "not there"), err)
		}
		return nil
	}
	for try := 1; ; try++ {
		// An interrupt does not break off sbatch: we would have to ask what became of it.
		id, err := c.Submit(context.WithoutCancel(ctx), cluster, args)
		var silent *NoAnswerError
		if err == nil {
			return sent, settle(Submitted, id, "")
		}
		if !errors.As(err, &silent) {
			return sent, errors.Join(err, settle(Refused, l.id(), err.Error()))
		}
		id, found, lookErr := c.find(ctx, cluster, b.Name, time.Time{})
		switch {
		case lookErr != nil:
			return sent, lookErr
		case found:
			return sent, settle(Submitted, id, "")
		case try == mostTries || ctx.Err() != nil:
			return sent, errors.Join(err, settle(Refused, l.id(), err.Error()))
		}
	}
}

func (l jobLine) id() JobID { return JobID{l.ID, l.Cluster} }
