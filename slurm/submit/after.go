package submit

import (
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// afterOf is what the next array of a round waits for: what the user said and, with a throttle, the
// array before, or those of earlier rounds that have not ended.
func afterOf(s configs.Slurm, sent, running []sbatch.JobID, cluster string) string {
	var all []string
	if s.Dependency != "" {
		all = append(all, s.Dependency)
	}
	if s.Throttle > 0 {
		before := running
		if len(sent) > 0 {
			before = sent[len(sent)-1:]
		}
		if after := afterAny(ids(before, nil, cluster)); after != "" {
			all = append(all, after)
		}
	}
	return strings.Join(all, ",")
}

// afterAny is the dependency of a job that starts when others have ended, in any way.
func afterAny(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "afterany:" + strings.Join(ids, ":")
}

// arrays returns the ids of the arrays of tasks among jobs.
func arrays(jobs []slurm.Sent) []sbatch.JobID {
	var list []sbatch.JobID
	for _, j := range jobs {
		if j.ID != "" && !j.Finish() {
			list = append(list, j.JobID)
		}
	}
	return list
}

// arraysOf returns the ids of the arrays that tasks belong to.
func arraysOf(jobs []sbatch.Job) []sbatch.JobID {
	var list []sbatch.JobID
	for _, j := range jobs {
		if j.Task >= 0 {
			list = append(list, j.JobID)
		}
	}
	return list
}

// ids returns the ids of a cluster in first and then, each once.
func ids(first, then []sbatch.JobID, cluster string) []string {
	var list []string
	for _, id := range slices.Concat(first, then) {
		if id.Cluster == cluster && !slices.Contains(list, id.ID) {
			list = append(list, id.ID)
		}
	}
	return list
}
