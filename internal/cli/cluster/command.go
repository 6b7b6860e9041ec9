// SPDX-License-Identifier: Apache-2.0

// Package cluster is the commands on a cluster: submit, status, retry, cancel, throttle,
// merge, and task, which the tasks of an array run, too. It has flags, wiring and words;
// the work lies in slurm and its rooms.
package cluster

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
)

// Commands are the commands on a cluster, in the order of the help.
func Commands() []*cobra.Command {
	return []*cobra.Command{newSubmit(), newTask(), newStatus(), newRetry(), newCancel(), newThrottle(), newMerge()}
}

// A runCommand is what the commands on one run have in common.
type runCommand struct {
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
	c.output.Flags(cmd)
	return cmd
}

// open opens the run that the user named.
func (c *runCommand) open(cmd *cobra.Command, name string) (err error) {
	c.w, c.alarm = cmd.OutOrStdout(), cmd.ErrOrStderr()
	c.run, err = openRun(c.alarm, name)
	return err
}

// openToWrite opens the run that the user named, for a command that writes to its folder and some of its files.
// otherwise is the remedy of a user who may only read it.
func (c *runCommand) openToWrite(cmd *cobra.Command, name, otherwise string, files ...string) error {
	if err := c.open(cmd, name); err != nil {
		return err
	}
	err := c.run.CheckWrite(files...)
	only, ok := errors.AsType[*slurm.ReadOnlyError](err)
	if !ok {
		return err
	}
	hint := strings.ReplaceAll(toWrite(only)+", or "+otherwise, "RUN", term.Shell(command.Shown(c.run.Dir)))
	return command.WithHint(err, hint)
}

// toWrite is what lets a command write to RUN.
func toWrite(only *slurm.ReadOnlyError) string {
	switch {
	case only.Mounted:
		return "do it on a machine that can write there"
	case only.Owner != "" && only.Owner != slurm.Me():
		return fmt.Sprintf("ask %s to do it", only.Owner)
	}
	return "make it writable (`chmod -R u+w RUN`)"
}

// newClient returns a client of Slurm that prints to alarm what it waits for.
func newClient(alarm io.Writer) *sbatch.Client {
	return &sbatch.Client{Tell: func(waiting string) { fmt.Fprintln(alarm, "waiting: "+waiting) }}
}

// aRun says what the argument of the commands on a run is.
const aRun = "a run: the folder that submit printed, or its name or the start of it"

// openRun opens the run that a word names: its folder, its name, or the beginning of it.
func openRun(alarm io.Writer, word string) (*slurm.Run, error) {
	path, err := command.FileOfRun(alarm, word, slurm.InfoFile)
	if err != nil {
		return nil, err
	}
	if filepath.Base(path) != slurm.InfoFile {
		_, err := slurm.Open(path) // the error says what it is instead
		return nil, command.Usage(err)
	}
	return slurm.Open(filepath.Dir(path))
}

// completeRun completes one argument with the runs.
var completeRun = command.CompleteRunWith(slurm.InfoFile)

// onRun returns the command line of a command on a run.
func onRun(name string, run *slurm.Run, more ...string) string {
	return term.Shell(append([]string{"spmvtune", name, command.Shown(run.Dir)}, more...)...)
}

// say prints a sentence in lines that fit the terminal.
func say(w io.Writer, format string, args ...any) { term.Print(w, fmt.Sprintf(format, args...)) }

// chunks counts chunks.
func chunks(n int) string { return term.Count(n, "chunk", "chunks") }

// printFew prints the first entries of a list, and how many there are besides: "… and 3 more chunks".
func printFew[T any](w io.Writer, list []T, most int, one, several string, print func(T)) {
	for _, entry := range list[:min(len(list), most)] {
		print(entry)
	}
	if more := len(list) - most; more > 0 {
		fmt.Fprintf(w, "… and %s\n", term.Count(more, one, several))
	}
}
