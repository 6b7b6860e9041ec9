package sbatch

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Config is what of Slurm's configuration matters to a submission.
type Config struct {
	Version      string // "22.05.8"
	Cluster      string // its name
	MaxArraySize int    // the tasks of an array have indexes below this; 0: no arrays
	MaxJobs      int    // MaxJobCount: most jobs that the controller keeps, every task of an array being one
	Unconfined   bool   // jobs may run on all processors of their nodes, not on their own alone (TaskPlugin)
}

// Config asks for the configuration of the cluster to which sbatch would submit.
func (c *Client) Config(ctx context.Context) (Config, error) {
	out, err := c.ask(ctx, ChosenCluster(), "scontrol", "show", "config")
	if err != nil {
		return Config{}, fmt.Errorf("asking for slurm's configuration: %w", err)
	}
	return parseConfig(out)
}

func parseConfig(out string) (Config, error) {
	var c Config
	seen := false
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "SLURM_VERSION":
			c.Version = value
		case "ClusterName":
			c.Cluster = value
		case "MaxArraySize":
			c.MaxArraySize, _ = strconv.Atoi(value)
			seen = true
		case "MaxJobCount":
			c.MaxJobs, _ = strconv.Atoi(value)
		case "TaskPlugin": // "task/none", "(null)", or a list as in "task/cgroup,task/affinity"
			c.Unconfined = !strings.Contains(value, "affinity") && !strings.Contains(value, "cgroup")
		}
	}
	if !seen {
		return c, fmt.Errorf("reading slurm's configuration: it has no MaxArraySize")
	}
	return c, nil
}

// Cancel cancels jobs, with one scancel for all of a cluster. Those that have
// ended are left alone.
func (c *Client) Cancel(ctx context.Context, ids []JobID) error {
	for _, group := range byCluster(ids) {
		if _, err := c.ask(ctx, group.cluster, "scancel", group.ids...); err != nil {
			return fmt.Errorf("cancelling: %w", err)
		}
	}
	return nil
}

// Requeue puts a running job back into the queue: id is that of a job, or of a task
// of an array as "12_3". The job keeps its id; its processes are killed.
//
// One that has ended or was cancelled, be it just before the controller gets to it,
// stays so, which is no error: without "incomplete" Slurm would start it again.
func (c *Client) Requeue(ctx context.Context, id JobID) error {
	if _, err := c.ask(ctx, id.Cluster, "scontrol", "requeue", "incomplete", id.ID); err != nil {
		return fmt.Errorf("requeueing %s: %w", id.ID, err)
	}
	return nil
}

// Throttle lets at most n tasks of an array run at once, 0 for as many as there is
// room for. Those that run already are left alone, and so are ended arrays.
func (c *Client) Throttle(ctx context.Context, array JobID, n int) error {
	update := []string{"update", "JobId=" + array.ID, "ArrayTaskThrottle=" + strconv.Itoa(n)}
	_, stderr, err := c.run(ctx, call{
		cluster: array.Cluster, name: "scontrol", args: update, env: askEnv(os.Environ()),
	})
	if err == nil || throttled(stderr) {
		return nil
	}
	return fmt.Errorf("throttling %s: %w", array.ID, err)
}

// throttled reports whether what scontrol said, while it failed, is only that some
// tasks have ended: it then gives a line for each range of tasks, "38_2-5: No error"
// for those that it changed.
func throttled(stderr string) bool {
	lines := 0
	for line := range strings.Lines(stderr) {
		_, said, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if said != "No error" && said != "Job has already finished" {
			return false
		}
		lines++
	}
	return lines > 0
}
