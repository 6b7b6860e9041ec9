package sbatch

import (
	"context"
	"fmt"
	"os"
	"strings"
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
