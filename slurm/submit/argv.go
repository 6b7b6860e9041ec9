package submit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spmvtune/configs"
	"spmvtune/slurm"
)

// batchesOf cuts chunks of some kinds into arrays of at most most tasks.
func batchesOf(r *slurm.Run, round int, kinds []int, most int) []slurm.Batch {
	var all []slurm.Batch
	for base := 0; base < len(kinds); base += all[len(all)-1].Tasks {
		name := fmt.Sprintf("%s.%d.%d", r.JobName(), round, len(all))
		all = append(all, slurm.Batch{Name: name, Round: round, Base: base, Kind: kinds[base],
			Tasks: min(most, alike(kinds[base:]))})
	}
	return all
}

// alike is how many kinds at the beginning are the same.
func alike(kinds []int) int {
	n := slices.IndexFunc(kinds, func(k int) bool { return k != kinds[0] })
	if n < 0 {
		return len(kinds)
	}
	return n
}

// finishOf returns the job that ends a round.
func finishOf(r *slurm.Run, round int) slurm.Batch {
	return slurm.Batch{Name: fmt.Sprintf("%s.%d.finish", r.JobName(), round), Round: round}
}

// argsOf returns the arguments of sbatch for b, with what it waits for, "" for nothing.
func argsOf(r *slurm.Run, b slurm.Batch, s configs.Slurm, after string) []string {
	list := optionList(optionsOf(r, b, s))
	list.add("dependency", after)
	if b.Finish() {
		return append(list, r.Path(slurm.FinishScript), strconv.Itoa(b.Round))
	}
	return append(list, r.Path(slurm.TaskScript), strconv.Itoa(b.Round), strconv.Itoa(b.Base))
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
// sbatch takes the last value of an option.
func optionsOf(r *slurm.Run, b slurm.Batch, s configs.Slurm) []string {
	var list optionList
	list.add("account", s.Account)
	list.add("exclude", s.Exclude)
	list.add("export", s.Export)
	if b.Finish() {
		list = append(slices.DeleteFunc(slices.Clone(s.Extra), forTask), list...)
		list.addFinish(r, s)
	} else {
		list = append(slices.Clone(s.Extra), list...)
		list.addTasks(r, b, s.Of(b.Kind))
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
	l.add("partition", s.Partition)
	l.add("qos", s.QOS)
	l.add("time", s.Time)
	l.add("mem", s.Mem)
	if s.CPUs > 0 {
		l.add("cpus-per-task", strconv.Itoa(s.CPUs))
	}
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

// addFinish adds the options of the job that ends a round: one processor of any node of its
// partition, unless [slurm.finish] says more.
func (l *optionList) addFinish(r *slurm.Run, s configs.Slurm) {
	l.add("partition", cmp.Or(s.Finish.Partition, s.Partition))
	l.add("qos", cmp.Or(s.Finish.QOS, s.QOS))
	l.add("time", s.Finish.Time)
	l.add("mem", s.Finish.Mem)
	if s.Finish.Gres != "none" {
		l.add("gres", s.Finish.Gres)
	}
	l.add("output", logPattern(r, "%j.log"))
}

// forTask reports whether an option of sbatch in [slurm] extra is about what tasks need: a GPU, nodes
// of a kind, memory or processors.
func forTask(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	prefixes := []string{
		"--gpu", "--gres", "--tres", "--exclusive", "--constraint", "--prefer", "--mem", "--cpus-per-gpu",
		"--ntasks-per", "--threads-per-core", "--core-spec", "--hint", "--time-min", "-G", "-C",
	}
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// logPattern returns the --output of jobs whose logs are called name, as logs/%A_%a.log in the
// run's folder. In the path of the folder % stands for itself. A relative path would not help:
// Slurm expands the folder before it, too.
func logPattern(r *slurm.Run, name string) string {
	return strings.ReplaceAll(r.Path(slurm.LogsDir), "%", "%%") + "/" + name
}
