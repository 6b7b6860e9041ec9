package cluster

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/submit"
)

// cancelCommand is the command cancel.
type cancelCommand struct{ runCommand }

func newCancel() *cobra.Command {
	var c cancelCommand
	return c.prepare(&cobra.Command{
		Use:   "cancel RUN",
		Short: "Cancel all jobs of a run, and keep what was measured",
		Long: `cancel cancels all jobs of a run that have not ended. A running task finishes its
trial first, if Slurm leaves it the time (KillWait, usually 30 seconds). What was
measured is kept: merge brings it into the database, and retry continues. Jobs of
other users that Slurm does not let you cancel or see are named; the exit code is 1.`,
		Example: `  spmvtune cancel runs/block-size-20261121-k3fq7a`,
		RunE:    c.Run,
	})
}

// Run cancels the jobs of a run.
func (c *cancelCommand) Run(cmd *cobra.Command, args []string) error {
	if err := c.openToWrite(cmd, args[0], "ask an operator of Slurm", slurm.LedgerFile); err != nil {
		return err
	}
	done, err := submit.Cancel(cmd.Context(), newClient(c.alarm), c.run)
	if err != nil && len(done.Jobs) == 0 && len(done.Left) == 0 {
		return err
	}
	return errors.Join(c.print(done), leftAlone("cancel", c.run, done.Left), err)
}

func (c *cancelCommand) print(done submit.Cancelled) error {
	tasks := 0
	for _, j := range done.Jobs {
		if j.Task >= 0 {
			tasks++
		}
	}
	switch {
	case c.output.Data():
		return c.output.Write(c.w, map[string]any{
			"run": c.run.JobName(), "dir": c.run.Dir, "jobs": len(done.Jobs), "tasks": tasks, "left": done.Left,
		})
	case len(done.Jobs) == 0 && len(done.Left) > 0:
		return nil
	case len(done.Jobs) == 0:
		_, err := fmt.Fprintln(c.w, "nothing to cancel: no job of the run waits or runs")
		return err
	}
	fmt.Fprintf(c.w, "cancelled: %s\n", term.Count(tasks, "task", "tasks"))
	_, err := fmt.Fprintf(c.w, "what was measured is kept: `%s` brings it into the database, `%s` continues\n",
		onRun("merge", c.run), onRun("retry", c.run))
	return err
}

// throttleCommand is the command throttle.
type throttleCommand struct{ runCommand }

func newThrottle() *cobra.Command {
	var c throttleCommand
	return c.prepare(&cobra.Command{
		Use:   "throttle RUN N",
		Short: "Let at most N tasks of a submitted run measure at once",
		Long: `throttle changes how many tasks of a run Slurm starts at once, while the run is in
progress: 0 removes the bound. Running tasks go on, and the bound applies to what
retry sends later, too. A sweep starts with throttle in its [slurm] section.`,
		Example: `  spmvtune throttle runs/block-size-20261121-k3fq7a 4`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("throttle needs %s, and a number of tasks", aRun)
			}
			return nil
		},
		RunE: c.Run,
	})
}

// Run throttles a run.
func (c *throttleCommand) Run(cmd *cobra.Command, args []string) error {
	n, err := strconv.ParseUint(args[1], 10, 31)
	if errors.Is(err, strconv.ErrRange) {
		return command.Usage(fmt.Errorf("%s tasks are more than Slurm can count; 0 removes the bound", args[1]))
	}
	if err != nil {
		return command.Usage(fmt.Errorf("%q is not a number of tasks", args[1]))
	}
	if err := c.openToWrite(cmd, args[0], "ask an operator of Slurm", slurm.LedgerFile); err != nil {
		return err
	}

	client := newClient(c.alarm)
	arrays, err := submit.Throttle(cmd.Context(), client, c.run, int(n))
	if err != nil {
		return err
	}
	left, err := submit.Hidden(cmd.Context(), client, c.run)
	if err != nil {
		return errors.Join(c.print(arrays, int(n)), err)
	}
	if len(arrays) == 0 && len(left) > 0 && !c.output.Data() {
		return leftAlone("throttle", c.run, left)
	}
	return errors.Join(c.print(arrays, int(n)), leftAlone("throttle", c.run, left))
}

func (c *throttleCommand) print(arrays []sbatch.JobID, n int) (err error) {
	if c.output.Data() {
		ids := make([]string, len(arrays))
		for i, a := range arrays {
			ids[i] = a.ID
		}
		return c.output.Write(c.w, map[string]any{"run": c.run.JobName(), "dir": c.run.Dir, "throttle": n,
			"arrays": ids})
	}

	tasks := term.Count(n, "task runs", "tasks run")
	switch {
	case len(arrays) == 0:
		_, err = fmt.Fprintln(c.w, "nothing to throttle: no task of the run waits or runs")
	case n == 0:
		_, err = fmt.Fprintln(c.w, "the number of tasks that run at once is not bounded")
	default:
		_, err = fmt.Fprintf(c.w, "at most %s at once\n", tasks)
	}

	return err
}

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
