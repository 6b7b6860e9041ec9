package configs

import (
	"fmt"
	"regexp"
	"slices"
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
	for _, k := range s.keys() {
		if k.name == name {
			k.read(&t, name)
		}
	}
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
	timeForm = form{slurmTime, "is not a time limit", `write "HH:MM:SS" or "D-HH:MM:SS"`}
	memForm  = form{slurmMem, "is not an amount of memory", `write a number and its unit, as in "16G"`}
	lineForm = form{regexp.MustCompile(`^[^\x00-\x1f]*$`), "is not one line of a shell", "lines before it belong in setup"}
)

// matching reads a string that is empty or has a form.
func matching(into *string, f form) func(*table, string) {
	return func(t *table, key string) {
		t.text(key, into)
		if *into != "" && !f.pattern.MatchString(*into) {
			t.fail(key, f.hint, "%q %s", *into, f.problem)
		}
	}
}

// steps reads a string like matching, or several: the first, and what follows it.
func steps(into *string, all *[]string, f form) func(*table, string) {
	return func(t *table, key string) {
		for at, s := range t.texts(key) {
			if s != "" && !f.pattern.MatchString(s) {
				t.failAt(at, key, f.hint, "%q %s", s, f.problem)
			}
			if s != "" {
				*all = append(*all, s)
			}
		}
		if len(*all) > 0 {
			*into = (*all)[0]
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
		matching(&s.GPUs, form{slurmGPUs, "is not a number of GPUs",
			`write a number, or a type and a number, as in "a30:2"`})(t, key)
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
	matching(&s.Signal, form{slurmSignal, "is not a warning",
		`write USR1 or another signal and the seconds before the limit, as in "USR1@120"; "" for none`})(t, key)
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
