package configs

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// The forms of sbatch --time: minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS.
	slurmTime   = regexp.MustCompile(`^(\d+(:\d{1,2}){0,2}|\d+-\d{1,2}(:\d{1,2}){0,2})$`)
	slurmGPUs   = regexp.MustCompile(`^([A-Za-z][\w.-]*:)?[1-9]\d{0,3}$`)
	slurmSignal = regexp.MustCompile(`^(USR1|USR2|TERM|INT|HUP|ALRM)@[1-9]\d{0,4}$`)
	// The form of sbatch --mem: megabytes, or with a unit.
	slurmMem = regexp.MustCompile(`^\d+[KMGTkmgt]?$`)
)

// Slurm says how the sweep is submitted. Every key may be left out.
type Slurm struct {
	// These are as sbatch takes them.
	Partition, Account, QOS, Gres, GPUs, Constraint, Nodelist string

	// Time is the limit of a task, as sbatch takes it: "01:00:00".
	Time string
	// Mem is the memory of a task, as sbatch takes it: "16G".
	Mem string
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
	// Exclusive asks for whole nodes.
	Exclusive bool
	// Setup are shell lines before the task, such as "module load CUDA/12.5".
	Setup []string
	// Extra are further options of sbatch.
	Extra []string
}

// keys are those of [slurm].
func (s *Slurm) keys() section {
	return section{
		{"partition", `"edu-short"`, "as sbatch takes it, like account, qos, gres, constraint and nodelist",
			text(&s.Partition)},
		{"account", `"project"`, "", text(&s.Account)},
		{"qos", `"normal"`, "", text(&s.QOS)},
		{"time", `"01:00:00"`, "limit of one task", matching(&s.Time, slurmTime,
			"is not a time limit", `write "HH:MM:SS" or "D-HH:MM:SS"`)},
		{"gres", `"gpu:a30:1"`, "", text(&s.Gres)},
		{"gpus", "0", `per task, instead of gres; or with a type: "a30:1"`, s.readGPUs},
		{"constraint", `"a30"`, "", text(&s.Constraint)},
		{"cpus", "4", "per task", count(&s.CPUs, 0)},
		{"mem", `"16G"`, "per task", matching(&s.Mem, slurmMem,
			"is not an amount of memory", `write a number and its unit, as in "16G"`)},
		{"exclusive", "false", "true: whole nodes", flag(&s.Exclusive)},
		{"nodelist", `"node[01-04]"`, "", text(&s.Nodelist)},
		{"throttle", "8", "most tasks at once; 0: no bound", count(&s.Throttle, 0)},
		{"setup", `["module load CUDA/12.5"]`, "shell lines before a task", lines(&s.Setup)},
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

// slurm reads [slurm]. What the cluster knows, such as the names of its partitions, is left
// for it to check.
func (t *table) slurm() Slurm {
	s := Slurm{Chunk: 20 * time.Minute, Signal: "USR1@120", GPUsPerTask: 1}
	t.read(s.keys())
	return s
}

// matching reads a string that is empty or has a form.
func matching(into *string, form *regexp.Regexp, problem, hint string) func(*table, string) {
	return func(t *table, key string) {
		t.text(key, into)
		if *into != "" && !form.MatchString(*into) {
			t.fail(key, hint, "%q %s", *into, problem)
		}
	}
}

func (s *Slurm) readExtra(t *table, key string) {
	for at, option := range t.texts(key) {
		if t.oneLine(at, key, option) && t.extra(at, option) {
			s.Extra = append(s.Extra, option)
		}
	}
}

// readGPUs reads how many GPUs a task asks for: a number, or a type with one.
func (s *Slurm) readGPUs(t *table, key string) {
	switch t.vals[key].(type) {
	case nil:
	case int64:
		var n int
		if t.count(key, &n, 0); n > 0 {
			s.GPUs = strconv.Itoa(n)
		}
	default:
		matching(&s.GPUs, slurmGPUs, "is not a number of GPUs",
			`write a number, or a type and a number, as in "a30:2"`)(t, key)
	}
}

// mostWarning is the most seconds before the limit that sbatch takes.
const mostWarning = 65535

// readSignal reads the warning before the time limit.
func (s *Slurm) readSignal(t *table, key string) {
	if !t.has(key) {
		return
	}
	s.Signal = ""
	matching(&s.Signal, slurmSignal, "is not a warning",
		`write USR1 or another signal and the seconds before the limit, as in "USR1@120"; "" for none`)(t, key)
	if s.Warning() > mostWarning*time.Second {
		t.fail(key, "", "%q is too early: the most is %d seconds", s.Signal, mostWarning)
	}
}

// Warning is how long before its time limit a task is warned, 0 if it is not.
func (s Slurm) Warning() time.Duration {
	_, seconds, _ := strings.Cut(s.Signal, "@")
	n, err := strconv.Atoi(seconds)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}
