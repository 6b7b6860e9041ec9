package cluster

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
	"spmvtune/slurm"
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
	if err := c.openToWrite(cmd, args[0], "ask an operator of Slurm", slurm.JobsFile); err != nil {
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
