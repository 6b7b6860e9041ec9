package sbatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A JobID names a job, or a whole array of them.
type JobID struct {
	ID      string `json:"id"`                // "1234"
	Cluster string `json:"cluster,omitempty"` // "" for the one of Slurm's configuration
}

// A Job is what Slurm says about a job, or about one task of an array.
type Job struct {
	JobID      // of the array, if it is a task of one
	Task   int // its index in the array, -1 for a job that is none
	Name   string
	State  State
	Reason string        // why it is pending or has failed, in Slurm's words; "" if it gives none
	Nodes  string        // as Slurm writes them: "n[1-3]"
	Ran    time.Duration // in this attempt
	Limit  time.Duration // of its time, 0 for none
	Start  time.Time     // when it started or is expected to; zero if that is not known
	Exit   string        // "1:0", exit code and signal; only from accounting
}

// columns are asked from squeue. Of these only a name, which is the last but one, can
// hold a bar.
const columns = "%F|%K|%T|%M|%l|%S|%N|%j|%r"

// Jobs asks for the state of jobs, with one squeue for all of a cluster. Of an
// array it gives every task. Jobs that ended longer ago than MinJobAge (5 minutes,
// if not set) are not known any more, which is no error: they are left out.
func (c *Client) Jobs(ctx context.Context, ids []JobID) ([]Job, error) {
	var all []Job
	for _, group := range byCluster(ids) {
		jobs, err := c.jobs(ctx, group.cluster, group.ids)
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
		return parseQueue(out, cluster)
	}
	// Slurm 22.05 leaves out unknown ids among several, but not one that is alone;
	// other versions refuse the whole list.
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.Contains(refused.Said, "Invalid job id") {
		return nil, err
	}
	if len(ids) == 1 {
		return nil, nil
	}
	var all []Job
	for _, id := range ids {
		jobs, err := c.jobs(ctx, cluster, []string{id})
		if err != nil {
			return nil, err
		}
		all = append(all, jobs...)
	}
	return all, nil
}

// Named asks a cluster for the jobs of a name, which must be free of commas, in all
// partitions: without -a, squeue leaves out the hidden ones unless it is asked for ids.
func (c *Client) Named(ctx context.Context, cluster, name string) ([]Job, error) {
	out, err := c.ask(ctx, cluster, "squeue", "-h", "-a", "-t", "all", "-r", "-n", name, "-o", columns)
	if err != nil {
		return nil, fmt.Errorf("looking for job %s: %w", name, err)
	}
	return parseQueue(out, cluster)
}

// parseQueue reads what squeue prints for columns. Where it was told a cluster it
// puts a line "CLUSTER: name" before the jobs.
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
		f := strings.SplitN(line, "|", 8)
		bar := strings.LastIndexByte(f[len(f)-1], '|')
		if len(f) != 8 || bar < 0 || !isNumber(f[0]) {
			return nil, fmt.Errorf("reading the answer of squeue: %q is not a job", line)
		}
		job := Job{
			JobID: JobID{f[0], cluster}, Task: -1, State: ParseState(f[2]),
			Nodes: f[6], Name: f[7][:bar], Reason: noReason(f[7][bar+1:]),
		}
		if isNumber(f[1]) {
			job.Task, _ = strconv.Atoi(f[1])
		}
		job.Ran, _ = ParseTime(f[3])
		job.Limit, _ = ParseTime(f[4])
		job.Start, _ = time.ParseInLocation("2006-01-02T15:04:05", f[5], time.Local) // "N/A" is zero
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// noReason makes "" of the words by which Slurm says that there is no reason.
func noReason(text string) string {
	if text = strings.TrimSpace(text); text == "None" || text == "(null)" {
		return ""
	}
	return text
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 32)
	return err == nil
}

// A clusterIDs is the ids that are asked for with one command.
type clusterIDs struct {
	cluster string
	ids     []string
}

// byCluster groups ids, in the order in which their clusters come first.
func byCluster(ids []JobID) []clusterIDs {
	var groups []clusterIDs
	for _, id := range ids {
		at := slices.IndexFunc(groups, func(g clusterIDs) bool { return g.cluster == id.Cluster })
		if at < 0 {
			at = len(groups)
			groups = append(groups, clusterIDs{cluster: id.Cluster})
		}
		if !slices.Contains(groups[at].ids, id.ID) {
			groups[at].ids = append(groups[at].ids, id.ID)
		}
	}
	return groups
}
