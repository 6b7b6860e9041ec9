package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
)

// statusClient asks on behalf of commands that can do without the answer.
var statusClient = &sbatch.Client{Timeout: 20 * time.Second}

// statusCommand is the command status.
type statusCommand struct {
	runCommand
	watch bool
}

func newStatus() *cobra.Command {
	var c statusCommand
	cmd := c.prepare(&cobra.Command{
		Use:   "status [RUN]",
		Short: "How far submitted runs are, and what holds them up",
		Long: `status says how far a run is: its chunks, its trials, the best so far, why tasks
wait, and how tasks ended that left work undone. What the tasks have written decides
what is done; Slurm only explains. Without RUN, status lists all runs.`,
		Example: `  spmvtune status
  spmvtune status runs/block-size-20261121-k3fq7a --watch`,
		Args: cobra.MaximumNArgs(1),
		RunE: c.Run,
	})
	cmd.Flags().BoolVarP(&c.watch, "watch", "w", false, "refresh every ten seconds, until the run has ended")
	return cmd
}

// Run prints how far a run is, or all runs are.
func (c *statusCommand) Run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if len(args) == 0 {
		if c.watch {
			return command.Usage(fmt.Errorf("--watch needs %s", aRun))
		}
		return c.list(ctx, cmd.OutOrStdout())
	}
	if err := c.open(cmd, args[0]); err != nil {
		return err
	}
	if c.watch {
		return c.follow(ctx)
	}

	s, err := status.Of(ctx, statusClient, c.run)
	switch {
	case err != nil:
		return err
	case c.output.Data():
		return c.output.Write(c.w, s)
	}
	return printStatus(c.w, c.run, s)
}

// roughly marks a number of trials that is still an estimate.
func roughly(s status.Status) string {
	if s.Counts.Done < s.Counts.All {
		return "~"
	}
	return ""
}

// timeLeft says about how long the run takes from now, "" if that is not known.
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

// list prints a line for each run below the folder of runs.
func (c *statusCommand) list(ctx context.Context, w io.Writer) error {
	runs, err := slurm.List(c.root)
	if err != nil {
		return err
	}
	list, damaged, silent := observe(ctx, runs)
	if err := ctx.Err(); err != nil {
		return err
	}

	switch {
	case c.output.Data():
		return c.output.Write(w, append(list, damaged...))
	case len(runs) == 0:
		_, err := fmt.Fprintf(w, "no run below %s: spmvtune submit makes one\n", c.root)
		return err
	}

	if err := printList(w, list); err != nil {
		return err
	}
	for _, s := range damaged {
		term.Print(w, fmt.Sprintf("%s is damaged: %s", s.Name, s.Fault))
	}
	printSilent(w, silent)
	return nil
}

// observe finds out how far runs are, and which can't be read. silent says why Slurm does not
// answer.
func observe(ctx context.Context, runs []slurm.Listed) (list, damaged []status.Status, silent string) {
	var trackers []*status.Tracker
	for _, run := range runs {
		if run.Err != nil {
			damaged = append(damaged, status.Status{Name: run.Name, Dir: run.Dir, Fault: run.Err.Error()})
			continue
		}
		t := status.NewTracker(run.Run)
		t.Brief = true
		trackers = append(trackers, t)
	}

	observer := &status.Observer{Client: statusClient}
	view := observer.Observe(ctx, trackers...)
	list = []status.Status{} // JSON has a list even if it is empty
	for _, t := range trackers {
		if s := t.Status(view); s.Fault != "" {
			damaged = append(damaged, s)
		} else {
			list = append(list, s)
		}
	}
	return list, damaged, view.Silent
}

func printList(w io.Writer, list []status.Status) error {
	if len(list) == 0 {
		return nil
	}
	g := term.Table{Columns: []string{"run", "chunks", "trials", "left", "state"}}
	for _, s := range list {
		g.Rows = append(g.Rows, []any{
			s.Name,
			term.Quantity(fmt.Sprintf("%d/%d", s.Counts.Done, s.Counts.All)),
			term.Quantity(fmt.Sprintf("%d/%s%d", s.Trials.Done, roughly(s), s.Trials.Of)),
			term.Quantity(timeLeft(s)),
			inAWord(s),
		})
	}

	return g.Print(w)
}

// follow shows a run until it has ended, on a terminal always in the same place.
func (c *statusCommand) follow(ctx context.Context) error {
	size := term.SizeOf(c.w)
	_, err := status.Follow(ctx, statusClient, c.run, func(s status.Status) error {
		if c.output.Data() {
			return c.output.Write(c.w, s)
		}
		page := term.Page{Width: term.Columns(c.w)}
		if err := printStatus(&page, c.run, s); err != nil {
			return err
		}
		if size == nil {
			_, err := fmt.Fprintf(c.w, "%s\n%s\n", time.Now().Format(time.DateTime), page.Bytes())
			return err
		}
		width, height := size()
		_, err := io.WriteString(term.Raw(c.w), term.InPlace(term.Visible(page.String()), width, height))
		return err
	})

	if errors.Is(err, context.Canceled) {
		return nil // that is how a watch ends
	}
	return err
}
