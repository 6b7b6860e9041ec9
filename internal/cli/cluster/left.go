package cluster

import (
	"errors"
	"fmt"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/slurm/submit"
)

// leftAlone is the error of a command that has left jobs of other users alone; nil if there are none.
func leftAlone(name string, run *slurm.Run, left []submit.Left) error {
	var what, who []string
	for _, l := range left {
		jobs := "jobs whose numbers the run has lost"
		if n := len(l.Jobs); n > 0 {
			jobs = term.Noun(n, "job ", "jobs ") + term.Some(l.Jobs, command.FewNames)
		}
		what = append(what, fmt.Sprintf("%s, sent by %s, %s", jobs, l.User, l.Why))
		who = append(who, l.User)
	}
	if len(left) == 0 {
		return nil
	}
	hint := fmt.Sprintf("`%s` by %s reaches them, or an operator of Slurm", onRun(name, run), strings.Join(who, " and "))
	return command.WithHint(errors.New("left alone: "+strings.Join(what, "; ")), hint)
}
