package slurm

import (
	"fmt"
	"os"
	"strings"
	"unicode"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/sparse/cache"
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
	const task = "exec %s%s task %s --round \"$spmvtune_round\" --base \"$spmvtune_base\" " +
		"${spmvtune_warned:+\"--warned=$spmvtune_warned\"}\n"
	fmt.Fprintf(&b, task, wrapOf(s), term.Shell(r.program()), term.Shell(r.Dir))
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

// wrapOf is what comes before the program in a script.
func wrapOf(s configs.Slurm) string {
	if s.Wrap == "" {
		return ""
	}
	return s.Wrap + " "
}

// FinishScriptText is the script of the job that ends a round. Its argument is the round. It
// does without the lines of setup: on a node without a GPU they may fail, and merging needs
// none of them.
func (r *Run) FinishScriptText(s configs.Slurm) string {
	return fmt.Sprintf("#!/bin/bash\n# Merges what the tasks of %s measured. Argument: the round.\nset -eu\n"+
		"exec %s%s merge %s --round \"$1\"\n", r.JobName(), wrapOf(s), term.Shell(r.program()), term.Shell(r.Dir))
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
