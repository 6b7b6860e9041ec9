package submit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spmvtune/configs"
	"spmvtune/slurm"
)

// batches cuts n chunks into arrays of at most most tasks, and adds the job that
// ends the round.
func batchesOf(r *slurm.Run, round, n, most int) []slurm.Batch {
	var all []slurm.Batch
	for base := 0; base < n; base += most {
		name := fmt.Sprintf("%s.%d.%d", r.JobName(), round, len(all))
		all = append(all, slurm.Batch{Name: name, Round: round, Base: base, Tasks: min(most, n-base)})
	}
	return append(all, finishOf(r, round))
}

// finishOf is the job that ends a round.
func finishOf(r *slurm.Run, round int) slurm.Batch {
	return slurm.Batch{Name: fmt.Sprintf("%s.%d.finish", r.JobName(), round), Round: round}
}

// args are the arguments of sbatch for b, which starts when the jobs in after have
// ended.
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

// options are the options of sbatch for b. Those of [slurm] extra come first: of an
// option that is given twice sbatch takes the last. The job that ends a round gets
// no GPU, and need not run where one is.
func optionsOf(r *slurm.Run, b slurm.Batch, s configs.Slurm) []string {
	var list []string
	add := func(name, value string) {
		if value != "" {
			list = append(list, "--"+name+"="+value)
		}
	}
	number := func(name string, n int) {
		if n > 0 {
			add(name, strconv.Itoa(n))
		}
	}
	if b.Finish() {
		list = slices.DeleteFunc(slices.Clone(s.Extra), forDevice)
	} else {
		list = slices.Clone(s.Extra)
	}
	add("partition", s.Partition)
	add("account", s.Account)
	add("qos", s.QOS)
	add("time", s.Time)
	number("cpus-per-task", s.CPUs)
	add("mem", s.Mem)
	if !b.Finish() {
		add("gres", s.Gres)
		add("gpus", s.GPUs)
		add("constraint", s.Constraint)
		add("nodelist", s.Nodelist)
		if s.Exclusive {
			list = append(list, "--exclusive")
		}
		array := fmt.Sprintf("0-%d", b.Tasks-1)
		if s.Throttle > 0 {
			array += "%" + strconv.Itoa(s.Throttle)
		}
		add("array", array)
		if s.Signal != "" {
			add("signal", "B:"+s.Signal)
		}
		add("output", logPattern(r, "%A_%a.log"))
	} else {
		add("output", logPattern(r, "%j.log"))
	}
	add("nodes", "1")
	add("ntasks", "1")
	add("job-name", b.Name)
	add("open-mode", "append")
	add("chdir", r.Dir)
	return append(list, "--requeue")
}

// forDevice reports whether an option of sbatch asks for a GPU, or for the nodes
// that have one.
func forDevice(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	for _, prefix := range []string{"--gpu", "--gres", "--tres", "--exclusive", "--constraint", "--prefer", "--cpus-per-gpu", "--mem-per-gpu", "--ntasks-per-gpu", "-G", "-C"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// logPattern is the --output of jobs whose logs are called name in the run's
// folder, as logs/%A_%a.log: in the folder's own path, % stands for itself. A
// relative path would not do: Slurm expands its folder, too.
func logPattern(r *slurm.Run, name string) string {
	return strings.ReplaceAll(r.Path(slurm.LogsDir), "%", "%%") + "/" + name
}
