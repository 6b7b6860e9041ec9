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

// slurm reads [slurm]. What the cluster knows, such as the names of its
// partitions, is left for it to check.
func (t *table) slurm() Slurm {
	s := Slurm{Chunk: 20 * time.Minute, Signal: "USR1@120", GPUsPerTask: 1}
	t.only(slurmKeys)
	t.text("partition", &s.Partition)
	t.text("account", &s.Account)
	t.text("qos", &s.QOS)
	t.text("time", &s.Time)
	t.text("gres", &s.Gres)
	t.text("constraint", &s.Constraint)
	t.text("mem", &s.Mem)
	t.text("nodelist", &s.Nodelist)
	t.gpus(&s.GPUs)
	t.count("gpus_per_task", &s.GPUsPerTask, 1)
	t.flag("mix_devices", &s.MixDevices)
	t.signal(&s.Signal)
	t.count("cpus", &s.CPUs, 0)
	t.count("throttle", &s.Throttle, 0)
	t.flag("exclusive", &s.Exclusive)
	if s.Time != "" && !slurmTime.MatchString(s.Time) {
		t.fail("time", `write "HH:MM:SS" or "D-HH:MM:SS"`, "%q is not a time limit", s.Time)
	}
	if s.Mem != "" && !slurmMem.MatchString(s.Mem) {
		t.fail("mem", `write a number and its unit, as in "16G"`, "%q is not an amount of memory", s.Mem)
	}
	t.duration("chunk", &s.Chunk, true)
	for at, line := range t.texts("setup") {
		t.oneLine(at, "setup", line)
		s.Setup = append(s.Setup, line)
	}
	for at, option := range t.texts("extra") {
		if t.oneLine(at, "extra", option) && t.extra(at, option) {
			s.Extra = append(s.Extra, option)
		}
	}
	return s
}

// gpus reads how many GPUs a task asks for: a number, or a type with one.
func (t *table) gpus(into *string) {
	const key = "gpus"
	switch t.vals[key].(type) {
	case nil:
	case int64:
		var n int
		if t.count(key, &n, 0); n > 0 {
			*into = strconv.Itoa(n)
		}
	default:
		var s string
		if t.text(key, &s); s != "" && !slurmGPUs.MatchString(s) {
			t.fail(key, `write a number, or a type and a number, as in "a30:2"`, "%q is not a number of GPUs", s)
		} else {
			*into = s
		}
	}
}

// mostWarning is the most seconds before the limit that sbatch takes.
const mostWarning = 65535

// signal reads the warning before the time limit.
func (t *table) signal(into *string) {
	const key = "signal"
	var s string
	if !t.has(key) {
		return
	}
	if t.text(key, &s); s != "" && !slurmSignal.MatchString(s) {
		t.fail(key, `write USR1 or another signal and the seconds before the limit, as in "USR1@120"; "" for none`, "%q is not a warning", s)
		return
	}
	*into = s
	if (Slurm{Signal: s}).Warning() > mostWarning*time.Second {
		t.fail(key, "", "%q is too early: the most is %d seconds", s, mostWarning)
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
