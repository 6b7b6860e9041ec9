// Package cluster is the commands on a cluster: submit, status, retry, cancel, throttle,
// merge, and task, which the tasks of an array run, too. It has flags, wiring and words;
// the work lies in slurm and its rooms.
package cluster

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// Commands are the commands on a cluster, in the order of the help.
func Commands() []*cobra.Command {
	return []*cobra.Command{newSubmit(), newTask(), newStatus(), newRetry(), newCancel(), newThrottle(), newMerge()}
}

// A runCommand is what the commands on one run have in common.
type runCommand struct {
	root   string // root is the folder of all runs.
	output command.Output

	run   *slurm.Run
	w     io.Writer
	alarm io.Writer // alarm is for what the user has to know at once.
}

// prepare gives cmd the arguments and flags of a command on a run.
func (c *runCommand) prepare(cmd *cobra.Command) *cobra.Command {
	if cmd.Args == nil {
		cmd.Args = command.Needs(aRun)
	}
	cmd.ValidArgsFunction = completeRun
	flagRuns(cmd, &c.root)
	c.output.Flags(cmd)
	return cmd
}

// open opens the run that the user named.
func (c *runCommand) open(cmd *cobra.Command, name string) (err error) {
	c.w, c.alarm = cmd.OutOrStdout(), cmd.ErrOrStderr()
	c.run, err = openRun(c.root, name)
	return err
}

// newClient returns a client of Slurm that prints to alarm what it waits for.
func newClient(alarm io.Writer) *sbatch.Client {
	return &sbatch.Client{Tell: func(waiting string) { fmt.Fprintln(alarm, "waiting: "+waiting) }}
}
