package slurm

import (
	"fmt"
	"strings"
	"unicode"

	"spmvtune/configs"
	"spmvtune/internal/term"
)

// Note: the scripts hold what is the same for all tasks, and no option of sbatch:
// options are arguments of sbatch, where nothing needs quoting. There is no
// --export, so nothing of the user's has to fit into a list with commas.

// taskScriptText is the script of the tasks of all rounds; its arguments are the
// round, and the place in it of the array's first task. It ends in exec, so that
// the signal before the time limit reaches the program itself.
func (r *Run) TaskScriptText(s configs.Slurm) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/bash\n# A task of %s. Arguments: the round, and the place in it of this array's first task.\n", r.JobName())
	// A setup line that fails ends the task, and its log says why. Unset variables
	// are no mistake here: many systems' module and conda scripts have some. Nor
	// may a script that setup sources find our arguments.
	b.WriteString("set -e\nspmvtune_round=${1:?} spmvtune_base=${2:?} spmvtune_warned=\nset --\n")
	warnings := Warnings(s.Signal)
	if len(s.Setup) > 0 {
		// The warning may come while setup still runs, which it would end. Bash heeds it
		// after the running command, and the program is told.
		for _, name := range warnings {
			fmt.Fprintf(&b, "trap spmvtune_warned=%s %s\n", name, name)
		}
		for _, line := range s.Setup {
			b.WriteString(line + "\n")
		}
	}
	// What is ignored stays so through exec, until the program watches for it: in the
	// moment before that, a warning is lost, but does not end the task.
	fmt.Fprintf(&b, "trap '' %s\n", strings.Join(warnings, " "))
	fmt.Fprintf(&b, "exec %s task %s --round \"$spmvtune_round\" --base \"$spmvtune_base\" ${spmvtune_warned:+\"--warned=$spmvtune_warned\"}\n",
		term.Shell(r.program()), term.Shell(r.Dir))
	return b.String()
}

// Warnings are the names of the signals that warn a task that its time ends, where
// signal is that of [slurm], as "USR2@60": it, and USR1 in any case. One that also ends
// tasks is none: whoever cancels a job would find it started again.
func Warnings(signal string) []string {
	switch name, _, _ := strings.Cut(signal, "@"); name {
	case "", "USR1", "TERM", "INT":
		return []string{"USR1"}
	default:
		return []string{"USR1", name}
	}
}

// finishScriptText is the script of the job that ends a round; its argument is the
// round. The lines of setup are for the tasks: on a node without a GPU they may
// fail, and merging needs none of them.
func (r *Run) FinishScriptText() string {
	return fmt.Sprintf("#!/bin/bash\n# Merges what the tasks of %s measured. Argument: the round.\nset -eu\nexec %s merge %s --round \"$1\"\n",
		r.JobName(), term.Shell(r.program()), term.Shell(r.Dir))
}

// program is the copy of the program that the jobs run.
func (r *Run) program() string { return r.Path(binDir, programName) }

// cudaProgram is the copy of the one built with CUDA, which need not be there.
func (r *Run) cudaProgram() string { return r.Path(binDir, cudaName) }

// checkDir refuses folders that Slurm can't work in.
func checkDir(dir string) error {
	switch {
	case strings.ContainsFunc(dir, unicode.IsControl):
		return fmt.Errorf("the path of the folder %q has a control character, such as a newline: give another with --runs", dir)
	case strings.Contains(dir, `\`):
		// A backslash switches off all % in a name of Slurm's, so tasks could not
		// have logs of their own.
		return fmt.Errorf("the path of the folder %q has a backslash, and Slurm can't name logs there: give another with --runs", dir)
	}
	return nil
}
