package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/atomicfile"
	"spmvtune/internal/term"
	"spmvtune/kernels"
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
	var quiet, retry, offline bool
	var ends ending
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
		Args:              needs("a sweep: a file, or the name of a shipped one such as quickstart"),
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
			show := newProgress(w, w)
			if quiet {
				w = io.Discard
				show = newProgress(w, cmd.ErrOrStderr())
			}
			settler, err := newSettler(offline, show)
			if err != nil {
				return err
			}
			return runSweep(cmd.Context(), w, show, sweep, args[0], out, ends, tuner.Options{Retry: retry, Settler: settler})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder of the results (default "+outRoot+"/NAME)")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print errors only")
	cmd.Flags().BoolVarP(&ends.effort, "verbose", "v", false, "say where the time of trials went")
	cmd.MarkFlagsMutuallyExclusive("quiet", "verbose")
	cmd.Flags().BoolVar(&retry, "retry-failed", false, "measure again the trials that ended in wrong, fault, timeout or oom")
	cmd.Flags().BoolVar(&ends.nothing, "no-report", false, "measure only; report makes the rest from the database")
	flagOffline(cmd, &offline)
	flagFile(cmd, "out")
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

// An ending is what a run does after measuring.
type ending struct {
	effort  bool // say where the time went
	nothing bool // no winners, no rule, no report
}

// runSweep measures what is left of sweep, and refreshes rule and report.
func runSweep(ctx context.Context, w io.Writer, show *progress, sweep *configs.Sweep, name, out string, ends ending, opt tuner.Options) error {
	list, missing := parts(ctx, sweep)
	if len(list) == 0 {
		return missing
	}
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
	if missing != nil {
		fmt.Fprintf(w, "note: the kernels for a GPU are left out: %v\n", missing)
	}
	show.known = func(device, matrix string) (kernel, setting string, seconds float64) {
		return fastest(ctx, db, device, matrix)
	}
	byRule, err := newChooser(ctx, sweep)
	if err != nil {
		return err
	}
	byRule.use(&opt)
	var sum tuner.Summary
	for _, part := range list {
		done, err := runPart(ctx, show, part, db, opt)
		if unite(&sum, done); err != nil {
			printSummary(w, sum)
			return err
		}
		if sum.Interrupted {
			break
		}
	}
	printSummary(w, sum)
	if ends.effort {
		printEffort(w, sum.Effort)
	}
	if ends.nothing && !sum.Interrupted {
		return verdict(sum, name, out)
	}
	if _, err := db.Settle(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if sum.Interrupted {
		return &exitError{exitInterrupted, errors.New("interrupted"),
			fmt.Sprintf("what was measured is kept; `%s` goes on", term.Shell("spmvtune", "run", name, "--out", out))}
	}
	if err := printWinners(ctx, w, db, filepath.Join(out, databaseFile)); err != nil {
		return err
	}
	if err := byRule.print(ctx, w, db, sum.Device); err != nil {
		return err
	}
	if err := refresh(ctx, w, db, out); err != nil {
		return err
	}
	return verdict(sum, name, out)
}

// runPart measures what runs on one backend.
func runPart(ctx context.Context, show *progress, part *configs.Sweep, db *store.DB, opt tuner.Options) (tuner.Summary, error) {
	var err error
	if opt.Launch, err = launchWorker(part.Device.Backend); err != nil {
		return tuner.Summary{}, err
	}
	defer show.clear()
	opt.Observe, opt.Version = show.observe, programVersion()
	opt.Node, opt.Job = here()
	sum, err := tuner.Run(ctx, part, db, opt)
	return sum, explainGPU(err)
}

// fastest gives the kernel that db has as the best of a matrix on a device, the
// rest of its configuration, and its time in seconds; 0 if it has none. It is for
// show: an error is none.
func fastest(ctx context.Context, db *store.DB, device, matrix string) (kernel, setting string, seconds float64) {
	best, err := db.Best(ctx, store.Filter{Device: device, Matrix: matrix})
	if err != nil {
		return "", "", 0
	}
	for _, b := range best {
		if s := b.Median; seconds == 0 || s < seconds {
			c := kernels.Config{Precision: b.Precision, Block: b.Block, Grid: b.Grid}
			kernel, setting, seconds = b.Kernel, strings.TrimSpace(c.String()+" "+b.Params.String()), s
		}
	}
	return kernel, setting, seconds
}

// mostWinners is how many rows of winners end a run; best prints them all.
const mostWinners = 32

// printWinners prints the best configurations in db, which lies at path.
func printWinners(ctx context.Context, w io.Writer, db *store.DB, path string) error {
	best, err := db.Best(ctx, store.Filter{})
	if err != nil || len(best) == 0 {
		return err
	}
	fmt.Fprintln(w)
	if err := printBest(w, best[:min(len(best), mostWinners)]); err != nil {
		return err
	}
	if more := len(best) - mostWinners; more > 0 {
		fmt.Fprintf(w, "… and %s: %s\n", term.Count(more, "more row", "more rows"), term.Shell("spmvtune", "best", path))
	}
	if err := printTwins(ctx, w, db); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

// writeRule writes a rule as text and as JSON.
func writeRule(out string, r *rule.Rule) error {
	for name, write := range map[string]func(io.Writer) error{ruleText: r.WriteText, ruleJSON: r.WriteJSON} {
		if err := atomicfile.WriteTo(filepath.Join(out, name), write); err != nil {
			return err
		}
	}
	return nil
}
