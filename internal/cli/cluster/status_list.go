package cluster

import (
	"context"
	"fmt"
	"io"

	"spmvtune/internal/base/term"
	"spmvtune/slurm/status"
)

// list prints a line for each run below the folder of runs.
func (c *statusCommand) list(ctx context.Context, w io.Writer) error {
	runs, err := listRuns(c.root)
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
func observe(ctx context.Context, runs []listed) (list, damaged []status.Status, silent string) {
	var trackers []*status.Tracker
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
	list = []status.Status{} // JSON has a list even if it is empty

	for _, t := range trackers {
		if err := t.Err(); err != nil {
			s := status.Status{Name: t.Run.JobName(), Dir: t.Run.Dir, Created: t.Run.Created, Fault: err.Error()}
			damaged = append(damaged, s)
			continue
		}
		list = append(list, t.Status(view))
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
