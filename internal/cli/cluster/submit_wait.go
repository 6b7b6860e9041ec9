package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
	"spmvtune/slurm/submit"
)

// waitRun waits until a run has ended, and prints a line now and then. It sends what a limit of
// submitted jobs left over, where the job that merges could not.
func waitRun(ctx context.Context, w io.Writer, client *sbatch.Client, run *slurm.Run) (status.Status, error) {
	for {
		s, err := waitRound(ctx, w, run)
		if err != nil || s.Counts.Never == 0 {
			return s, err
		}
		sweep, err := run.TaskSweep()
		if err != nil {
			return s, err
		}
		rest, err := submit.Rest(ctx, client, run, sweep.Slurm)
		if err != nil || rest.Round == nil {
			return s, err
		}
		printJobs(w, rest.Round.Jobs)
		printRest(w, *rest.Round, run)
	}
}

// waitRound waits until nothing of a run is active.
func waitRound(ctx context.Context, w io.Writer, run *slurm.Run) (status.Status, error) {
	fmt.Fprintln(w)
	last := ""
	s, err := follow(ctx, run, func(s status.Status) error {
		if line := waitLine(s); line != last {
			fmt.Fprintln(w, time.Now().Format(time.TimeOnly), line)
			last = line
		}
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return s, &command.Error{
			Code: command.ExitInterrupted, Err: errors.New("interrupted: the run goes on"),
			Hint: fmt.Sprintf("`%s` follows it, `%s` ends it", onRun("status", run, "--watch"), onRun("cancel", run)),
		}
	}
	if err != nil {
		return s, err
	}
	fmt.Fprintln(w)
	return s, printStatus(w, run, s)
}

// waitLine says in a line how far a run is.
func waitLine(s status.Status) string {
	line := fmt.Sprintf("%d of %d chunks, %d of %s%d trials: %s",
		s.Counts.Done, s.Counts.All, s.Trials.Done, roughly(s), s.Trials.Of, inAWord(s))
	if left := timeLeft(s); left != "" {
		line += ", about " + left + " left"
	}
	if s.Silent != "" {
		line += " (Slurm does not answer)"
	}
	return line
}

// waitVerdict returns an error if a run that has ended is not complete and merged.
func waitVerdict(run *slurm.Run, s status.Status) error {
	var skipped []string
	if s.Merged != nil {
		skipped = s.Merged.Skipped
	}
	if err := mergeVerdict(run, s.Trials, s.Counts.All-s.Counts.Done, skipped); err != nil {
		return err
	}
	if s.Merged == nil || len(s.Merged.Missing) > 0 {
		return command.WithHint(errors.New("every trial is measured, but the job that merges failed, or there is none"),
			fmt.Sprintf("`%s` merges them", onRun("merge", run)))
	}
	return nil
}
