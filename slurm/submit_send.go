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
	settle := func(o Outcome, id JobID, said string) error {
		sent.JobID, sent.Outcome, sent.Said, sent.At = id, o, said, time.Now().UTC()
		l := jobLine{Batch: b, Outcome: o, ID: id.ID, Cluster: id.Cluster, Said: said}
		if err := r.note(l); err != nil {
			sent.Outcome = Intended
			return fmt.Errorf("writing to %s that %s is job %s: %w", jobsFile, b.Name, orText(id.ID, "not there"), err)
		}
		return nil
	}
	for try := 1; ; try++ {
		// One for each try: Recover counts from the last how long its sbatch may go on.
		if err := r.note(jobLine{Batch: b, Outcome: Intended, Cluster: cluster, Args: args}); err != nil {
			return sent, fmt.Errorf("writing to %s before submitting: %w", jobsFile, err)
		}
		sent.Outcome = Intended
		// An interrupt does not break off sbatch: we would have to ask what became of it.
		id, err := c.Submit(context.WithoutCancel(ctx), cluster, args)
		if err == nil {
			return sent, settle(Submitted, id, "")
		}
		id, found, lookErr := c.afterAll(ctx, cluster, b.Name, err)
		var silent *NoAnswerError
		switch {
		case lookErr != nil:
			return sent, fmt.Errorf("%w; then %w", err, lookErr)
		case found:
			return sent, settle(Submitted, id, "")
		case !errors.As(err, &silent) || try == mostTries || ctx.Err() != nil:
			return sent, errors.Join(err, settle(Refused, JobID{Cluster: cluster}, err.Error()))
		}
		sent.Outcome = Refused // so far
	}
}

// afterAll looks for a job whose sbatch has failed by err. One that got no answer may
// be taken in late. Nor is a refusal sure, in words of Slurm that we don't know or of
// a site's own sbatch; but then the job is there at once, if it is.
func (c *Client) afterAll(ctx context.Context, cluster, name string, err error) (id JobID, found bool, lookErr error) {
	var silent *NoAnswerError
	var refused *RefusedError
	switch {
	case errors.As(err, &silent):
		return c.find(ctx, cluster, name, time.Time{})
	case errors.As(err, &refused):
		return c.look(ctx, cluster, name)
	}
	return JobID{}, false, nil // sbatch could not run
}
