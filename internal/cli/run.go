package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/plots"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/tuner"
)

// The files of a results folder.
const (
	databaseFile = "results.db"
	ruleText     = "rule.txt"
	ruleJSON     = "rule.json"
	reportFile   = "report.html"
)

func newRun() *cobra.Command {
	var out string
	var quiet, retry bool
	cmd := &cobra.Command{
		Use:   "run SWEEP",
		Short: "Measure a sweep, then learn and report",
		Long: `run measures every trial of a sweep that its database does not hold yet, then
learns the selection rule and makes the report. SWEEP is a file, or the name of
a sweep that comes with the program. Killed at any moment, it goes on where it
stopped when run again.

Exit codes: 0 all trials are measured; 1 the sweep could not go on; 2 the
command line or the sweep file is wrong; 3 some trials failed (they are listed);
130 interrupted.`,
		Example: `  spmvtune run quickstart
  spmvtune run my-sweep.toml --out results/a30
  spmvtune run my-sweep.toml --retry-failed`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeSweep,
		RunE: func(cmd *cobra.Command, args []string) error {
			sweep, err := loadSweep(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(outRoot, sweep.Name)
			}
			w := cmd.OutOrStdout()
			if quiet {
				w = io.Discard
			}
			return runSweep(cmd.Context(), w, sweep, args[0], out, retry)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder of the results (default "+outRoot+"/NAME)")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print errors only")
	cmd.Flags().BoolVar(&retry, "retry-failed", false, "measure again the trials that ended in wrong, fault, timeout or oom")
	return cmd
}

// loadSweep loads a sweep; all its mistakes are mistakes of the user's.
func loadSweep(name string) (*configs.Sweep, error) {
	sweep, err := configs.Load(name)
	if err != nil {
		return nil, &exitError{exitUsage, err, "spmvtune help config describes the format"}
	}
	return sweep, nil
}

func completeSweep(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return configs.Shipped(), cobra.ShellCompDirectiveDefault
}

// runSweep measures what is left of sweep, and refreshes rule and report.
func runSweep(ctx context.Context, w io.Writer, sweep *configs.Sweep, name, out string, retry bool) error {
	unlock, err := lockFolder(out)
	if err != nil {
		return err
	}
	defer unlock()
	db, err := store.Open(filepath.Join(out, databaseFile))
	if err != nil {
		return err
	}
	defer db.Close()
	printTitle(w, sweep)
	list, err := parts(ctx, w, sweep)
	if err != nil {
		return err
	}
	var failed tuner.Summary
	for _, part := range list {
		sum, err := runPart(ctx, w, part, db, retry)
		if err != nil {
			return err
		}
		if sum.Interrupted {
			return &exitError{exitInterrupted, errors.New("interrupted"),
				fmt.Sprintf("what was measured is kept; `spmvtune run %s --out %s` goes on", name, out)}
		}
		failed.Failed = append(failed.Failed, sum.Failed...)
		failed.Failures = append(failed.Failures, sum.Failures...)
		failed.FailedBefore += sum.FailedBefore
	}
	if err := printWinners(ctx, w, db); err != nil {
		return err
	}
	if err := refresh(ctx, w, db, out); err != nil {
		return err
	}
	return failures(failed, name, out)
}

// runPart measures what runs on one backend.
func runPart(ctx context.Context, w io.Writer, part *configs.Sweep, db *store.DB, retry bool) (tuner.Summary, error) {
	launch, err := launchWorker(part.Device.Backend)
	if err != nil {
		return tuner.Summary{}, err
	}
	show := newProgress(w, len(part.Matrices))
	sum, err := tuner.Run(ctx, part, db, tuner.Options{
		Launch: launch, Retry: retry, Observe: show.observe, Version: programVersion(),
	})
	show.close()
	if err == nil {
		printSummary(w, sum)
	}
	return sum, err
}

// mostWinners is how many rows of winners end a run; best prints them all.
const mostWinners = 32

// printWinners prints the best configurations in db.
func printWinners(ctx context.Context, w io.Writer, db *store.DB) error {
	best, err := db.Best(ctx, store.Filter{})
	if err != nil || len(best) == 0 {
		return err
	}
	fmt.Fprintln(w)
	if err := printBest(w, best[:min(len(best), mostWinners)]); err != nil {
		return err
	}
	if more := len(best) - mostWinners; more > 0 {
		fmt.Fprintf(w, "… and %d more rows: spmvtune best %s\n", more, db.Path())
	}
	fmt.Fprintln(w)
	return nil
}

// failures makes an error of what went wrong with trials and matrices.
func failures(sum tuner.Summary, name, out string) error {
	matrices, trials := len(sum.Failures), len(sum.Failed)+sum.FailedBefore
	if matrices+trials == 0 {
		return nil
	}
	e := &exitError{code: exitSomeFailed}
	switch {
	case matrices == 0:
		e.err = fmt.Errorf("%d trials failed", trials)
	case trials == 0:
		e.err = fmt.Errorf("%d matrices could not be used", matrices)
	default:
		e.err = fmt.Errorf("%d matrices could not be used, %d trials failed", matrices, trials)
	}
	if trials > 0 {
		e.hint = fmt.Sprintf("`spmvtune run %s --out %s --retry-failed` measures them again", name, out)
	}
	return e
}

// refresh learns the rule from db and writes it and the report below out.
func refresh(ctx context.Context, w io.Writer, db *store.DB, out string) error {
	learned, err := learn(ctx, db)
	if err != nil {
		return err
	}
	if learned == nil {
		fmt.Fprintln(w, "no trial is measured yet: no rule and no report")
		return nil
	}
	var text bytes.Buffer
	if err := learned.WriteJSON(&text); err != nil {
		return err
	}
	if err := db.SaveRule(ctx, store.SavedRule{Sweep: learned.Sweep, Learned: time.Now(), JSON: text.Bytes()}); err != nil {
		return err
	}
	return writeReport(ctx, w, db, learned, out)
}

// writeReport writes the rule's files, the figures, the tables and the page.
func writeReport(ctx context.Context, w io.Writer, db *store.DB, learned *rule.Rule, out string) error {
	if learned != nil {
		if err := writeRule(out, learned); err != nil {
			return err
		}
	}
	opt, err := reportOptions(ctx, db)
	if err != nil {
		return err
	}
	written, err := plots.Report(ctx, db, learned, out, opt)
	if err != nil {
		return fmt.Errorf("making the report: %w", err)
	}
	for _, warning := range written.Warnings {
		fmt.Fprintf(w, "note: %v\n", warning)
	}
	fmt.Fprintf(w, "report: %s (and %d figures and tables beside it)\n", filepath.Join(out, reportFile), len(written.Files)-1)
	return nil
}

// writeRule writes a rule as text and as JSON.
func writeRule(out string, r *rule.Rule) error {
	for name, write := range map[string]func(io.Writer) error{ruleText: r.WriteText, ruleJSON: r.WriteJSON} {
		if err := writeFile(filepath.Join(out, name), write); err != nil {
			return err
		}
	}
	return nil
}

// writeFile makes a file appear whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Chmod(0o666&^umask), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
