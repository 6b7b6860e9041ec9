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

// Submit runs sbatch with args: options, a script and its arguments. A
// *MissingError says that there is no job, and a *RefusedError that there is hardly
// one; a *NoAnswerError leaves it open: find looks for it by its name.
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
	return JobID{}, &NoAnswerError{Command: "sbatch", Said: fmt.Sprintf("it printed %q instead of a job's id", firstLines(out))}
}

// parseSubmitted reads what sbatch --parsable prints: "id" or "id;cluster", on the
// last line. A site's own filters may print lines before it.
func parseSubmitted(out string) (JobID, bool) {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	id, cluster, _ := strings.Cut(strings.TrimSpace(lines[len(lines)-1]), ";")
	return JobID{id, cluster}, isNumber(id)
}

// TestOnly asks Slurm whether a job with these options, and without arguments, could
// ever start, and returns what it says: when and where. No job is made.
//
// Slurm does not compare the time limit with that of the partition here: Limit.Check
// does.
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

// look asks once for the job of a name, on all clusters that are named.
func (c *Client) look(ctx context.Context, cluster, name string) (id JobID, found bool, err error) {
	jobs, err := c.Named(ctx, cluster, name)
	if err != nil || len(jobs) == 0 {
		return JobID{}, false, err
	}
	return jobs[0].JobID, true, nil
}

// FindAfter looks for a job whose sbatch has failed by err. One that got no answer may be
// taken in late. A refusal is not certain either, in words of Slurm that we don't know or
// of a site's own sbatch; but then the job is there at once, if it is.
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

// Find looks for a job that sbatch may have submitted before it broke off. It asks
// until the controller answers, and twice, since a controller that was held up may
// take the job in after it has answered; and not only before the time since.
func (c *Client) Find(ctx context.Context, cluster, name string, since time.Time) (id JobID, found bool, err error) {
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
			if absent++; absent >= 2 && !asked.Before(since) {
				return JobID{}, false, nil
			}
		case !errors.As(err, &silent) || time.Now().After(giveUp):
			return JobID{}, false, err
		}
		if !told {
			told = true
			if err != nil {
				c.tell("%v; whether slurm has the job %s is asked again for up to %s", err, name, patience)
			} else if wait := time.Until(since).Round(time.Second); wait > 0 {
				c.tell("slurm has no job %s so far; an sbatch that was broken off may still send it, which is waited for: %s", name, wait)
			}
		}
		select {
		case <-ctx.Done():
			return JobID{}, false, ctx.Err()
		case <-time.After(cmp.Or(c.Pause, 3*time.Second)):
		}
	}
}
