// SPDX-License-Identifier: Apache-2.0

package sbatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config is the part of Slurm's configuration that matters to a submission.
type Config struct {
	Cluster string // Cluster is the cluster's name.
	// MaxArraySize bounds the indexes of an array's tasks: they are smaller. 0 means that
	// there are no arrays.
	MaxArraySize int
	// MaxJobs is the number of jobs that the controller keeps (MaxJobCount). Every task of
	// an array counts as a job.
	MaxJobs int
	// PerCPU and PerNode are the MB of a job that asks for no memory; 0: no such bound.
	PerCPU, PerNode int
	// Unconfined says that jobs may run on all processors of their nodes, not only on those
	// that they were given (TaskPlugin).
	Unconfined bool
	// Private says that users don't see each other's jobs (PrivateData).
	Private bool
}

// Config asks for the configuration of the cluster that sbatch would submit to.
func (c *Client) Config(ctx context.Context) (Config, error) {
	out, err := c.ask(ctx, ChosenCluster(), "scontrol", "show", "config")
	if err != nil {
		return Config{}, fmt.Errorf("asking for slurm's configuration: %w", err)
	}
	return parseConfig(out)
}

func parseConfig(out string) (Config, error) {
	values := map[string]string{}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(line, "=")
		values[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	if values["MaxArraySize"] == "" {
		return Config{}, errors.New("reading slurm's configuration: it has no MaxArraySize")
	}
	plugins, said := values["TaskPlugin"] // "task/none", "(null)", or a list as in "task/cgroup,task/affinity"
	return Config{
		Cluster:      values["ClusterName"],
		MaxArraySize: number(values["MaxArraySize"]), MaxJobs: number(values["MaxJobCount"]),
		PerCPU: number(values["DefMemPerCPU"]), PerNode: number(values["DefMemPerNode"]),
		Unconfined: said && !strings.Contains(plugins, "affinity") && !strings.Contains(plugins, "cgroup"),
		Private:    slices.Contains(strings.Split(strings.ToLower(values["PrivateData"]), ","), "jobs"),
	}, nil
}

// number reads a number; 0 stands for words such as UNLIMITED.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// Nodes asks for the nodes that can't run jobs now, with their states, and for the MB of the largest node.
func (c *Client) Nodes(ctx context.Context) (down []string, memory int, err error) {
	out, err := c.ask(ctx, ChosenCluster(), "sinfo", "-h", "-N", "-o", "%N %T %m")
	if err != nil {
		return nil, 0, fmt.Errorf("asking for nodes: %w", err)
	}
	down, memory = parseNodes(out)
	return down, memory, nil
}

// parseNodes reads what sinfo prints: a line for each node and partition.
func parseNodes(out string) (down []string, memory int) {
	able := []string{"idle", "mixed", "allocated", "completing", "planned", "reserved", "powered_down", "powering_up"}
	for line := range strings.Lines(out) {
		f := append(strings.Fields(line), "", "", "")
		node, state := f[0], f[1]
		memory = max(memory, number(f[2]))
		base := strings.TrimRight(state, "*~#!%$@^-+")
		text := fmt.Sprintf("%s (%s)", node, base)
		silent := strings.HasSuffix(state, "*")
		if (silent || !slices.Contains(able, base)) && !slices.Contains(down, text) {
			down = append(down, text)
		}
	}
	return down, memory
}

// Cancel cancels jobs, with one scancel for each cluster. Jobs that have ended are left alone.
func (c *Client) Cancel(ctx context.Context, ids []JobID) error {
	for cluster, list := range byCluster(ids) {
		if _, err := c.ask(ctx, cluster, "scancel", list...); err != nil {
			return fmt.Errorf("cancelling: %w", err)
		}
	}
	return nil
}

// Requeue puts a running job back into the queue. id names a job, or a task of an array as
// "12_3". The job keeps its id; its processes are killed.
//
// A job that has ended or was cancelled, even just before the controller handles the request,
// stays so, which is no error: without "incomplete" Slurm would start it again.
func (c *Client) Requeue(ctx context.Context, id JobID) error {
	if _, err := c.ask(ctx, id.Cluster, "scontrol", "requeue", "incomplete", id.ID); err != nil {
		return fmt.Errorf("requeueing %s: %w", id.ID, err)
	}
	return nil
}

// Throttle lets at most n tasks of an array run at once; 0 removes the bound. Tasks that run
// already and arrays that have ended are left alone.
func (c *Client) Throttle(ctx context.Context, array JobID, n int) error {
	return c.update(ctx, array, "throttling "+array.ID, "ArrayTaskThrottle="+strconv.Itoa(n))
}

// After lets tasks of an array that have not started wait for something, as sbatch takes it; "" for
// nothing.
func (c *Client) After(ctx context.Context, array JobID, dependency string) error {
	return c.update(ctx, array, "making "+array.ID+" wait", "Dependency="+dependency)
}

// update changes an array, as far as its tasks have not ended. doing is what this does, in words.
func (c *Client) update(ctx context.Context, array JobID, doing, change string) error {
	_, stderr, err := c.run(ctx, array.Cluster, "", "scontrol", "update", "JobId="+array.ID, change)
	if err == nil || updated(stderr) {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// updated reports whether scontrol failed only because some tasks have begun or ended. It then prints
// a line for each range of tasks, "38_2-5: No error" for the tasks that it changed.
func updated(stderr string) bool {
	lines := 0
	for line := range strings.Lines(stderr) {
		_, said, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch said {
		case "No error", "Job has already finished", "Job is no longer pending execution":
		default:
			return false
		}
		lines++
	}
	return lines > 0
}

// A Limit is how long a job may take in a partition. 0 means that there is no limit.
type Limit struct {
	Partition string
	// Max is the longest time that a job may ask for. A job that asks for more is refused, or
	// stays pending for ever.
	Max time.Duration
	// Default is the limit of a job that asks for nothing.
	Default time.Duration
	// PerCPU and PerNode are the MB of a job that asks for no memory; 0 where the partition does
	// not say it.
	PerCPU, PerNode int
}

// Limit asks for the limit of a partition; "" means the default partition. Of several, as
// "a,b", it returns the shortest limit.
func (c *Client) Limit(ctx context.Context, partition string) (Limit, error) {
	out, err := c.ask(ctx, ChosenCluster(), "scontrol", "-a", "-o", "show", "partition")
	if err != nil {
		return Limit{}, fmt.Errorf("asking for partitions: %w", err)
	}
	return parseLimit(out, partition)
}

// parseLimit finds the limit of partition in what scontrol prints, a line for each partition.
func parseLimit(out, partition string) (Limit, error) {
	all := map[string]Limit{}
	var names []string
	for line := range strings.Lines(out) {
		l, isDefault := parsePartition(line)
		if l.Partition == "" {
			continue
		}
		all[l.Partition] = l
		names = append(names, l.Partition)
		if partition == "" && isDefault {
			partition = l.Partition
		}
	}

	has := strings.Join(names, ", ")
	if partition == "" {
		return Limit{}, fmt.Errorf("the cluster has no default partition: name one in [slurm] (it has %s)", has)
	}

	var least Limit
	for i, name := range strings.Split(partition, ",") {
		l, ok := all[name]
		if !ok {
			return Limit{}, fmt.Errorf("the cluster has no partition %s (it has %s)", name, has)
		}
		if i == 0 || l.Max > 0 && (least.Max == 0 || l.Max < least.Max) {
			least = l
		}
	}

	return least, nil
}

// parsePartition reads one line of scontrol, and whether it is about the default partition.
func parsePartition(line string) (l Limit, isDefault bool) {
	fields := map[string]string{}
	for f := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(f, "=")
		if _, ok := fields[key]; !ok {
			fields[key] = value
		}
	}

	l.Partition = fields["PartitionName"]
	l.Max, _ = ParseTime(fields["MaxTime"])
	if l.Default, _ = ParseTime(fields["DefaultTime"]); l.Default == 0 {
		l.Default = l.Max // NONE
	}
	l.PerCPU, l.PerNode = number(fields["DefMemPerCPU"]), number(fields["DefMemPerNode"])
	return l, fields["Default"] == "YES"
}

// Check returns an error if a job that asks for limit would never start.
func (l Limit) Check(limit string) error {
	d, ok := ParseTime(limit)
	if !ok || l.Max == 0 || d > 0 && d <= l.Max {
		return nil
	}
	return fmt.Errorf("time = %q is above the limit of partition %s, which is %s: such a job would stay pending "+
		"for ever; ask for less, or for another partition", limit, l.Partition, FormatTime(l.Max))
}

// Memory returns the MB that a job of some processors gets if it asks for none, and the key of Slurm's
// that says so; 0 for all of its node.
func (l Limit) Memory(c Config, cpus int) (mb int, key string) {
	switch perCPU, perNode := cmp.Or(l.PerCPU, c.PerCPU), cmp.Or(l.PerNode, c.PerNode); {
	case l.PerNode > 0, l.PerCPU == 0 && perNode > 0:
		return perNode, "DefMemPerNode"
	case perCPU > 0:
		return perCPU * cpus, "DefMemPerCPU"
	}
	return 0, ""
}
