package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/slurm/status"
)

const (
	// askEvery is how often Slurm is asked about a run that is followed: with one
	// squeue for all of its jobs.
	askEvery = 10 * time.Second
	// lookEvery is how often its folder is looked at for the end of the merge.
	lookEvery = time.Second
)

// follow shows how far a run is until it has ended, and returns what it is then.
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

// watchRun shows a run until it has ended: on a terminal always in the same place.
func watchRun(ctx context.Context, w io.Writer, run *slurm.Run, asJSON bool) error {
	size := term.SizeOf(w)
	_, err := follow(ctx, run, func(s status.Status) error {
		if asJSON {
			return term.WriteJSON(w, s)
		}
		var page bytes.Buffer
		if err := printStatus(&page, run, s); err != nil {
			return err
		}
		if size == nil {
			fmt.Fprintf(w, "%s\n%s\n", time.Now().Format(time.DateTime), page.Bytes())
			return nil
		}
		width, height := size()
		_, err := io.WriteString(w, inPlace(page.String(), width, height))
		return err
	})
	if errors.Is(err, context.Canceled) {
		return nil // that is how a watch ends
	}
	return err
}

// inPlace makes of a page what shows it from the upper left corner of a terminal of a
// width and height, 0 for ones that are not known, each line to its end and then the
// rest, so that there is no flicker. Of a page that is too long the top is shown, and
// what is too wide is cut, since the terminal would scroll.
func inPlace(page string, width, height int) string {
	const corner, toEnd, rest = "\x1b[H", "\x1b[K\n", "\x1b[J"
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	// The cursor stays in a line of its own.
	if height > 1 && len(lines) > height-1 {
		more := fmt.Sprintf("… and %s more", term.Count(len(lines)-(height-2), "line", "lines"))
		lines = append(slices.Clip(lines[:height-2]), more)
	}
	for i, line := range lines {
		if width > 0 {
			lines[i] = text.Trim(line, width)
		}
	}
	return corner + strings.Join(lines, toEnd) + toEnd + rest
}

// waitRun waits until a run has ended, with a line now and then.
func waitRun(ctx context.Context, w io.Writer, run *slurm.Run) (status.Status, error) {
	fmt.Fprintln(w)
	last := ""
	s, err := follow(ctx, run, func(s status.Status) error {
		line := fmt.Sprintf("%d of %d chunks, %d of %s%d trials: %s", s.Counts.Done, s.Counts.All, s.Trials.Done, roughly(s), s.Trials.Of, inAWord(s))
		if left := timeLeft(s); left != "" {
			line += ", about " + left + " left"
		}
		if s.Silent != "" {
			line += " (Slurm does not answer)"
		}
		if line != last {
			fmt.Fprintln(w, time.Now().Format(time.TimeOnly), line)
		}
		last = line
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return s, &command.Error{Code: command.ExitInterrupted, Err: errors.New("interrupted: the run goes on"),
			Hint: fmt.Sprintf("`%s` follows it, `%s` ends it", onRun("status", run, "--watch"), onRun("cancel", run))}
	}
	if err != nil {
		return s, err
	}
	fmt.Fprintln(w)
	return s, printStatus(w, run, s)
}

// waitVerdict makes an error of what a run that has ended lacks.
func waitVerdict(run *slurm.Run, s status.Status) error {
	if err := mergeVerdict(run, s.Trials, s.Counts.All-s.Counts.Done); err != nil {
		return err
	}
	if s.Merged == nil || len(s.Merged.Missing) > 0 {
		return command.WithHint(errors.New("all is measured, but the job that merges ended without doing so"),
			fmt.Sprintf("`%s` does it", onRun("merge", run)))
	}
	return nil
}
