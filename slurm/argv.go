package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spmvtune/configs"
)

// A Batch is what one sbatch sends: an array of tasks, or the job that ends a round.
type Batch struct {
	Name  string `json:"name"`  // of the job, unique: NAME-ID.ROUND.N or NAME-ID.ROUND.finish
	Round int    `json:"round"` // from 1
	Base  int    `json:"base"`  // place in the round of the chunk of task 0
	Tasks int    `json:"tasks"` // 0: the job that ends the round
}

// Finish reports whether b is the job that ends its round.
func (b Batch) Finish() bool { return b.Tasks == 0 }

// batches cuts n chunks into arrays of at most most tasks, and adds the job that
// ends the round.
func (r *Run) batches(round, n, most int) []Batch {
	var all []Batch
	for base := 0; base < n; base += most {
		name := fmt.Sprintf("%s.%d.%d", r.JobName(), round, len(all))
		all = append(all, Batch{name, round, base, min(most, n-base)})
	}
	return append(all, r.finishOf(round))
}

// finishOf is the job that ends a round.
func (r *Run) finishOf(round int) Batch {
	return Batch{Name: fmt.Sprintf("%s.%d.finish", r.JobName(), round), Round: round}
}

// args are the arguments of sbatch for b, which starts when the jobs in after have
// ended.
func (r *Run) args(b Batch, s configs.Slurm, after []string) []string {
	options := r.options(b, s)
	if len(after) > 0 {
		options = append(options, "--dependency=afterany:"+strings.Join(after, ":"))
	}
	if b.Finish() {
		return append(options, r.Path(finishScript), strconv.Itoa(b.Round))
	}
	return append(options, r.Path(taskScript), strconv.Itoa(b.Round), strconv.Itoa(b.Base))
}

// options are the options of sbatch for b. Those of [slurm] extra come first: of an
// option that is given twice sbatch takes the last. The job that ends a round gets
// no GPU, and need not run where one is.
func (r *Run) options(b Batch, s configs.Slurm) []string {
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
		add("output", r.logPattern("%A_%a.log"))
	} else {
		add("output", r.logPattern("%j.log"))
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
