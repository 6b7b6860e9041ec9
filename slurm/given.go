package slurm

import (
	"regexp"
	"strconv"
	"strings"
)

// GivenCPUs is the number of processors that Slurm gave to this process on its node, whether or not it is
// confined to them; 0 outside of jobs. Tasks of a step that srun has started there have equal shares of the
// step's, unless srun was told how many each has.
func GivenCPUs(getenv func(string) string) int {
	if getenv("SLURM_JOB_ID") == "" {
		return 0
	}
	all, _ := strconv.Atoi(getenv("SLURM_CPUS_ON_NODE"))
	tasks := stepTasks(getenv("SLURM_STEP_TASKS_PER_NODE"), getenv("SLURM_NODEID"))
	if tasks < 2 {
		return max(all, 0)
	}
	share := all / tasks
	if each, err := strconv.Atoi(getenv("SLURM_CPUS_PER_TASK")); err == nil && each > 0 {
		share = min(share, each)
	}
	return max(share, min(all, 1))
}

// GivenMemory is the memory in bytes that Slurm gave to this process on its node, whether or not it is confined to
// that; 0 outside of jobs, and where a job has all of a node's. Tasks of a step have equal shares.
func GivenMemory(getenv func(string) string) int64 {
	if getenv("SLURM_JOB_ID") == "" {
		return 0
	}
	number := func(key string) int64 {
		n, _ := strconv.ParseInt(getenv(key), 10, 64)
		return max(n, 0)
	}
	mb := number("SLURM_MEM_PER_NODE")
	if mb == 0 {
		mb = number("SLURM_MEM_PER_CPU") * number("SLURM_CPUS_ON_NODE")
	}
	tasks := stepTasks(getenv("SLURM_STEP_TASKS_PER_NODE"), getenv("SLURM_NODEID"))
	return mb << 20 / int64(max(tasks, 1))
}

// tasksForm matches the numbers of tasks on a node, or on several in a row: 2(x3).
var tasksForm = regexp.MustCompile(`^([0-9]+)(?:\(x([0-9]+)\))?$`)

// stepTasks is the number of tasks on a node in Slurm's list for all nodes of a step, as "2(x3),1"; 0 if
// that does not say it, as outside of a step.
func stepTasks(list, node string) int {
	at, err := strconv.Atoi(node)
	if err != nil {
		return 0
	}
	for _, item := range strings.Split(list, ",") {
		m := tasksForm.FindStringSubmatch(item)
		if m == nil {
			return 0
		}
		tasks, _ := strconv.Atoi(m[1])
		nodes := 1
		if m[2] != "" {
			nodes, _ = strconv.Atoi(m[2])
		}
		if at < nodes {
			return tasks
		}
		at -= nodes
	}
	return 0
}
