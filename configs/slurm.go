package configs

import "time"

// Slurm says how the sweep is submitted. Every key may be left out.
type Slurm struct {
	// These are as sbatch takes them.
	Partition, Account, QOS, Gres, GPUs, Constraint, Nodelist, Exclude, Export string

	// Time is the limit of a task, as sbatch takes it: "01:00:00".
	Time string
	// Mem is the memory of a task, as sbatch takes it: "16G".
	Mem string
	// Times and Mems are what attempts at a task ask for, where the sweep lists several: the
	// first, and what retry asks for after a task that it was too little for.
	Times, Mems []string
	// Signal is the warning before the time limit, as in "USR1@120": seconds; "": none.
	Signal string

	// Chunk is the wall time that a task is packed for.
	Chunk time.Duration
	// GPUsPerTask is the number of GPUs of a task that share its matrices out, a trial at a time on each.
	GPUsPerTask int
	// MixDevices lets tasks run on other device models than the first.
	MixDevices bool
	// CPUs are those of a task; 0: not asked for.
	CPUs int
	// Throttle bounds the tasks that run at once; 0: no bound.
	Throttle int
	// MaxSubmit bounds the jobs of the run that are submitted at once; 0: no bound.
	MaxSubmit int
	// Exclusive asks for whole nodes.
	Exclusive bool
	// Setup are shell lines before the task, such as "module load CUDA/12.5".
	Setup []string
	// Wrap is the beginning of the shell command that runs this program, such as "apptainer exec
	// image.sif"; "": none.
	Wrap string
	// Extra are further options of sbatch.
	Extra []string

	// Arrays are the kinds of tasks, each of which measures the whole sweep, on devices of its own type; none:
	// there is one kind.
	Arrays []Array
	// Finish says what the job that merges asks for.
	Finish Finish
	// Dependency is what the tasks of a submission wait for, as sbatch takes it.
	Dependency string
	// Environment has the variables of sbatch that counted where [slurm] says nothing.
	Environment map[string]string
}

// Finish is [slurm.finish]. Where it says nothing, the job that merges asks for little.
type Finish struct {
	// Off says that there is no such job: finish = false.
	Off bool
	// These are as sbatch takes them. Gres may be "none".
	Partition, QOS, Time, Mem, Gres string
}

// keys are those of [slurm].
func (s *Slurm) keys() section {
	return section{
		{"partition", `"edu-short"`, "as sbatch takes it, like account, qos, gres, constraint and nodelist",
			text(&s.Partition)},
		{"account", `"project"`, "", text(&s.Account)},
		{"qos", `"normal"`, "", text(&s.QOS)},
		{"time", `"01:00:00"`, `limit of one task; a list, as ["1:00:00", "4:00:00"], is for retry, after a task ` +
			"that ran out of time", steps(&s.Time, &s.Times, timeForm)},
		{"gres", `"gpu:a30:1"`, "", text(&s.Gres)},
		{"gpus", "0", `per task, instead of gres; or with a type: "a30:1"`, s.readGPUs},
		{"constraint", `"a30"`, "", text(&s.Constraint)},
		{"cpus", "4", "per task", count(&s.CPUs, 0)},
		{"mem", `"16G"`, `per task; a list, as ["4G", "8G", "16G"], is for retry, after a task that ran out of memory`,
			steps(&s.Mem, &s.Mems, memForm)},
		{"exclusive", "false", "true: whole nodes", flag(&s.Exclusive)},
		{"nodelist", `"node[01-04]"`, "", text(&s.Nodelist)},
		{"exclude", `"node05"`, "", text(&s.Exclude)},
		{"throttle", "8", "most tasks of the run at once; 0: no bound", count(&s.Throttle, 0)},
		{"max_submit", "0", "most jobs submitted at once; the job that merges sends the rest; 0: no bound but the cluster's",
			count(&s.MaxSubmit, 0)},
		{"export", `"ALL"`, `as sbatch takes it; "NONE" where sites demand that`, text(&s.Export)},
		{"setup", `["module load CUDA/12.5"]`, "shell lines before a task", lines(&s.Setup)},
		{"wrap", `"apptainer exec --nv image.sif"`, "what runs our program in jobs, in the shell's words; '' quote blanks",
			matching(&s.Wrap, lineForm)},
		{"extra", `["--mail-type=END"]`, "further options of sbatch", s.readExtra},
		{"chunk", `"20m"`, "wall time that a task is packed for", duration(&s.Chunk, true)},
		{"signal", `"USR1@120"`, "warn a task this many seconds before its limit, so that it ends in good order; " +
			`"": no warning`, s.readSignal},
		{"gpus_per_task", "1", "GPUs of a task that share its matrices out, a trial at a time on each",
			count(&s.GPUsPerTask, 1)},
		{"mix_devices", "false", "true: tasks may measure on other device models than the first task's",
			flag(&s.MixDevices)},
	}
}

// keys are those of [slurm.finish].
func (f *Finish) keys() section {
	return section{
		{"partition", `"serial"`, "default: that of the tasks, like qos", text(&f.Partition)},
		{"qos", `"normal"`, "", text(&f.QOS)},
		{"time", `"00:20:00"`, "default: by the number of trials, as far as the partition allows",
			matching(&f.Time, timeForm)},
		{"mem", `"1G"`, "default: by the number of trials", matching(&f.Mem, memForm)},
		{"gres", `"none"`, "default: none, unless the partition takes no job without", text(&f.Gres)},
	}
}

// slurm reads [slurm]. What the cluster knows, such as the names of its partitions, is left
// for it to check.
func (t *table) slurm() Slurm {
	s := Slurm{Chunk: 20 * time.Minute, Signal: "USR1@120", GPUsPerTask: 1}
	t.read(append(s.keys(), key{name: "finish", read: s.readFinish}, key{name: "array", read: s.readArrays}))
	return s
}
