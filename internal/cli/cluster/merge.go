// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/slurm/submit"
)

// mergeCommand is the command merge.
type mergeCommand struct {
	runCommand
	round int
	json  io.Writer // json is where JSON is printed.
}

func newMerge() *cobra.Command {
	var c mergeCommand
	cmd := c.prepare(&cobra.Command{
		Use:   "merge RUN",
		Short: "Bring what a run has measured into its database, and report",
		Long: `merge brings what the tasks of a run have measured into RUN/results.db, learns the
selection rule and makes the report there. The last job of a run does that by
itself. You can also do it at any time, while tasks run, and again.

Exit codes: 0 every trial is measured; 1 it could not be merged; 3 chunks are
missing or trials failed (they are listed).`,
		Example: `  spmvtune merge block-size-20261121-k3fq7a`,
		RunE:    c.Run,
	})
	cmd.Flags().IntVar(&c.round, "round", 0, "the round that ends with this merge; 0 for none")
	cobra.CheckErr(cmd.Flags().MarkHidden("round"))
	return cmd
}

// Run merges a run.
func (c *mergeCommand) Run(cmd *cobra.Command, args []string) error {
	err := c.openToWrite(cmd, args[0], "merge a copy of your own: `cp -r RUN COPY && spmvtune merge COPY`",
		slurm.DatabaseFile)
	if err != nil {
		return err
	}
	c.json = io.Discard
	if c.output.Data() {
		c.w, c.json = io.Discard, c.w
	}
	return c.merge(cmd.Context())
}

// mergedJSON is what `merge --json` prints.
type mergedJSON struct {
	slurm.Merge
	// Chunks are those that are missing.
	Chunks []status.Chunk `json:"chunks,omitempty"`
	// Silent says why Slurm does not answer.
	Silent string `json:"silent,omitempty"`
}

// merge merges, learns and reports. The journals decide what is missing; Slurm, asked
// afterwards, only explains.
func (c *mergeCommand) merge(ctx context.Context) error {
	if err := c.run.CheckSweep(); err != nil {
		return err
	}
	if c.round > 0 {
		rest, err := sendRest(ctx, newClient(c.alarm), c.run) // before anything can go wrong in merging
		if err != nil {
			say(c.w, "note: the rest of the run could not be sent: %v; `%s` sends it", err, onRun("retry", c.run))
		}
		if rest.Round != nil {
			printRound(c.w, *rest.Round, c.run)
		}
	}
	last, err := status.Merge(ctx, c.run, c.round, func(m *slurm.Merge) error {
		say(c.w, "merged %s: %s new, %d known already: %s",
			term.Count(m.Journals, "journal", "journals"), term.Trials(m.New), m.Known, command.Shown(m.Database))
		printFaulty(c.w, m.Faulty)
		return c.report(ctx, m)
	})
	if err != nil {
		return err
	}

	var s status.Status
	if len(last.Missing) > 0 {
		s, err = status.Of(ctx, statusClient, c.run)
		s.Chunks = slices.DeleteFunc(s.Chunks, func(c status.Chunk) bool { return c.State == status.Done })
		printOpen(c.w, s.Chunks)
		printSilent(c.w, s.Silent)
	}

	return errors.Join(err, c.output.Write(c.json, mergedJSON{last, s.Chunks, s.Silent}),
		mergeVerdict(c.run, last.Trials, len(last.Missing), last.Skipped))
}

// sendRest sends what a limit of submitted jobs left over.
func sendRest(ctx context.Context, client *sbatch.Client, run *slurm.Run) (submit.Retried, error) {
	sweep, err := run.TaskSweep()
	if err != nil {
		return submit.Retried{}, err
	}
	return submit.Retry(ctx, client, run, sweep.Slurm, submit.RetryOptions{Rest: true})
}

// report learns and reports from the database of the run.
func (c *mergeCommand) report(ctx context.Context, m *slurm.Merge) (err error) {
	j, err := analysis.Open(ctx, m.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	counts, err := j.DB().Count(ctx)
	if err != nil {
		return err
	}

	for s, n := range counts {
		m.Trials.Add(s, n)
	}
	plan, err := c.run.Plan()
	if err != nil {
		return err
	}
	m.Trials.Of = m.Trials.Done
	if len(m.Missing) > 0 {
		m.Trials.Of = max(m.Trials.Of, plan.Trials())
	}

	report, err := show.Finish(ctx, c.w, j, c.run.Dir, command.Shown(m.Database), command.Version())
	if err != nil {
		return err
	}
	if report != nil {
		m.Report = report.Page
	}
	return nil
}

// printFaulty says which journals can't be read in full, and what that means.
func printFaulty(w io.Writer, faulty []slurm.Fault) {
	printFew(w, faulty, show.MostFailures, "more journal", "more journals", func(f slurm.Fault) {
		wrong, so := "", "no trial is missing by that"
		if f.Unread {
			wrong = " could not be read to its end"
		}
		if f.Again {
			so = "what is missing by that is measured again"
		}
		printHints(w, fmt.Sprintf("journal %s%s: %s; %s", f.File, wrong, f.First, so))
	})
}

// mergeVerdict returns an error if chunks are missing or trials failed. skipped says why tasks had nothing to
// measure.
func mergeVerdict(run *slurm.Run, n slurm.Trials, missing int, skipped []string) error {
	var problems []string
	hint := ""
	switch {
	case n.OK > 0:
	case n.Done == 0 && missing == 0 && len(skipped) > 0:
		problems = append(problems, command.NothingLeft(skipped))
	default:
		problems = append(problems, "no trial succeeded")
	}
	if missing > 0 {
		problems = append(problems, chunks(missing)+" not complete")
		hint = fmt.Sprintf("`%s` goes on with the chunks that have no task", again(run))
	}
	if n.Failed > 0 {
		problems = append(problems, term.Trials(n.Failed)+" failed")
	}
	if len(problems) == 0 {
		return nil
	}
	return command.SomeFailed(errors.New(strings.Join(problems, ", ")), hint)
}
