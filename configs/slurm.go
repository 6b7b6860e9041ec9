// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/lists"
)

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

// defaultSlurm is that of a sweep that does not say.
var defaultSlurm = Slurm{Chunk: 20 * time.Minute, Signal: "USR1@120", GPUsPerTask: 1}

// keys are those of [slurm].
func (s *Slurm) keys() section {
	return section{
		{name: "partition", example: `"edu-short"`, into: &s.Partition,
			doc: "as sbatch takes it, like account, qos, gres, constraint and nodelist"},
		{name: "account", example: `"project"`, into: &s.Account},
		{name: "qos", example: `"normal"`, into: &s.QOS},
		{name: "time", example: `"01:00:00"`, read: timeForm.steps(&s.Time, &s.Times),
			doc: `limit of one task; a list, as ["1:00:00", "4:00:00"], is for retry, after a task that ran out of time`},
		{name: "gres", example: `"gpu:a30:1"`, into: &s.Gres},
		{name: "gpus", example: "0", read: s.readGPUs, doc: `per task, instead of gres; or with a type: "a30:1"`},
		{name: "constraint", example: `"a30"`, into: &s.Constraint},
		{name: "cpus", example: "4", into: &s.CPUs, doc: "per task"},
		{name: "mem", example: `"16G"`, read: memForm.steps(&s.Mem, &s.Mems),
			doc: `per task; a list, as ["4G", "8G", "16G"], is for retry, after a task that ran out of memory`},
		{name: "exclusive", into: &s.Exclusive, doc: "true: whole nodes"},
		{name: "nodelist", example: `"node[01-04]"`, into: &s.Nodelist},
		{name: "exclude", example: `"node05"`, into: &s.Exclude},
		{name: "throttle", example: "8", into: &s.Throttle, doc: "most tasks of the run at once; 0: no bound"},
		{name: "max_submit", into: &s.MaxSubmit,
			doc: "most jobs submitted at once; the job that merges sends the rest; 0: no bound but the cluster's"},
		{name: "export", example: `"ALL"`, into: &s.Export, doc: `as sbatch takes it; "NONE" where sites demand that`},
		{name: "setup", example: `["module load CUDA/12.5"]`, into: &s.Setup, doc: "shell lines before a task"},
		{name: "wrap", example: `"apptainer exec --nv image.sif"`, into: &s.Wrap, form: &lineForm,
			doc: "what runs our program in jobs, in the shell's words; '' quote blanks"},
		{name: "extra", example: `["--mail-type=END"]`, read: s.readExtra, doc: "further options of sbatch"},
		{name: "chunk", into: &s.Chunk, positive: true, doc: "wall time that a task is packed for"},
		{name: "signal", into: &s.Signal, read: s.readSignal,
			doc: "warn a task this many seconds before its limit, so that it ends in good order; \"\": no warning"},
		{name: "gpus_per_task", into: &s.GPUsPerTask, least: 1,
			doc: "GPUs of a task that share its matrices out, a trial at a time on each"},
		{name: "mix_devices", into: &s.MixDevices,
			doc: "true: tasks may measure on other device models than the first task's"},
	}
}

// keys are those of [slurm.finish].
func (f *Finish) keys() section {
	return section{
		{name: "partition", example: `"serial"`, into: &f.Partition, doc: "default: that of the tasks, like qos"},
		{name: "qos", example: `"normal"`, into: &f.QOS},
		{name: "time", example: `"00:20:00"`, into: &f.Time, form: &timeForm,
			doc: "default: by the number of trials, as far as the partition allows"},
		{name: "mem", example: `"1G"`, into: &f.Mem, form: &memForm, doc: "default: by the number of trials"},
		{name: "gres", example: `"none"`, into: &f.Gres, doc: "default: none, unless the partition takes no job without"},
	}
}

// An Array is [[slurm.array]]: keys of [slurm] with other values, for arrays of tasks that measure
// everything on devices of another type.
type Array map[string]string

// arrayKeys are the keys that it may have.
var arrayKeys = []string{"partition", "qos", "gres", "gpus", "constraint", "nodelist"}

// readArrays reads [[slurm.array]].
func (s *Slurm) readArrays(t *table, name string) {
	for _, sub := range t.sections(name) {
		var one Slurm // to check the values
		sub.read(slices.DeleteFunc(one.keys(), func(k key) bool { return !slices.Contains(arrayKeys, k.name) }))
		a := Array{}
		for name, value := range sub.vals {
			a[name] = fmt.Sprint(value)
		}
		if _, is := a["gpus"]; is {
			a["gpus"] = one.GPUs // "" for 0
		}
		s.Arrays = append(s.Arrays, a)
	}
}

// Kinds is how many kinds of tasks there are: one, or one for each [[slurm.array]].
func (s Slurm) Kinds() int { return max(len(s.Arrays), 1) }

// With returns s with another value of a key for tasks of a kind. The value is a good one.
func (s Slurm) With(kind int, name, value string) Slurm {
	if len(s.Arrays) == 0 {
		s.Set(name, value)
		return s
	}
	s.Arrays = slices.Clone(s.Arrays)
	own := maps.Clone(s.Arrays[kind])
	own[name] = value
	s.Arrays[kind] = own
	return s
}

// Of returns what tasks of a kind ask for.
func (s Slurm) Of(kind int) Slurm {
	var own Array
	if kind < len(s.Arrays) {
		own = s.Arrays[kind]
	}
	s.Arrays = nil
	for name, value := range own {
		s.Set(name, value) // it was checked when the sweep was read
	}
	return s
}

// A managed option of sbatch is one that spmvtune sets itself; extra may not contain it. key is
// the key to use instead, "" if there is none.
type managed struct{ long, short, key string }

var managedOptions = []managed{
	{"partition", "p", "partition"}, {"account", "A", "account"}, {"qos", "q", "qos"}, {"time", "t", "time"},
	{"gres", "", "gres"}, {"gpus", "G", "gpus"}, {"constraint", "C", "constraint"}, {"cpus-per-task", "c", "cpus"},
	{"mem", "", "mem"}, {"exclusive", "", "exclusive"}, {"nodelist", "w", "nodelist"}, {"exclude", "x", "exclude"},
	{"signal", "", "signal"},
	{"array", "a", "throttle"}, {"output", "o", ""}, {"error", "e", ""}, {"job-name", "J", "name"},
	{"dependency", "d", ""}, {"requeue", "", ""}, {"no-requeue", "", ""}, {"open-mode", "", ""}, {"parsable", "", ""},
	{"wrap", "", "setup"}, {"export", "", "export"}, {"export-file", "", "setup"}, {"chdir", "D", ""}, {"wait", "W", ""},
	{"test-only", "", ""}, {"nodes", "N", ""}, {"ntasks", "n", ""}, {"clusters", "M", ""}, {"hold", "H", ""}, {"input",
		"i", ""},
	{"help", "h", ""}, {"usage", "", ""}, {"version", "V", ""}, {"quiet", "Q", ""}, {"verbose", "v", ""},
	{"tasks", "", ""}, // an old name of ntasks
}

// Options of sbatch that need no value, up to Slurm 24.11. Any other option without a value
// would take the next word for it, which is an option of spmvtune's.
var (
	flagOptions = []string{
		"consolidate-segments", "contiguous", "external", "get-user-env", "ignore-pbs", "nice", "no-kill",
		"overcommit", "oversubscribe", "propagate", "reboot", "resv-ports", "spread-job", "stepmgr", "use-min-nodes",
	}
	shortFlags = "Osk"
)

// extra checks one further option of sbatch: it must be an option with its value in the same
// word, and spmvtune must not manage it.
func (t *table) extra(at *position, option string) bool {
	name, _, hasValue := strings.Cut(option, "=")
	long, isLong := strings.CutPrefix(name, "--")
	m, isManaged := managedIn(name)
	hint, problem := `write it as sbatch takes it, as in "--mail-type=END"`, ""
	switch {
	case !strings.HasPrefix(name, "-") || strings.Trim(name, "-") == "":
		problem = fmt.Sprintf("%q is not an option", option)
	case strings.ContainsAny(name, " \t"):
		problem = fmt.Sprintf("%q has a blank in its name: write --name=value", option)
	case isManaged:
		hint, problem = "leave it out", fmt.Sprintf("--%s is managed by spmvtune", m.long)
		if m.key != "" {
			hint = fmt.Sprintf("use the key %s instead", m.key)
		}
	case isLong && !hasValue && !slices.ContainsFunc(flagOptions, func(f string) bool { return strings.HasPrefix(f, long) }):
		hint, problem = fmt.Sprintf(`write "%s=VALUE"`, name), fmt.Sprintf(valueless, option)
	case !isLong && len(option) == 2 && !strings.Contains(shortFlags, option[1:]):
		hint, problem = fmt.Sprintf(`write "%sVALUE"`, option), fmt.Sprintf(valueless, option)
	default:
		return true
	}
	t.failAt(at, "extra", hint, "%s", problem)
	return false
}

const valueless = "%q has no value, and would take the next option for one"

// managedIn finds a managed option in a word without its value. sbatch takes any unambiguous
// prefix of a long name, and several letters after one dash.
func managedIn(name string) (managed, bool) {
	long, isLong := strings.CutPrefix(name, "--")
	// The first letter that is not a flag is an option, and the rest is its value. The rest
	// after -k is also a value.
	short := strings.TrimLeft(strings.TrimPrefix(name, "-"), "Os")
	return lists.First(managedOptions, func(m managed) bool {
		if isLong {
			return strings.HasPrefix(m.long, long)
		}
		return m.short != "" && strings.HasPrefix(short, m.short)
	})
}

// readFinish reads [slurm.finish], or finish = false.
func (s *Slurm) readFinish(t *table, key string) {
	if on, ok := t.vals[key].(bool); ok && !on {
		s.Finish.Off = true
		return
	}
	t.section(key).read(s.Finish.keys())
}

// Settable are the keys of [slurm] that Set can change.
var Settable = []string{
	"partition", "account", "qos", "time", "mem", "gres", "gpus", "constraint", "nodelist", "exclude", "export",
}

// Set changes a key of [slurm] to a text, as retry --set does: "" for what the sweep does not say.
func (s *Slurm) Set(name, value string) error {
	var errs Errors
	t := table{errs: &errs, vals: map[string]any{name: value}, at: &position{}}
	if !slices.Contains(Settable, name) {
		return fmt.Errorf("no key %q can be set: %s can", name, strings.Join(Settable, ", "))
	}
	switch name {
	case "time":
		s.Time, s.Times = "", nil
	case "mem":
		s.Mem, s.Mems = "", nil
	}
	t.read(slices.DeleteFunc(s.keys(), func(k key) bool { return k.name != name }))
	if len(errs) > 0 {
		return fmt.Errorf("%s: %s: %s", name, errs[0].Problem, errs[0].Hint)
	}
	return nil
}

// A form is what a text of sbatch looks like.
type form struct {
	pattern       *regexp.Regexp
	problem, hint string
}

var (
	// What sbatch --time takes: minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS.
	timeForm = form{regexp.MustCompile(`^(\d+(:\d{1,2}){0,2}|\d+-\d{1,2}(:\d{1,2}){0,2})$`), "is not a time limit",
		`write "HH:MM:SS" or "D-HH:MM:SS"`}
	// What sbatch --mem takes: megabytes, or with a unit.
	memForm = form{regexp.MustCompile(`^\d+[KMGTkmgt]?$`), "is not an amount of memory",
		`write a number and its unit, as in "16G"`}
	gpusForm = form{regexp.MustCompile(`^([A-Za-z][\w.-]*:)?[1-9]\d{0,3}$`), "is not a number of GPUs",
		`write a number, or a type and a number, as in "a30:2"`}
	signalForm = form{regexp.MustCompile(`^(USR1|USR2|TERM|INT|HUP|ALRM)@[1-9]\d{0,4}$`), "is not a warning",
		`write USR1 or another signal and the seconds before the limit, as in "USR1@120"; "" for none`}
	lineForm = form{regexp.MustCompile(`^[^\x00-\x1f]*$`), "is not one line of a shell", "lines before it belong in setup"}
)

// check notes a text that is neither empty nor of the form.
func (f form) check(t *table, at *position, key, text string) {
	if text != "" && !f.pattern.MatchString(text) {
		t.failAt(at, key, f.hint, "%q %s", text, f.problem)
	}
}

// steps reads a text of the form, or several: the first, and what follows it.
func (f form) steps(into *string, all *[]string) func(*table, string) {
	return func(t *table, key string) {
		for _, e := range t.texts(key) {
			if f.check(t, e.at, key, e.v); e.v != "" {
				*all = append(*all, e.v)
			}
		}
		if len(*all) > 0 {
			*into = (*all)[0]
		}
	}
}

func (s *Slurm) readExtra(t *table, key string) {
	for _, option := range t.texts(key) {
		if t.oneLine(option.at, key, option.v) && t.extra(option.at, option.v) {
			s.Extra = append(s.Extra, option.v)
		}
	}
}

// readGPUs reads how many GPUs a task asks for: a number, or a type with one.
func (s *Slurm) readGPUs(t *table, name string) {
	switch t.vals[name].(type) {
	case nil:
	case int64:
		var n int
		if t.count(name, &n, 0); n > 0 {
			s.GPUs = strconv.Itoa(n)
		}
	default:
		t.value(key{name: name, into: &s.GPUs, form: &gpusForm})
	}
}

// mostWarning is the most seconds before the limit that sbatch takes.
const mostWarning = 65535

// readSignal reads the warning before the time limit.
func (s *Slurm) readSignal(t *table, name string) {
	if !t.has(name) {
		return
	}
	s.Signal = ""
	t.value(key{name: name, into: &s.Signal, form: &signalForm})
	if s.Warning() > mostWarning*time.Second {
		t.fail(name, "", "%q is too early: the most is %d seconds", s.Signal, mostWarning)
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
