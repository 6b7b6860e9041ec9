package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/slurm"
	"spmvtune/slurm/submit"
)

func newRetry() *cobra.Command {
	var root, mem string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "retry RUN",
		Short: "Submit again what a run has not completed",
		Long: `retry submits the chunks of a run that are not complete and have no task that
runs or waits. What is measured is not measured again. A chunk whose task
ran out of time is split in two. One that used more memory than it may is only sent
with --mem, which holds for all tasks that are sent with it.`,
		Example: `  spmvtune retry runs/block-size-20261121-k3fq7a
  spmvtune retry block-size-20261121 --mem 64G`,
		Args:              command.Needs(aRun),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := openRun(root, args[0])
			if err != nil {
				return err
			}
			return retryRun(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), run, mem, asJSON)
		},
	}
	flagRuns(cmd, &root)
	cmd.Flags().StringVar(&mem, "mem", "", "memory of the tasks that are sent, as sbatch takes it: 64G")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func retryRun(ctx context.Context, w, alarm io.Writer, run *slurm.Run, mem string, asJSON bool) error {
	sweep, err := run.TaskSweep()
	if err != nil {
		return err
	}
	r, err := submit.Retry(ctx, newClient(alarm), run, sweep.Slurm, mem)
	if err != nil {
		return errors.Join(err, printBroken(w, r, asJSON))
	}
	if asJSON {
		err = term.WriteJSON(w, r)
	} else {
		printRetried(w, run, r)
	}
	if err != nil || len(r.OutOfMemory) == 0 {
		return err
	}
	return command.SomeFailed(fmt.Errorf("%s used more memory than allowed, and %s not sent again", chunks(len(r.OutOfMemory)), wasOrWere(len(r.OutOfMemory))),
		fmt.Sprintf("`%s` gives their tasks more", onRun("retry", run, "--mem", "64G")))

}

func wasOrWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// printBroken says what a retry that failed had done by then, if anything.
func printBroken(w io.Writer, r submit.Retried, asJSON bool) error {
	if r.Round == nil && len(r.Recovered) == 0 {
		return nil
	}
	if asJSON {
		return term.WriteJSON(w, r)
	}
	printRecovered(w, r.Recovered)
	if r.Round != nil {
		printJobs(w, r.Round.Jobs)
	}
	return nil
}

// printRecovered says what became of submissions that were broken off.
func printRecovered(w io.Writer, settled []slurm.Sent) {
	for _, s := range settled {
		fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf("found out about %s, whose submission was broken off: %s %s", s.Name, s.Outcome, s.ID)))
	}
}

// printRetried says what a retry did.
func printRetried(w io.Writer, run *slurm.Run, r submit.Retried) {
	printRecovered(w, r.Recovered)
	if len(r.Again) > 0 {
		fmt.Fprintf(w, "sent again: %s (%s)\n", chunks(len(r.Again)), term.Some(r.Again, command.FewNames))
	}
	for i, s := range r.Split {
		if i == show.MostFailures {
			fmt.Fprintf(w, "… and %s more\n", chunks(len(r.Split)-i))
			break
		}
		fmt.Fprintf(w, "split, since its task ran out of time: %s into %s\n", s.Chunk, strings.Join(s.Into, " and "))
	}
	for _, c := range r.OutOfMemory {
		fmt.Fprintf(w, "not sent, since it used more memory than allowed: %s (%s)\n", c.Chunk, term.Some(c.Matrices, command.FewNames))
	}
	if n := len(r.Active); n > 0 {
		fmt.Fprintf(w, "left alone, since their tasks run, wait, or may do so: %s\n", chunks(n))
	}
	switch {
	case r.Round != nil:
		printJobs(w, r.Round.Jobs)
		fmt.Fprintf(w, "next: %s\n", onRun("status", run, "--watch"))
	case len(r.OutOfMemory) > 0:
	case len(r.Active) > 0:
		fmt.Fprintln(w, "nothing to do yet")
	default:
		fmt.Fprintf(w, "nothing to do: %s complete\n", allChunks(r.Done))
		fmt.Fprintf(w, "next: %s\n", onRun("merge", run))
	}
}

func allChunks(n int) string {
	if n == 1 {
		return "the only chunk is"
	}
	return fmt.Sprintf("all %d chunks are", n)
}
