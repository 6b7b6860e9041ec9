package cluster

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/slurm"
	"spmvtune/slurm/submit"
)

// retryCommand is the command retry.
type retryCommand struct {
	runCommand
	mem string
}

func newRetry() *cobra.Command {
	var c retryCommand
	cmd := c.prepare(&cobra.Command{
		Use:   "retry RUN",
		Short: "Submit again what a run has not completed",
		Long: `retry submits the chunks of a run that are not complete and have no task that runs
or waits. It does not measure again what is measured. A chunk whose task ran out of
time is split in two. A chunk that used more memory than allowed is only sent with
--mem, which applies to all tasks that are sent with it.`,
		Example: `  spmvtune retry runs/block-size-20261121-k3fq7a
  spmvtune retry block-size-20261121 --mem 64G`,
		RunE: c.Run,
	})
	cmd.Flags().StringVar(&c.mem, "mem", "", "memory of the tasks that are sent, in the form of sbatch: 64G")
	return cmd
}

// Run submits again what a run has not completed.
func (c *retryCommand) Run(cmd *cobra.Command, args []string) error {
	if err := c.open(cmd, args[0]); err != nil {
		return err
	}
	sweep, err := c.run.TaskSweep()
	if err != nil {
		return err
	}
	r, err := submit.Retry(cmd.Context(), newClient(c.alarm), c.run, sweep.Slurm, c.mem)
	if err != nil {
		return errors.Join(err, c.printBroken(r))
	}

	if c.asJSON {
		err = term.WriteJSON(c.w, r)
	} else {
		c.print(r)
	}
	n := len(r.OutOfMemory)
	if err != nil || n == 0 {
		return err
	}
	err = fmt.Errorf("%s used more memory than allowed, and %s not sent again", chunks(n), term.Noun(n, "was", "were"))
	return command.SomeFailed(err, fmt.Sprintf("`%s` gives their tasks more", onRun("retry", c.run, "--mem", "64G")))
}

// printBroken says what a retry that failed had done before, if anything.
func (c *retryCommand) printBroken(r submit.Retried) error {
	if r.Round == nil && len(r.Recovered) == 0 {
		return nil
	}
	if c.asJSON {
		return term.WriteJSON(c.w, r)
	}
	c.printRecovered(r.Recovered)
	if r.Round != nil {
		printJobs(c.w, r.Round.Jobs)
	}
	return nil
}

// printRecovered says what became of submissions that broke off.
func (c *retryCommand) printRecovered(recovered []slurm.Sent) {
	for _, s := range recovered {
		line := fmt.Sprintf("recovered the interrupted submission of %s: %s %s", s.Name, s.Outcome, s.ID)
		fmt.Fprintln(c.w, strings.TrimSpace(line))
	}
}

// print says what a retry did.
func (c *retryCommand) print(r submit.Retried) {
	c.printRecovered(r.Recovered)
	if len(r.Again) > 0 {
		fmt.Fprintf(c.w, "sent again: %s (%s)\n", chunks(len(r.Again)), term.Some(r.Again, command.FewNames))
	}
	for i, s := range r.Split {
		if i == show.MostFailures {
			fmt.Fprintf(c.w, "… and %s more\n", chunks(len(r.Split)-i))
			break
		}
		fmt.Fprintf(c.w, "split, because its task ran out of time: %s into %s\n", s.Chunk,
			strings.Join(s.Into, " and "))
	}

	for _, s := range r.OutOfMemory {
		fmt.Fprintf(c.w, "not sent, because it used more memory than allowed: %s (%s)\n",
			s.Chunk, term.Some(s.Matrices, command.FewNames))
	}

	if n := len(r.Active); n > 0 {
		fmt.Fprintf(c.w, "left alone, because their tasks run, wait, or may do so: %s\n", chunks(n))
	}
	c.printNext(r)
}

func (c *retryCommand) printNext(r submit.Retried) {
	switch {
	case r.Round != nil:
		printJobs(c.w, r.Round.Jobs)
		fmt.Fprintf(c.w, "next: %s\n", onRun("status", c.run, "--watch"))
	case len(r.OutOfMemory) > 0:
	case len(r.Active) > 0:
		fmt.Fprintln(c.w, "nothing to do yet")
	default:
		fmt.Fprintf(c.w, "nothing to do: %s complete\n", allChunks(r.Done))
		fmt.Fprintf(c.w, "next: %s\n", onRun("merge", c.run))
	}
}

func allChunks(n int) string {
	if n == 1 {
		return "the only chunk is"
	}
	return fmt.Sprintf("all %d chunks are", n)
}
