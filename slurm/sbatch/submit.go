package sbatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// Submit runs sbatch with args: options, a script and its arguments. After a *MissingError
// there is no job, and after a *RefusedError almost certainly none. A *NoAnswerError leaves it
// open: FindAfter looks for the job by its name.
func (c *Client) Submit(ctx context.Context, cluster string, args []string) (JobID, error) {
	out, _, err := c.run(ctx, call{
		cluster: cluster, name: "sbatch", args: append([]string{"--parsable"}, args...), env: cleanEnv(os.Environ()),
	})
	if err != nil {
		return JobID{}, err
	}
	if id, ok := parseSubmitted(out); ok {
		return id, nil
	}
	said := fmt.Sprintf("it printed %q instead of a job's id", firstLines(out))
	return JobID{}, &NoAnswerError{Command: "sbatch", Said: said}
}

// parseSubmitted reads what sbatch --parsable prints on its last line: "id" or "id;cluster".
// A site's own filters may print lines before it.
func parseSubmitted(out string) (JobID, bool) {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	id, cluster, _ := strings.Cut(strings.TrimSpace(lines[len(lines)-1]), ";")
	return JobID{id, cluster}, isNumber(id)
}

// TestOnly asks Slurm whether a job with these options could ever start, and returns what it
// says: when and where. No job is made.
//
// Slurm does not compare the time limit with the limit of the partition here; Limit.Check does.
func (c *Client) TestOnly(ctx context.Context, options []string, script string) (said string, err error) {
	_, stderr, err := c.run(ctx, call{
		cluster: ChosenCluster(), name: "sbatch", args: append([]string{"--test-only"}, options...),
		stdin: script, env: cleanEnv(os.Environ()),
	})
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(firstLines(stderr), "sbatch: "), nil
}

// FindAfter looks for a job whose sbatch failed with err. A job without an answer may be
// taken in late. A refusal is not certain either: the words may be ones that we don't know, or
// those of a site's own sbatch. But a job that exists in spite of it is there at once.
func (c *Client) FindAfter(ctx context.Context, cluster, name string, err error) (id JobID, found bool, lookErr error) {
	var silent *NoAnswerError
	var refused *RefusedError
	switch {
	case errors.As(err, &silent):
		return c.Find(ctx, cluster, name, time.Time{})
	case errors.As(err, &refused):
		return c.look(ctx, cluster, name)
	}
	return JobID{}, false, nil // sbatch could not run
}

// Find looks for a job that sbatch may have submitted before it broke off. It asks until the
// controller answers, and twice, because a controller that was held up may take in the job
// after its answer. It does not give up before the time until.
func (c *Client) Find(ctx context.Context, cluster, name string, until time.Time) (id JobID, found bool, err error) {
	patience := cmp.Or(c.Patience, 5*time.Minute)
	giveUp := time.Now().Add(patience)

	told := false
	for absent := 0; ; {
		asked := time.Now()
		id, found, err := c.look(ctx, cluster, name)

		var silent *NoAnswerError
		switch {
		case found:
			return id, true, nil
		case err == nil:
			if absent++; absent >= 2 && !asked.Before(until) {
				return JobID{}, false, nil
			}
		case !errors.As(err, &silent) || time.Now().After(giveUp):
			return JobID{}, false, err
		}

		if !told {
			told = true
			c.tellSearch(name, err, patience, time.Until(until).Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return JobID{}, false, ctx.Err()
		case <-time.After(cmp.Or(c.Pause, 3*time.Second)):
		}
	}
}

// look asks once for the job with a name, on all clusters that are named.
func (c *Client) look(ctx context.Context, cluster, name string) (id JobID, found bool, err error) {
	jobs, err := c.Named(ctx, cluster, name)
	if err != nil || len(jobs) == 0 {
		return JobID{}, false, err
	}
	return jobs[0].JobID, true, nil
}

// tellSearch says why a search goes on: the controller does not answer, or wait is left in
// which a job may still come.
func (c *Client) tellSearch(name string, err error, patience, wait time.Duration) {
	switch {
	case err != nil:
		c.tell("%v; asking again for up to %s whether slurm has the job %s", err, patience, name)
	case wait > 0:
		c.tell("slurm has no job %s so far; an interrupted sbatch may still send it within %s", name, wait)
	}
}
