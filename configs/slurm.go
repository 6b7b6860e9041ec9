package configs

import (
	"regexp"
	"strings"
	"time"
)

var (
	// The forms of sbatch --time: minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS.
	slurmTime = regexp.MustCompile(`^(\d+(:\d{1,2}){0,2}|\d+-\d{1,2}(:\d{1,2}){0,2})$`)
	// The form of sbatch --mem: megabytes, or with a unit.
	slurmMem = regexp.MustCompile(`^\d+[KMGTkmgt]?$`)
)

// slurm reads [slurm]. What the cluster knows, such as the names of its
// partitions, is left for it to check.
func (t *table) slurm() Slurm {
	var s Slurm
	t.only(slurmKeys)
	t.text("partition", &s.Partition)
	t.text("account", &s.Account)
	t.text("qos", &s.QOS)
	t.text("time", &s.Time)
	t.text("gres", &s.Gres)
	t.text("constraint", &s.Constraint)
	t.text("mem", &s.Mem)
	t.text("nodelist", &s.Nodelist)
	t.count("gpus", &s.GPUs, 0)
	t.count("cpus", &s.CPUs, 0)
	t.count("throttle", &s.Throttle, 0)
	t.flag("exclusive", &s.Exclusive)
	if s.Time != "" && !slurmTime.MatchString(s.Time) {
		t.fail("time", `write "HH:MM:SS" or "D-HH:MM:SS"`, "%q is not a time limit", s.Time)
	}
	if s.Mem != "" && !slurmMem.MatchString(s.Mem) {
		t.fail("mem", `write a number and its unit, as in "16G"`, "%q is not an amount of memory", s.Mem)
	}
	var chunk time.Duration
	if t.duration("chunk", &chunk, true); chunk > 0 {
		s.Chunk = t.vals["chunk"].(string)
	}
	for at, line := range t.texts("setup") {
		t.oneLine(at, "setup", line)
		s.Setup = append(s.Setup, line)
	}
	for at, option := range t.texts("extra") {
		if t.oneLine(at, "extra", option) && !strings.HasPrefix(option, "-") {
			t.failAt(at, "extra", `write it as sbatch takes it, as in "--mail-type=END"`, "%q is not an option", option)
		}
		s.Extra = append(s.Extra, option)
	}
	return s
}
