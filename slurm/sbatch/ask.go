// SPDX-License-Identifier: Apache-2.0

package sbatch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// columns are what squeue is asked to print. Of these only the name, the last but one, can
// contain a bar. The limit, %l, is not read.
const columns = "%F|%K|%T|%M|%l|%S|%N|%j|%r"

// Jobs asks for the state of jobs, with one squeue for each cluster. For an array it returns
// every task. Jobs that ended longer ago than MinJobAge (5 minutes by default) are no longer
// known and are left out, which is no error.
func (c *Client) Jobs(ctx context.Context, ids []JobID) ([]Job, error) {
	var all []Job
	for cluster, list := range byCluster(ids) {
		jobs, err := c.jobs(ctx, cluster, list)
		if err != nil {
			return nil, fmt.Errorf("asking for jobs: %w", err)
		}
		all = append(all, jobs...)
	}
	return all, nil
}

func (c *Client) jobs(ctx context.Context, cluster string, ids []string) ([]Job, error) {
	out, err := c.ask(ctx, cluster, "squeue", "-h", "-t", "all", "-r", "-j", strings.Join(ids, ","), "-o", columns)
	if err == nil {
		jobs, err := parseQueue(out, cluster)
		if err == nil && slices.ContainsFunc(jobs, func(j Job) bool { return j.State == Failed }) {
			c.exits(ctx, cluster, ids, jobs)
		}
		return jobs, err
	}

	// Slurm 22.05 skips unknown ids among several, but refuses a single unknown id. Other
	// versions refuse the whole list.
	if !strings.Contains(Refusal(err), "Invalid job id") {
		return nil, err
	}
	if len(ids) == 1 {
		return nil, nil
	}

	var all []Job
	for _, id := range ids { // one by one
		jobs, err := c.jobs(ctx, cluster, []string{id})
		if err != nil {
			return nil, err
		}
		all = append(all, jobs...)
	}

	return all, nil
}

// exits adds the exit codes of jobs that failed, where squeue tells them. It prints them in columns of
// fixed width only, so they are asked for on their own.
func (c *Client) exits(ctx context.Context, cluster string, ids []string, jobs []Job) {
	const columns = "ArrayJobID:20,ArrayTaskID:20,exit_code:20"
	out, err := c.ask(ctx, cluster, "squeue", "-h", "-t", "failed", "-r", "-j", strings.Join(ids, ","), "-O", columns)
	if err != nil {
		return // what is known without them is enough
	}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		status, err := strconv.Atoi(f[2]) // as wait(2) has it
		for i, j := range jobs {
			same := f[1] == strconv.Itoa(j.Task) || j.Task < 0 && f[1] == "N/A"
			if err == nil && j.ID == f[0] && same && j.State == Failed {
				jobs[i].Exit = fmt.Sprintf("%d:%d", status>>8, status&0x7f)
			}
		}
	}
}

// Named asks a cluster for the jobs with a name, which must not contain commas.
func (c *Client) Named(ctx context.Context, cluster, name string) ([]Job, error) {
	return c.queue(ctx, cluster, name, "-n", name)
}

// All asks a cluster for all jobs that this user may see and whose names begin with prefix.
func (c *Client) All(ctx context.Context, cluster, prefix string) ([]Job, error) {
	jobs, err := c.queue(ctx, cluster, prefix+"*")
	return slices.DeleteFunc(jobs, func(j Job) bool { return !strings.HasPrefix(j.Name, prefix) }), err
}

// queue asks a cluster for the jobs that options of squeue choose, in all partitions: without -a, squeue skips hidden
// partitions unless it is asked for ids.
func (c *Client) queue(ctx context.Context, cluster, what string, options ...string) ([]Job, error) {
	all := append([]string{"-h", "-a", "-t", "all", "-r", "-o", columns}, options...)
	out, err := c.ask(ctx, cluster, "squeue", all...)
	if err != nil {
		return nil, fmt.Errorf("looking for jobs %s: %w", what, err)
	}
	return parseQueue(out, cluster)
}

// parseQueue reads what squeue prints for columns. If squeue was given a cluster, it prints a
// line "CLUSTER: name" before the jobs.
func parseQueue(out, cluster string) ([]Job, error) {
	var jobs []Job
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(line, "CLUSTER: "); ok {
			cluster = strings.TrimSpace(name)
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		job, ok := parseQueued(line)
		if !ok {
			return nil, fmt.Errorf("reading the answer of squeue: %q is not a job", line)
		}
		job.Cluster = cluster
		jobs = append(jobs, job)
	}

	return jobs, nil
}

// parseQueued reads one line of squeue.
func parseQueued(line string) (job Job, ok bool) {
	f := strings.SplitN(line, "|", 8)
	bar := strings.LastIndexByte(f[len(f)-1], '|')
	if len(f) != 8 || bar < 0 || !isNumber(f[0]) {
		return Job{}, false
	}
	job = Job{
		JobID: JobID{ID: f[0]}, Task: -1, State: ParseState(f[2]), Start: startTime(f[5]),
		Nodes: f[6], Name: f[7][:bar], Reason: strings.TrimSpace(f[7][bar+1:]),
	}
	if job.Reason == "None" || job.Reason == "(null)" {
		job.Reason = ""
	}
	if isNumber(f[1]) {
		job.Task, _ = strconv.Atoi(f[1])
	}
	job.Ran, _ = ParseTime(f[3])
	return job, true
}

// accounts are the columns that sacct is asked to print. The name, which may contain
// anything, comes last.
const accounts = "JobID,State,ExitCode,ElapsedRaw,TimelimitRaw,Start,NodeList,JobName"

// Accounting asks sacct for jobs, including those that squeue has forgotten. Many clusters keep no accounts, so
// nothing may depend on the answer.
func (c *Client) Accounting(ctx context.Context, ids []JobID) (all []Job, err error) {
	for cluster, list := range byCluster(ids) {
		jobs, one := c.accounting(ctx, cluster, "-j", strings.Join(list, ","))
		all, err = append(all, jobs...), cmp.Or(err, one)
	}
	return all, err
}

// AccountingNamed asks sacct for the jobs with a name that were submitted since a time, minus a
// day, because clocks and time zones may differ.
func (c *Client) AccountingNamed(ctx context.Context, cluster, name string, from time.Time) ([]Job, error) {
	return c.accounting(ctx, cluster, "--name", name, "-S", from.AddDate(0, 0, -1).Format(time.DateOnly))
}

// accounting asks sacct with options that choose the jobs. It gets one line for each job,
// without its steps (-X).
func (c *Client) accounting(ctx context.Context, cluster string, options ...string) ([]Job, error) {
	out, err := c.ask(ctx, cluster, "sacct", append([]string{"-P", "-n", "-X", "-o", accounts}, options...)...)
	if err != nil {
		return nil, err
	}
	return parseAccounts(out, cluster)
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
		job.Ran = time.Duration(number(f[3])) * time.Second
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

// Submit runs sbatch with args: options, a script and its arguments. After a *RefusedError
// there is almost certainly no job. A *NoAnswerError leaves it open: FindAfter looks for the job by its name. After
// other errors there is none.
func (c *Client) Submit(ctx context.Context, cluster string, args []string) (JobID, error) {
	out, err := c.ask(ctx, cluster, "sbatch", append([]string{"--parsable"}, args...)...)
	if err != nil {
		return JobID{}, err
	}
	if id, ok := parseSubmitted(out); ok {
		return id, nil
	}
	said := fmt.Sprintf("it printed %q instead of a job's id", firstLines(out))
	return JobID{}, &NoAnswerError{Command: "sbatch", Said: said}
}

// parseSubmitted reads what sbatch --parsable prints on a line: "id" or "id;cluster". A site's own filters may print
// other lines. Where several could be the answer, none is.
func parseSubmitted(out string) (found JobID, ok bool) {
	for line := range strings.Lines(out) {
		id, cluster, _ := strings.Cut(strings.TrimSpace(line), ";")
		if isNumber(id) && found.ID != "" {
			return JobID{}, false
		}
		if isNumber(id) {
			found = JobID{id, cluster}
		}
	}
	return found, found.ID != ""
}

// TestOnly asks Slurm whether a job with these options could ever start, and returns what it
// says: when and where. No job is made.
//
// Slurm does not compare the time limit with the limit of the partition here; Limit.Check does.
func (c *Client) TestOnly(ctx context.Context, options []string, script string) (said string, err error) {
	_, stderr, err := c.run(ctx, ChosenCluster(), script, "sbatch", append([]string{"--test-only"}, options...)...)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(firstLines(stderr), "sbatch: "), nil
}

// FindAfter looks for a job by its name after its sbatch, which may have failed with err. A job without an answer
// may be taken in late. A refusal is not certain either: the words may be ones that we don't know, or
// those of a site's own sbatch, which may also print another number than the job's. But a job that exists is there at
// once.
func (c *Client) FindAfter(ctx context.Context, cluster, name string, err error) (id JobID, found bool, lookErr error) {
	switch {
	case Silent(err):
		return c.Find(ctx, cluster, name, time.Time{})
	case err == nil, Refusal(err) != "":
		return c.look(ctx, cluster, name)
	default: // sbatch could not run
		return JobID{}, false, nil
	}
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
		switch {
		case found:
			return id, true, nil
		case err == nil:
			if absent++; absent >= 2 && !asked.Before(until) {
				return JobID{}, false, nil
			}
		case !Silent(err) || time.Now().After(giveUp):
			return JobID{}, false, err
		}

		switch wait := time.Until(until).Round(time.Second); {
		case told:
		case err != nil:
			c.tell("%v; asking again for up to %s whether slurm has the job %s", err, patience, name)
		case wait > 0:
			c.tell("slurm has no job %s so far; an interrupted sbatch may still send it within %s", name, wait)
		}
		told = true
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
