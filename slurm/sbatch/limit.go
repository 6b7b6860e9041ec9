package sbatch

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
		if i == 0 || shorter(l.Max, least.Max) {
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
	l.PerCPU, _ = strconv.Atoi(fields["DefMemPerCPU"]) // 0 for UNLIMITED
	l.PerNode, _ = strconv.Atoi(fields["DefMemPerNode"])
	return l, fields["Default"] == "YES"
}

// shorter reports whether a, a limit, is shorter than b.
func shorter(a, b time.Duration) bool { return a > 0 && (b == 0 || a < b) }

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
