package configs

import (
	"fmt"
	"slices"
	"strings"
)

// A managed option of sbatch is one that spmvtune gives itself, so that it can't be
// among extra. Key is the key to use instead, "" if there is none.
type managed struct{ long, short, key string }

var managedOptions = []managed{
	{"partition", "p", "partition"}, {"account", "A", "account"}, {"qos", "q", "qos"}, {"time", "t", "time"},
	{"gres", "", "gres"}, {"gpus", "G", "gpus"}, {"constraint", "C", "constraint"}, {"cpus-per-task", "c", "cpus"},
	{"mem", "", "mem"}, {"exclusive", "", "exclusive"}, {"nodelist", "w", "nodelist"}, {"signal", "", "signal"},
	{"array", "a", "throttle"}, {"output", "o", ""}, {"error", "e", ""}, {"job-name", "J", "name"},
	{"dependency", "d", ""}, {"requeue", "", ""}, {"no-requeue", "", ""}, {"open-mode", "", ""}, {"parsable", "", ""},
	{"wrap", "", "setup"}, {"export", "", "setup"}, {"export-file", "", "setup"}, {"chdir", "D", ""}, {"wait", "W", ""},
	{"test-only", "", ""}, {"nodes", "N", ""}, {"ntasks", "n", ""}, {"clusters", "M", ""}, {"hold", "H", ""}, {"input", "i", ""},
	{"help", "h", ""}, {"usage", "", ""}, {"version", "V", ""}, {"quiet", "Q", ""}, {"verbose", "v", ""},
}

// leastPrefix is how much of an option's name sbatch needs before it completes it.
const leastPrefix = 2

// extra checks one further option of sbatch: it must be an option, with its value in
// the same word, and none that spmvtune manages. sbatch also takes the beginning of a
// long name.
func (t *table) extra(at *place, option string) bool {
	name, _, _ := strings.Cut(option, "=")
	long, isLong := strings.CutPrefix(name, "--")
	short, isShort := strings.CutPrefix(option, "-")
	hint := `write it as sbatch takes it, as in "--mail-type=END"`
	if !isShort || isLong && long == "" || !isLong && short == "" {
		t.failAt(at, "extra", hint, "%q is not an option", option)
		return false
	}
	if strings.ContainsAny(name, " \t") {
		t.failAt(at, "extra", hint, "%q has a blank in its name: write --name=value", option)
		return false
	}
	i := slices.IndexFunc(managedOptions, func(m managed) bool {
		if isLong {
			return m.long == long || len(long) >= leastPrefix && strings.HasPrefix(m.long, long)
		}
		return m.short != "" && strings.HasPrefix(short, m.short)
	})
	if i < 0 {
		return true
	}
	m := managedOptions[i]
	remedy := "leave it out"
	if m.key != "" {
		remedy = fmt.Sprintf("use the key %s instead", m.key)
	}
	t.failAt(at, "extra", remedy, "--%s is managed by spmvtune", m.long)
	return false
}
