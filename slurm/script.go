// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/sparse/cache"
)

// Note: the scripts contain what is the same for all tasks, and no options of sbatch. Options
// are arguments of sbatch, which need no quoting. What tasks need of the environment is in the
// script, so that no value of the user's has to fit into the list of --export, with commas.

// TaskScriptText is the script of the tasks of all rounds. Its arguments are the round, and the
// index in it of the array's first task. It ends in exec, so that the signal before the time
// limit reaches the program itself.
func (r *Run) TaskScriptText(s configs.Slurm) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/bash\n# A task of %s. Arguments: the round, and the index in it of this array's first task.\n",
		r.JobName())
	// A line of setup that fails ends the task, and its log says why. Unset variables are
	// allowed, because the module and conda scripts of many systems use some. Scripts that
	// setup sources must not see our arguments.
	if folder := os.Getenv(cache.Env); folder != "" && s.Export != "" && !strings.HasPrefix(s.Export, "ALL") {
		fmt.Fprintf(&b, "export %s=%s\n", cache.Env, term.Shell(folder))
	}
	b.WriteString("set -e\nspmvtune_round=${1:?} spmvtune_base=${2:?} spmvtune_warned=\nset --\n")
	warnings := Warnings(s.Signal)
	if len(s.Setup) > 0 {
		// The warning may come during setup, and would end it. Bash heeds it after the
		// running command, and the program is told.
		for _, name := range warnings {
			fmt.Fprintf(&b, "trap spmvtune_warned=%s %s\n", name, name)
		}
		for _, line := range s.Setup {
			b.WriteString(line + "\n")
		}
	}

	// An ignored signal stays ignored through exec, until the program watches for it: a
	// warning in that moment is lost, but does not end the task.
	fmt.Fprintf(&b, "trap '' %s\n", strings.Join(warnings, " "))
	const task = "exec %s task %s --round \"$spmvtune_round\" --base \"$spmvtune_base\" " +
		"${spmvtune_warned:+\"--warned=$spmvtune_warned\"}\n"
	fmt.Fprintf(&b, task, r.command(s), term.Shell(r.Dir))
	return b.String()
}

// Warnings returns the names of the signals that warn a task that its time ends: USR1, and the
// signal of [slurm] signal, as "USR2@60". A signal that also ends tasks does not count: a
// cancelled job would be started again.
func Warnings(signal string) []string {
	switch name, _, _ := strings.Cut(signal, "@"); name {
	case "", "USR1", "TERM", "INT":
		return []string{"USR1"}
	default:
		return []string{"USR1", name}
	}
}

// command is how a script starts the program.
func (r *Run) command(s configs.Slurm) string {
	return strings.TrimSpace(s.Wrap + " " + term.Shell(r.program()))
}

// FinishScriptText is the script of the job that ends a round. Its argument is the round. It
// does without the lines of setup: on a node without a GPU they may fail, and merging needs
// none of them.
func (r *Run) FinishScriptText(s configs.Slurm) string {
	return fmt.Sprintf("#!/bin/bash\n# Merges what the tasks of %s measured. Argument: the round.\nset -eu\n"+
		"exec %s merge %s --round \"$1\"\n", r.JobName(), r.command(s), term.Shell(r.Dir))
}

// checkDir refuses folders in which Slurm can't work.
func checkDir(dir string) error {
	switch {
	case strings.ContainsFunc(dir, unicode.IsControl):
		return fmt.Errorf("the path of the folder %q has a control character, such as a newline: "+
			"give another with --runs", dir)
	case strings.Contains(dir, `\`):
		// In a file name of Slurm's a backslash disables every %, so tasks could not have
		// logs of their own.
		return fmt.Errorf("the path of the folder %q has a backslash, and Slurm can't name logs there: "+
			"give another with --runs", dir)
	}
	return nil
}

var (
	// rivals begin the options that say the same in several ways: of memory, and of GPUs.
	rivals = [][]string{{"--mem"}, {"--gpu", "--gres", "--tres", "-G"}}

	// counted are the options of sbatch of whose variables none contradicts what a task needs. [slurm] may have a key
	// for one.
	counted = strings.Fields("account partition qos time constraint export mem mem-per-cpu mem-per-gpu gres gpus " +
		"gpus-per-node gpus-per-task cpus-per-gpu exclusive reservation wckey hint threads-per-core core-spec network")
)

// variableOf is the variable by which users tell sbatch an option.
func variableOf(option string) string {
	name := cmp.Or(map[string]string{"time": "timelimit", "mem": "mem-per-node"}[option], option)
	return "SBATCH_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Option is what [slurm] says for an option of sbatch; nil if it has no such key, or one that is no text.
func Option(s *configs.Slurm, name string) *string {
	return map[string]*string{
		"account": &s.Account, "constraint": &s.Constraint, "exclude": &s.Exclude, "export": &s.Export,
		"gpus": &s.GPUs, "gres": &s.Gres, "mem": &s.Mem, "nodelist": &s.Nodelist, "partition": &s.Partition,
		"qos": &s.QOS, "time": &s.Time,
	}[name]
}

// WithEnvironment returns s with what variables of sbatch say where s says nothing, as for a
// plain sbatch. Those that count are in its Environment.
func WithEnvironment(s configs.Slurm, getenv func(string) string) configs.Slurm {
	s.Environment = nil
	for _, option := range counted {
		name := variableOf(option)
		value := getenv(name)
		if value == "" || slices.ContainsFunc(namesOf(s), func(said string) bool { return alike(said, "--"+option) }) {
			continue
		}

		if text := Option(&s, option); text != nil {
			*text = value
		} else {
			s.Extra = append(slices.Clip(s.Extra), "--"+option+"="+value)
		}
		if s.Environment == nil {
			s.Environment = map[string]string{}
		}
		s.Environment[name] = value
	}

	return s
}

// alike reports whether two options say the same.
func alike(a, b string) bool {
	return a == b || slices.ContainsFunc(rivals, func(group []string) bool {
		has := func(option string) bool {
			return slices.ContainsFunc(group, func(begins string) bool { return strings.HasPrefix(option, begins) })
		}
		return has(a) && has(b)
	})
}

// namesOf returns the names of the options that [slurm] asks for, as far as a variable may
// contradict them.
func namesOf(s configs.Slurm) []string {
	var names []string
	for _, option := range s.Extra {
		name, _, _ := strings.Cut(option, "=")
		names = append(names, name)
	}
	for _, option := range counted {
		if text := Option(&s, option); text != nil && *text != "" {
			names = append(names, "--"+option)
		}
	}
	if s.Exclusive {
		names = append(names, "--exclusive")
	}
	return names
}

// VariableOf returns the variable of sbatch that counted for a key of [slurm], "" for none.
func VariableOf(s configs.Slurm, key string) string {
	name := variableOf(key)
	if _, counts := s.Environment[name]; !counts {
		return ""
	}
	return name
}

// SaysMemory reports whether [slurm] says how much memory tasks get.
func SaysMemory(s configs.Slurm) bool {
	return slices.ContainsFunc(namesOf(s), func(name string) bool { return alike(name, "--mem") })
}
