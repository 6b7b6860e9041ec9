package sbatch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Accounting is what sacct knows of jobs, also of those that squeue has forgotten.
// Many clusters keep no accounts; then Missing says so, and nothing is known.
type Accounting struct {
	Jobs    []Job
	Missing string // why there is no accounting; "" if it answered
}

// accounts are the columns asked from sacct. The name, which may hold anything, is
// the last.
const accounts = "JobID,State,ExitCode,ElapsedRaw,TimelimitRaw,Start,NodeList,JobName"

// Accounting asks sacct for jobs. That there are no accounts, or that they don't
// answer, is no error: nothing may depend on them.
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

// AccountingNamed asks sacct for the jobs of a name since a day before from.
func (c *Client) AccountingNamed(ctx context.Context, cluster, name string, from time.Time) Accounting {
	day := from.AddDate(0, 0, -1).Format(time.DateOnly) // clocks and time zones may differ
	return c.accounting(ctx, cluster, "--name", name, "-S", day)
}

// accounting asks sacct with options that choose the jobs: one line for each (-X),
// without its steps.
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
		job := Job{JobID: JobID{id, cluster}, State: ParseState(f[1]), Exit: f[2], Name: f[7]}
		if seconds, err := strconv.Atoi(f[3]); err == nil {
			job.Ran = time.Duration(seconds) * time.Second
		}
		if minutes, err := strconv.Atoi(f[4]); err == nil {
			job.Limit = time.Duration(minutes) * time.Minute
		}
		job.Start, _ = time.ParseInLocation("2006-01-02T15:04:05", f[5], time.Local) // "Unknown" is zero
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

// mostTasks bounds what a line of sacct can expand to: an array of Slurm's can't
// be longer (MaxArraySize is at most 4,000,001).
const mostTasks = 4_000_001

// parseTasks reads a job's id as sacct prints it: "12", "12_3", and for tasks that
// have not started "12_[1-3,5,8-20:4%2]". A step's id, as "12.batch", is none.
func parseTasks(text string) (id string, tasks []int, ok bool) {
	id, list, array := strings.Cut(text, "_")
	if !isNumber(id) {
		return "", nil, false
	}
	if !array {
		return id, []int{-1}, true
	}
	if inner, ok := strings.CutPrefix(list, "["); ok {
		list = strings.TrimSuffix(inner, "]")
	}
	list, _, _ = strings.Cut(list, "%")
	for part := range strings.SplitSeq(list, ",") {
		if strings.HasSuffix(part, "...") {
			break // cut off by an old version; the rest is not known
		}
		span, by, _ := strings.Cut(part, ":")
		from, to, isRange := strings.Cut(span, "-")
		if !isRange {
			to = from
		}
		step := 1
		if by != "" {
			if n, err := strconv.Atoi(by); err == nil {
				step = n
			}
		}
		if !isNumber(from) || !isNumber(to) || step < 1 {
			return "", nil, false
		}
		first, _ := strconv.Atoi(from)
		last, _ := strconv.Atoi(to)
		for i := first; i <= last; i += step {
			if len(tasks) == mostTasks {
				return "", nil, false
			}
			tasks = append(tasks, i)
		}
	}
	return id, tasks, true
}
