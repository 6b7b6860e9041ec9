package sbatch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Accounting is what sacct knows about jobs, including jobs that squeue has forgotten. Many
// clusters keep no accounts; then Missing says so, and nothing is known.
type Accounting struct {
	Jobs []Job
	// Missing says why there is no accounting; "" if sacct answered.
	Missing string
}

// accounts are the columns that sacct is asked to print. The name, which may contain
// anything, comes last.
const accounts = "JobID,State,ExitCode,ElapsedRaw,TimelimitRaw,Start,NodeList,JobName"

// Accounting asks sacct for jobs. Missing or silent accounts are no error: nothing may depend
// on them.
func (c *Client) Accounting(ctx context.Context, ids []JobID) Accounting {
	var all Accounting
	for _, group := range byCluster(ids) {
		one := c.accounting(ctx, group.cluster, "-j", strings.Join(group.ids, ","))
		all.Jobs = append(all.Jobs, one.Jobs...)
		if one.Missing != "" {
			all.Missing = one.Missing
		}
	}
	return all
}

// AccountingNamed asks sacct for the jobs with a name since a day before from.
func (c *Client) AccountingNamed(ctx context.Context, cluster, name string, from time.Time) Accounting {
	day := from.AddDate(0, 0, -1).Format(time.DateOnly) // clocks and time zones may differ
	return c.accounting(ctx, cluster, "--name", name, "-S", day)
}

// accounting asks sacct with options that choose the jobs. It gets one line for each job,
// without its steps (-X).
func (c *Client) accounting(ctx context.Context, cluster string, options ...string) Accounting {
	out, err := c.ask(ctx, cluster, "sacct", append([]string{"-P", "-n", "-X", "-o", accounts}, options...)...)
	if err != nil {
		return Accounting{Missing: err.Error()}
	}
	jobs, err := parseAccounts(out, cluster)
	if err != nil {
		return Accounting{Missing: err.Error()}
	}
	return Accounting{Jobs: jobs}
}

// parseAccounts reads what sacct -P prints for accounts.
func parseAccounts(out, cluster string) ([]Job, error) {
	var jobs []Job
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		f := strings.SplitN(line, "|", 8)
		if len(f) != 8 {
			return nil, fmt.Errorf("reading the answer of sacct: %q is not a job", line)
		}
		id, tasks, ok := parseTasks(f[0])
		if !ok {
			return nil, fmt.Errorf("reading the answer of sacct: %q is not a job's id", f[0])
		}

		job := Job{JobID: JobID{id, cluster}, State: ParseState(f[1]), Start: startTime(f[5]), Exit: f[2], Name: f[7]}
		if seconds, err := strconv.Atoi(f[3]); err == nil {
			job.Ran = time.Duration(seconds) * time.Second
		}
		if minutes, err := strconv.Atoi(f[4]); err == nil {
			job.Limit = time.Duration(minutes) * time.Minute
		}
		if f[6] != "None assigned" {
			job.Nodes = f[6]
		}
		for _, task := range tasks {
			job.Task = task
			jobs = append(jobs, job)
		}
	}

	return jobs, nil
}
