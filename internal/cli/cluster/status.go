package cluster

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
)

// statusClient asks on behalf of commands that can do without the answer.
var statusClient = &sbatch.Client{Timeout: 20 * time.Second}

func newStatus() *cobra.Command {
	var root string
	var watch, asJSON bool
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "How far submitted runs are, and what holds them up",
		Long: `status says how far a run is: its chunks, its trials, the best so far, why tasks
wait, and how those ended that left work undone. What is done is read from what
the tasks have written; Slurm only explains. Without RUN it lists all runs.`,
		Example: `  spmvtune status
  spmvtune status runs/block-size-20261121-k3fq7a --watch`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, w := cmd.Context(), cmd.OutOrStdout()
			if len(args) == 0 {
				if watch {
					return command.Usage(fmt.Errorf("--watch needs %s", aRun))
				}
				return statusOfAll(ctx, w, root, asJSON)
			}
			run, err := openRun(root, args[0])
			if err != nil {
				return err
			}
			if watch {
				return watchRun(ctx, w, run, asJSON)
			}
			return statusOf(ctx, w, run, asJSON)
		},
	}
	flagRuns(cmd, &root)
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "refresh every ten seconds, until the run has ended")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// statusOf prints how far a run is.
func statusOf(ctx context.Context, w io.Writer, run *slurm.Run, asJSON bool) error {
	tracker := status.NewTracker(run)
	observer := &status.Observer{Client: statusClient}
	view := observer.Observe(ctx, tracker)
	if err := tracker.Err(); err != nil {
		return err
	}
	s := tracker.Status(view)
	if asJSON {
		return term.WriteJSON(w, s)
	}
	return printStatus(w, run, s)
}

// statusOfAll prints a line for each run below root.
func statusOfAll(ctx context.Context, w io.Writer, root string, asJSON bool) error {
	runs, err := listRuns(root)
	if err != nil {
		return err
	}
	var trackers []*status.Tracker
	list := []status.Status{}
	var damaged []status.Status
	for _, run := range runs {
		if run.err != nil {
			damaged = append(damaged, status.Status{Name: run.name, Dir: run.dir, Fault: run.err.Error()})
			continue
		}
		t := status.NewTracker(run.Run)
		t.Brief = true
		trackers = append(trackers, t)
	}
	observer := &status.Observer{Client: statusClient}
	view := observer.Observe(ctx, trackers...)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, t := range trackers {
		if err := t.Err(); err != nil {
			damaged = append(damaged, status.Status{Name: t.Run.JobName(), Dir: t.Run.Dir, Created: t.Run.Created, Fault: err.Error()})
			continue
		}
		list = append(list, t.Status(view))
	}
	if asJSON {
		return term.WriteJSON(w, append(list, damaged...))
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintf(w, "no run below %s: spmvtune submit makes one\n", root)
		return err
	}
	g := term.Table{Columns: []string{"run", "chunks", "trials", "left", "state"}}
	for _, s := range list {
		g.Rows = append(g.Rows, []any{
			s.Name, term.Quantity(fmt.Sprintf("%d/%d", s.Counts.Done, s.Counts.All)),
			term.Quantity(fmt.Sprintf("%d/%s%d", s.Trials.Done, roughly(s), s.Trials.Of)), term.Quantity(timeLeft(s)), inAWord(s),
		})
	}
	if len(g.Rows) > 0 {
		if err := g.Print(w); err != nil {
			return err
		}
	}
	for _, s := range damaged {
		fmt.Fprintln(w, term.Wrap(fmt.Sprintf("%s is damaged: %s", s.Name, s.Fault), term.PageWidth-2, "  "))
	}
	printSilent(w, view.Silent)
	return nil
}

// roughly marks a number of trials that is a guess yet.
func roughly(s status.Status) string {
	if s.Counts.Done < s.Counts.All {
		return "~"
	}
	return ""
}

// timeLeft is about how long the run takes from now, "" if that is not known.
func timeLeft(s status.Status) string {
	if s.Left == 0 || s.Counts.Running == 0 {
		return ""
	}
	return term.RoughSeconds(s.Left)
}

// inAWord says how far a run is.
func inAWord(s status.Status) string {
	n := s.Counts
	open := n.Ended + n.Never
	switch {
	case n.Running > 0:
		return term.Count(n.Running, "task runs", "tasks run")
	case n.Waiting > 0:
		return term.Count(n.Waiting, "task waits", "tasks wait")
	case n.Unclear > 0:
		return fmt.Sprintf("not known of %s", chunks(n.Unclear))
	case s.Finish == status.Running:
		return "is being merged"
	case s.Finish == status.Waiting:
		return "waits to be merged"
	case open > 0:
		return fmt.Sprintf("ended without %s", chunks(open))
	case s.Finish == status.Unclear:
		return "complete; whether it is being merged is not known"
	case s.Merged == nil || len(s.Merged.Missing) > 0:
		return "complete, but not merged"
	}
	return "complete"
}
