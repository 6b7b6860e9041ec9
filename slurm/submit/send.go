package submit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// mostTries bounds how often sbatch runs for a job that Slurm says nothing about and
// does not have afterwards.
const mostTries = 3

// send submits b. On an error, the outcome says whether there may be a job.
//
// An interrupt does not break off sbatch: we would have to ask what became of the job.
func send(
	ctx context.Context, c *sbatch.Client, r *slurm.Run, cluster string, b slurm.Batch, args []string,
) (slurm.Sent, error) {
	sent := slurm.Sent{Batch: b, JobID: sbatch.JobID{Cluster: cluster}, Outcome: slurm.Refused}
	if err := ctx.Err(); err != nil {
		return sent, err
	}

	for try := 1; ; try++ {
		// Every try has its own intention: Recover counts from the last one how long
		// its sbatch may go on.
		intended := sent
		intended.Outcome = slurm.Intended
		if err := r.Note(intended, args); err != nil {
			return sent, fmt.Errorf("writing to %s before submitting: %w", slurm.JobsFile, err)
		}

		id, err := c.Submit(context.WithoutCancel(ctx), cluster, args)
		if err == nil {
			return noteOutcome(r, sent, slurm.Submitted, id, "")
		}
		id, found, lookErr := c.FindAfter(ctx, cluster, b.Name, err)
		var silent *sbatch.NoAnswerError
		switch {
		case lookErr != nil:
			return intended, fmt.Errorf("%w; then %w", err, lookErr)
		case found:
			return noteOutcome(r, sent, slurm.Submitted, id, "")
		case !errors.As(err, &silent) || try == mostTries || ctx.Err() != nil:
			sent, noteErr := noteOutcome(r, sent, slurm.Refused, sent.JobID, err.Error())
			return sent, errors.Join(err, noteErr)
		}
	}
}

// noteOutcome keeps what became of a submission. Where that fails, it stays an intention.
func noteOutcome(r *slurm.Run, sent slurm.Sent, o slurm.Outcome, id sbatch.JobID, said string) (slurm.Sent, error) {
	sent.JobID, sent.Outcome, sent.Said, sent.At = id, o, said, time.Now().UTC()
	if err := r.Note(sent, nil); err != nil {
		sent.Outcome = slurm.Intended
		return sent, fmt.Errorf("writing to %s that %s is job %s: %w",
			slurm.JobsFile, sent.Name, cmp.Or(id.ID, "not there"), err)
	}
	return sent, nil
}
