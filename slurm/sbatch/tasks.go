package sbatch

import (
	"strconv"
	"strings"
)

// mostTasks bounds what one line of sacct can expand to: no array of Slurm's can be longer
// (MaxArraySize is at most 4,000,001).
const mostTasks = 4_000_001

// parseTasks reads a job's id as sacct prints it: "12", "12_3", and "12_[1-3,5,8-20:4%2]" for
// tasks that have not started. The id of a step, as "12.batch", is refused.
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
			break // an old version has cut off the rest
		}
		if tasks, ok = appendTasks(tasks, part); !ok {
			return "", nil, false
		}
	}

	return id, tasks, true
}

// appendTasks adds the tasks that a part of a list names: "5", "1-3" or "8-20:4".
func appendTasks(tasks []int, part string) (all []int, ok bool) {
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
		return nil, false
	}

	first, _ := strconv.Atoi(from)
	last, _ := strconv.Atoi(to)
	for i := first; i <= last; i += step {
		if len(tasks) == mostTasks {
			return nil, false
		}
		tasks = append(tasks, i)
	}

	return tasks, true
}
