package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/job"
	"spmvtune/slurm"
	"spmvtune/slurm/adopt"
	"spmvtune/slurm/merge"
	"spmvtune/slurm/status"
	"spmvtune/tuner"
	"spmvtune/tuner/journal"
)

// adopt finds out what of the sweep an earlier run has measured, if the user names one. Otherwise it says if
// there is one.
func (c *submitCommand) adopt(ctx context.Context, cut *cutting) error {
	if c.adopted == "" {
		cut.notes = append(cut.notes, c.earlier()...)
		return nil
	}
	source, err := c.source(ctx)
	if err == nil {
		cut.adopted, err = adopt.NewMatch(ctx, source, cut.sweep,
			adopt.Options{Sources: hardware.Sources(), Choose: chooserOf, Elsewhere: c.prepareOnly})
	}
	if err != nil {
		return fmt.Errorf("adopting what %s has measured: %w", c.adopted, err)
	}
	return nil
}

// source reads what the named run or database has measured.
func (c *submitCommand) source(ctx context.Context) (*adopt.Source, error) {
	if info, err := os.Stat(c.adopted); err == nil && !info.IsDir() {
		return adopt.ReadDatabase(ctx, c.adopted)
	}
	run, err := openRun(c.root, c.adopted)
	if err != nil {
		return nil, err
	}
	if err := c.isOver(ctx, run); err != nil {
		return nil, err
	}
	return adopt.ReadRun(ctx, run)
}

// isOver refuses a run of which something may still be measured: that would be measured twice.
func (c *submitCommand) isOver(ctx context.Context, run *slurm.Run) error {
	missing, err := merge.Find(ctx, run)
	if err != nil || len(missing) == 0 {
		return err
	}
	claims, err := run.Claims()
	if err != nil {
		return err
	}
	active := 0
	for _, claim := range claims {
		if claim.Live {
			active++
		}
	}
	sent, err := run.SentChunks()
	if err != nil {
		return err
	}
	if len(sent) > 0 {
		seen, err := status.Chunks(ctx, newClient(c.alarm), run)
		if err != nil {
			return fmt.Errorf("finding out whether the run is over: %w", err)
		}
		active = 0 // those that are claimed are running, too
		for _, chunk := range seen.Chunks {
			switch chunk.State {
			case status.Running, status.Waiting, status.Unclear:
				active++
			}
		}
	}
	if active == 0 {
		return nil
	}
	return command.WithHint(fmt.Errorf("the run is not over: %s, wait or may do so",
		term.Count(active, "chunk runs", "chunks run")),
		fmt.Sprintf("`%s` follows it, `%s` ends it", onRun("status", run, "--watch"), onRun("cancel", run)))
}

// chooserOf returns what decides about the trials of a sweep that goes by a rule.
func chooserOf(ctx context.Context, part *configs.Sweep) (tuner.Chooser, error) {
	byRule, err := job.NewChooser(ctx, part)
	var opt tuner.Options
	byRule.Use(&opt)
	return opt.Choose, err
}

// earlier says if a run of the same sweep has measured something.
func (c *submitCommand) earlier() []string {
	runs, err := listRuns(c.root)
	if err != nil {
		return nil // making the run says why
	}
	for _, r := range slices.Backward(runs) {
		if r.Run == nil || r.Sweep != c.sweep.Name {
			continue
		}
		if names, err := journal.List(r.Path(slurm.JournalsDir)); err != nil || len(names) == 0 {
			continue
		}
		what := "an earlier version of this sweep"
		if r.Measures(c.sweep) {
			what = "this sweep"
		}
		return []string{fmt.Sprintf("%s has measured %s: `%s` measures only the rest", command.Shown(r.Dir), what,
			term.Shell("spmvtune", "submit", c.sweep.Path, "--adopt", command.Shown(r.Dir)))}
	}
	return nil
}

// printAdopted says what an earlier run has measured, and what of that does not count.
func printAdopted(w io.Writer, m *adopt.Match) {
	if m == nil {
		return
	}
	fmt.Fprintf(w, "adopted %d of %s, from %s\n", m.Adopted, term.Trials(m.Planned), command.Shown(m.From))
	for _, device := range m.Devices {
		term.Print(w, fmt.Sprintf("measured on %s: tasks refuse to measure on anything else", device))
	}
	for i, o := range m.Others {
		if i == show.MostFailures {
			fmt.Fprintf(w, "… and for %d other reasons\n", len(m.Others)-i)
			return
		}
		term.Print(w, fmt.Sprintf("not counted: %s %s", term.Trials(o.Trials), o.Why))
	}
}
