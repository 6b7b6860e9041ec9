package cpu

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// memoryLimit is how many bytes this process may use: the machine's memory, or less where a job or a container
// has a limit, whether or not the system enforces it: a scheduler may kill the process, too. It is 0 if nothing
// reports it.
func (b *Backend) memoryLimit() int64 {
	limit := limitOf(memTotal(), read("/proc/self/cgroup"), "/sys/fs/cgroup")
	if b.given > 0 && (limit == 0 || b.given < limit) {
		return b.given
	}
	return limit
}

// limitOf is the lowest of the limits of the control groups of a process and of those above them, if one is
// lower than the memory. groups are lines "id:controllers:path", and no controllers in version 2.
func limitOf(memory int64, groups, root string) int64 {
	for line := range strings.Lines(groups) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		folder, file := root, "memory.max"
		if fields[1] != "" {
			if !slices.Contains(strings.Split(fields[1], ","), "memory") {
				continue
			}
			folder, file = path.Join(root, "memory"), "memory.limit_in_bytes"
		}

		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			n, err := strconv.ParseInt(read(path.Join(folder, group, file)), 10, 64) // an error is "max", or no file
			if err == nil && n > 0 && (memory == 0 || n < memory) {
				memory = n
			}
			if group == "/" {
				break
			}
		}
	}
	return memory
}
