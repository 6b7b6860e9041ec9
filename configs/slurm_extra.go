package configs

import (
	"fmt"
	"slices"
	"strings"
)

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
	hint := `write it as sbatch takes it, as in "--mail-type=END"`
	refuse := func(hint, format string, args ...any) bool {
		t.failAt(at, "extra", hint, format, args...)
		return false
	}
	if !strings.HasPrefix(name, "-") || strings.Trim(name, "-") == "" {
		return refuse(hint, "%q is not an option", option)
	}

	if strings.ContainsAny(name, " \t") {
		return refuse(hint, "%q has a blank in its name: write --name=value", option)
	}
	if m, ok := managedIn(name); ok {
		remedy := "leave it out"
		if m.key != "" {
			remedy = fmt.Sprintf("use the key %s instead", m.key)
		}
		return refuse(remedy, "--%s is managed by spmvtune", m.long)
	}

	long, isLong := strings.CutPrefix(name, "--")
	switch {
	case isLong && !hasValue && !slices.ContainsFunc(flagOptions,
		func(f string) bool { return strings.HasPrefix(f, long) }):
		return refuse(fmt.Sprintf(`write "%s=VALUE"`, name), "%q has no value, and would take the next option for one",
			option)
	case !isLong && len(option) == 2 && !strings.Contains(shortFlags, option[1:]):
		return refuse(fmt.Sprintf(`write "%sVALUE"`, option), "%q has no value, and would take the next option for one",
			option)
	}

	return true
}

// managedIn finds a managed option in a word without its value. sbatch takes any unambiguous
// prefix of a long name, and several letters after one dash.
func managedIn(name string) (managed, bool) {
	long, isLong := strings.CutPrefix(name, "--")
	// The first letter that is not a flag is an option, and the rest is its value. The rest
	// after -k is also a value.
	short := strings.TrimLeft(strings.TrimPrefix(name, "-"), "Os")
	i := slices.IndexFunc(managedOptions, func(m managed) bool {
		if isLong {
			return strings.HasPrefix(m.long, long)
		}
		return m.short != "" && strings.HasPrefix(short, m.short)
	})

	if i < 0 {
		return managed{}, false
	}
	return managedOptions[i], true
}
