package submit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spmvtune/configs"
	"spmvtune/slurm"
)

// batchesOf cuts n chunks into arrays of at most most tasks, and adds the job that ends the
// round.
func batchesOf(r *slurm.Run, round, n, most int) []slurm.Batch {
	var all []slurm.Batch
	for base := 0; base < n; base += most {
		name := fmt.Sprintf("%s.%d.%d", r.JobName(), round, len(all))
		all = append(all, slurm.Batch{Name: name, Round: round, Base: base, Tasks: min(most, n-base)})
	}
	return append(all, finishOf(r, round))
}

// finishOf returns the job that ends a round.
func finishOf(r *slurm.Run, round int) slurm.Batch {
	return slurm.Batch{Name: fmt.Sprintf("%s.%d.finish", r.JobName(), round), Round: round}
}

// argsOf returns the arguments of sbatch for b, which starts when the jobs in after have ended.
func argsOf(r *slurm.Run, b slurm.Batch, s configs.Slurm, after []string) []string {
	options := optionsOf(r, b, s)
	if len(after) > 0 {
		options = append(options, "--dependency=afterany:"+strings.Join(after, ":"))
	}
	if b.Finish() {
		return append(options, r.Path(slurm.FinishScript), strconv.Itoa(b.Round))
	}
	return append(options, r.Path(slurm.TaskScript), strconv.Itoa(b.Round), strconv.Itoa(b.Base))
}

// An optionList collects options of sbatch.
type optionList []string

// add adds an option, unless its value is empty.
func (l *optionList) add(name, value string) {
	if value != "" {
		*l = append(*l, "--"+name+"="+value)
	}
}

// optionsOf returns the options of sbatch for b. Those of [slurm] extra come first, because
// sbatch takes the last value of an option. The job that ends a round gets no GPU, and may run
// on any node.
func optionsOf(r *slurm.Run, b slurm.Batch, s configs.Slurm) []string {
	list := optionList(slices.Clone(s.Extra))
	if b.Finish() {
		list = slices.DeleteFunc(list, forDevice)
	}
	list.add("partition", s.Partition)
	list.add("account", s.Account)
	list.add("qos", s.QOS)
	list.add("time", s.Time)
	if s.CPUs > 0 {
		list.add("cpus-per-task", strconv.Itoa(s.CPUs))
	}
	list.add("mem", s.Mem)
	if b.Finish() {
		list.add("output", logPattern(r, "%j.log"))
	} else {
		list.addTasks(r, b, s)
	}

	list.add("nodes", "1")
	list.add("ntasks", "1")
	list.add("job-name", b.Name)
	list.add("open-mode", "append")
	list.add("chdir", r.Dir)
	return append(list, "--requeue")
}

// addTasks adds the options of an array of tasks.
func (l *optionList) addTasks(r *slurm.Run, b slurm.Batch, s configs.Slurm) {
	l.add("gres", s.Gres)
	l.add("gpus", s.GPUs)
	l.add("constraint", s.Constraint)
	l.add("nodelist", s.Nodelist)
	if s.Exclusive {
		*l = append(*l, "--exclusive")
	}
	array := fmt.Sprintf("0-%d", b.Tasks-1)
	if s.Throttle > 0 {
		array += "%" + strconv.Itoa(s.Throttle)
	}
	l.add("array", array)
	if s.Signal != "" {
		l.add("signal", "B:"+s.Signal)
	}
	l.add("output", logPattern(r, "%A_%a.log"))
}

// forDevice reports whether an option of sbatch asks for a GPU, or for nodes that have one.
func forDevice(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	prefixes := []string{
		"--gpu", "--gres", "--tres", "--exclusive", "--constraint", "--prefer",
		"--cpus-per-gpu", "--mem-per-gpu", "--ntasks-per-gpu", "-G", "-C",
	}
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// logPattern returns the --output of jobs whose logs are called name, as logs/%A_%a.log in the
// run's folder. In the path of the folder % stands for itself. A relative path would not help:
// Slurm expands the folder before it, too.
func logPattern(r *slurm.Run, name string) string {
	return strings.ReplaceAll(r.Path(slurm.LogsDir), "%", "%%") + "/" + name
}
