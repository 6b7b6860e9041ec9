package sbatch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Limit is how long a job may take in a partition. 0 is no limit.
type Limit struct {
	Partition string
	Max       time.Duration // a job that asks for more is refused, or stays pending for ever
	Default   time.Duration // of a job that asks for nothing
}

// Limit asks for the limit of a partition, "" for the default one. Where sbatch is
// given several, as "a,b", it is that with the shortest.
func (c *Client) Limit(ctx context.Context, partition string) (Limit, error) {
	out, err := c.ask(ctx, ChosenCluster(), "scontrol", "-a", "-o", "show", "partition")
	if err != nil {
		return Limit{}, fmt.Errorf("asking for partitions: %w", err)
	}
	return parseLimit(out, partition)
}

func parseLimit(out, partition string) (Limit, error) {
	all := map[string]Limit{}
	var names []string
	for line := range strings.Lines(out) {
		fields := map[string]string{}
		for f := range strings.FieldsSeq(line) {
			key, value, _ := strings.Cut(f, "=")
			if _, ok := fields[key]; !ok {
				fields[key] = value
			}
		}
		name := fields["PartitionName"]
		if name == "" {
			continue
		}
		l := Limit{Partition: name}
		l.Max, _ = ParseTime(fields["MaxTime"])
		if l.Default, _ = ParseTime(fields["DefaultTime"]); l.Default == 0 {
			l.Default = l.Max // NONE
		}
		all[name] = l
		names = append(names, name)
		if partition == "" && fields["Default"] == "YES" {
			partition = name
		}
	}
	if partition == "" {
		return Limit{}, fmt.Errorf("the cluster has no default partition: name one in [slurm] (it has %s)", strings.Join(names, ", "))
	}
	var least Limit
	for i, name := range strings.Split(partition, ",") {
		l, ok := all[name]
		if !ok {
			return Limit{}, fmt.Errorf("the cluster has no partition %s (it has %s)", name, strings.Join(names, ", "))
		}
		if i == 0 || shorter(l.Max, least.Max) {
			least = l
		}
	}
	return least, nil
}

// shorter reports whether a, a limit, is shorter than b.
func shorter(a, b time.Duration) bool { return a > 0 && (b == 0 || a < b) }

// Of is the limit of a job that asks for limit, as [slurm] time has it, "" for
// nothing.
func (l Limit) Of(limit string) time.Duration {
	if limit == "" {
		return l.Default
	}
	d, _ := ParseTime(limit)
	return d
}

// Check is an error if a job that asks for limit would never start.
func (l Limit) Check(limit string) error {
	d, ok := ParseTime(limit)
	if !ok || l.Max == 0 || d > 0 && d <= l.Max {
		return nil
	}
	return fmt.Errorf("time = %q is above the limit of partition %s, which is %s: such a job would stay pending for ever; ask for less, or for another partition",
		limit, l.Partition, FormatTime(l.Max))
}

// ParseTime reads a time as Slurm takes and prints it: minutes, MM:SS, HH:MM:SS,
// D-HH, D-HH:MM or D-HH:MM:SS. UNLIMITED is 0. ok says that text is a time.
func ParseTime(text string) (d time.Duration, ok bool) {
	switch strings.ToUpper(text) {
	case "UNLIMITED", "INFINITE":
		return 0, true
	}
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	parts := strings.Split(clock, ":")
	units := []time.Duration{time.Minute, time.Second}
	if hasDays || len(parts) == 3 {
		units = []time.Duration{time.Hour, time.Minute, time.Second}
	}
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil || len(parts) > len(units) {
		return 0, false
	}
	d = time.Duration(n) * 24 * time.Hour
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return 0, false
		}
		d += time.Duration(n) * units[i]
	}
	return d, true
}

// FormatTime writes d, rounded up to seconds, as sbatch takes it: "01:00:00" or
// "2-00:00:00".
func FormatTime(d time.Duration) string {
	s := int64((d + time.Second - 1) / time.Second)
	days, s := s/86400, s%86400
	clock := fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if days == 0 {
		return clock
	}
	return fmt.Sprintf("%d-%s", days, clock)
}
