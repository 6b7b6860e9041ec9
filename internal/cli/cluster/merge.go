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
	"spmvtune/internal/job"
	"spmvtune/internal/term"
	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/slurm/status"
	"spmvtune/store"
)

func newMerge() *cobra.Command {
	var root string
	var round int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge RUN",
		Short: "Bring what a run has measured into its database, and report",
		Long: `merge brings what the tasks of a run have measured into RUN/results.db, learns the
selection rule and makes the report there. The last job of a run does that by
itself; by hand it can be done at any time, also while tasks run, and again.

Exit codes: 0 all is measured; 1 it could not be merged; 3 chunks are missing or
trials failed (they are listed).`,
		Example:           `  spmvtune merge runs/block-size-20261121-k3fq7a`,
		Args:              command.Needs(aRun),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := openRun(root, args[0])
			if err != nil {
				return err
			}
			text, out := cmd.OutOrStdout(), io.Discard
			if asJSON {
				text, out = out, text
			}
			return mergeRun(cmd.Context(), text, out, run, round)
		},
	}
	flagRuns(cmd, &root)
	cmd.Flags().IntVar(&round, "round", 0, "the round that ends with this merge; 0: none")
	cobra.CheckErr(cmd.Flags().MarkHidden("round"))
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// mergedJSON is what `merge --json` prints.
type mergedJSON struct {
	merge.Last
	Chunks []status.Chunk `json:"chunks,omitempty"` // that are missing
	Silent string         `json:"silent,omitempty"` // why Slurm does not answer
}

// mergeRun merges, learns and reports. It prints text to w, and JSON to out. What is
// missing is what the journals lack; Slurm, asked afterwards, has only words for it.
func mergeRun(ctx context.Context, w, out io.Writer, run *slurm.Run, round int) error {
	last, err := merge.Run(ctx, run, round, func(m *merge.Last) error {
		fmt.Fprintf(w, "merged %s: %s new, %d known already: %s\n", term.Count(m.Journals, "journal", "journals"),
			term.Trials(m.New), m.Known, command.Shown(m.Database))
		printFaulty(w, m.Faulty)
		return reportRun(ctx, w, run, m)
	})
	if err != nil {
		return err
	}
	observer := &status.Observer{Client: statusClient}
	why, silent, err := observer.Explain(ctx, run, last.Missing)
	if len(last.Missing) > 0 {
		printOpen(w, why)
		printSilent(w, silent)
	}
	return errors.Join(err, term.WriteJSON(out, mergedJSON{last, why, silent}), mergeVerdict(run, last.Trials, len(last.Missing)))
}

// reportRun learns and reports from the database of a run.
func reportRun(ctx context.Context, w io.Writer, run *slurm.Run, m *merge.Last) (err error) {
	db, err := store.Open(m.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	counts, err := db.Count(ctx)
	if err != nil {
		return err
	}
	for status, n := range counts {
		m.Trials.Add(status, n)
	}
	m.Trials.Of = m.Trials.Done
	j, err := job.Of(ctx, db)
	if err != nil {
		return err
	}
	if err := show.Winners(ctx, w, j, command.Shown(m.Database)); err != nil {
		return err
	}
	report, err := j.Finish(ctx, job.Options{Out: run.Dir, Version: command.Version(), KeepRule: true})
	if err != nil {
		return err
	}
	show.Report(w, report)
	if report != nil {
		m.Report = report.Page
	}
	return nil
}

// printFaulty says which journals could not be read in full.
func printFaulty(w io.Writer, faulty []merge.Fault) {
	for i, f := range faulty {
		if i == show.MostFailures {
			fmt.Fprintf(w, "… and %s more\n", term.Count(len(faulty)-i, "journal", "journals"))
			break
		}
		if f.Unread {
			fmt.Fprintf(w, "note: journal %s could not be read, or not to its end: %s\n", f.File, f.First)
			continue
		}
		fmt.Fprintf(w, "note: journal %s: %s; all else in it is merged\n", f.File, f.First)
	}
}

// mergeVerdict makes an error of how many chunks are missing and of what failed.
func mergeVerdict(run *slurm.Run, n merge.Trials, missing int) error {
	var problems []string
	if n.OK == 0 {
		problems = append(problems, "no trial succeeded")
	}
	e := &command.Error{Code: command.ExitSomeFailed}
	if missing > 0 {
		problems = append(problems, chunks(missing)+" not complete")
		e.Hint = fmt.Sprintf("`%s` submits what has no task any more", onRun("retry", run))
	}
	if n.Failed > 0 {
		problems = append(problems, term.Trials(n.Failed)+" failed")
	}
	if len(problems) == 0 {
		return nil
	}
	e.Err = errors.New(strings.Join(problems, ", "))
	return e
}
