package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/slurm/status"
)

// waitRun waits until a run has ended, and prints a line now and then.
func waitRun(ctx context.Context, w io.Writer, run *slurm.Run) (status.Status, error) {
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
	if err := mergeVerdict(run, s.Trials, s.Counts.All-s.Counts.Done); err != nil {
		return err
	}
	if s.Merged == nil || len(s.Merged.Missing) > 0 {
		return command.WithHint(errors.New("every trial is measured, but the merge job failed"),
			fmt.Sprintf("`%s` merges them", onRun("merge", run)))
	}
	return nil
}
