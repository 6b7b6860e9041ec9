package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"spmvtune/internal/base/term"
	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/slurm/status"
)

const (
	// askEvery is how often Slurm is asked about a run that is followed, with one squeue.
	askEvery = 10 * time.Second
	// lookEvery is how often its folder is searched for the end of the merge.
	lookEvery = time.Second
)

// follow shows how far a run is until it has ended, and returns its last status.
func follow(ctx context.Context, run *slurm.Run, show func(status.Status) error) (status.Status, error) {
	tracker := status.NewTracker(run)
	observer := &status.Observer{Client: statusClient}
	for {
		view := observer.Observe(ctx, tracker)
		if err := ctx.Err(); err != nil {
			return status.Status{}, err
		}
		if err := tracker.Err(); err != nil {
			return status.Status{}, err
		}
		s := tracker.Status(view)
		if err := show(s); err != nil || !s.Active() {
			return s, err
		}
		if err := pause(ctx, run, s); err != nil {
			return s, err
		}
	}
}

// pause waits until Slurm may be asked again, or the run is merged.
func pause(ctx context.Context, run *slurm.Run, s status.Status) error {
	before := mergedAt(s.Merged)
	for end := time.Now().Add(askEvery); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
		if m, err := merge.ReadLast(run); err == nil && mergedAt(m).After(before) {
			return nil
		}
	}

	return nil
}

func mergedAt(m *merge.Last) time.Time {
	if m == nil {
		return time.Time{}
	}
	return m.At
}

// follow shows a run until it has ended, on a terminal always in the same place.
func (c *statusCommand) follow(ctx context.Context) error {
	size := term.SizeOf(c.w)
	_, err := follow(ctx, c.run, func(s status.Status) error {
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
