package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/atomicfile"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
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
		Args:              command.Needs("a sweep: a file, or the name of a shipped one such as quickstart"),
		ValidArgsFunction: command.CompleteSweep,
		RunE: func(cmd *cobra.Command, args []string) error {
			sweep, err := command.LoadSweep(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(command.OutRoot, sweep.Name)
			}
			w := cmd.OutOrStdout()
			line := show.New(w, w)
			if quiet {
				w = io.Discard
				line = show.New(w, cmd.ErrOrStderr())
			}
			settler, err := show.NewResolver(offline, line)
			if err != nil {
				return err
			}
			return runSweep(cmd.Context(), w, line, sweep, args[0], out, ends, tuner.Options{Retry: retry, Resolver: settler})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder of the results (default "+command.OutRoot+"/NAME)")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print errors only")
	cmd.Flags().BoolVarP(&ends.effort, "verbose", "v", false, "say where the time of trials went")
	cmd.MarkFlagsMutuallyExclusive("quiet", "verbose")
	cmd.Flags().BoolVar(&retry, "retry-failed", false, "measure again the trials that ended in wrong, fault, timeout or oom")
	cmd.Flags().BoolVar(&ends.nothing, "no-report", false, "measure only; report makes the rest from the database")
	command.FlagOffline(cmd, &offline)
	command.FlagFile(cmd, "out")
	return cmd
}

// An ending is what a run does after measuring.
type ending struct {
	effort  bool // say where the time went
	nothing bool // no winners, no rule, no report
}

// runSweep measures what is left of sweep, and refreshes rule and report.
func runSweep(ctx context.Context, w io.Writer, line *show.Progress, sweep *configs.Sweep, name, out string, ends ending, opt tuner.Options) error {
	list, missing := hardware.Parts(ctx, sweep)
	if len(list) == 0 {
		return missing
	}
	unlock, err := lockFolder(out)
	if err != nil {
		return err
	}
	defer unlock()
	db, err := store.Open(filepath.Join(out, command.DatabaseFile))
	if err != nil {
		return err
	}
	defer db.Close()
	show.Title(w, sweep)
	if missing != nil {
		fmt.Fprintf(w, "note: the kernels for a GPU are left out: %v\n", missing)
	}
	line.Known = func(device, matrix string) (kernel, setting string, seconds float64) {
		return fastest(ctx, db, device, matrix)
	}
	byRule, err := newChooser(ctx, sweep)
	if err != nil {
		return err
	}
	byRule.use(&opt)
	var sum tuner.Summary
	for _, part := range list {
		done, err := runPart(ctx, line, part, db, opt)
		if show.Unite(&sum, done); err != nil {
			show.Summary(w, sum)
			return err
		}
		if sum.Interrupted {
			break
		}
	}
	show.Summary(w, sum)
	if ends.effort {
		show.Effort(w, sum.Effort)
	}
	if ends.nothing && !sum.Interrupted {
		return verdict(sum, name, out)
	}
	if _, err := db.Settle(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if sum.Interrupted {
		return &command.Error{Code: command.ExitInterrupted, Err: errors.New("interrupted"),
			Hint: fmt.Sprintf("what was measured is kept; `%s` goes on", term.Shell("spmvtune", "run", name, "--out", out))}
	}
	if err := show.Winners(ctx, w, db, filepath.Join(out, command.DatabaseFile)); err != nil {
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
func runPart(ctx context.Context, line *show.Progress, part *configs.Sweep, db *store.DB, opt tuner.Options) (tuner.Summary, error) {
	var err error
	if opt.Launch, err = hardware.LaunchWorker(part.Device.Backend); err != nil {
		return tuner.Summary{}, err
	}
	defer line.Clear()
	opt.Observe, opt.Version = line.Observe, command.Version()
	opt.Node, opt.Job = hardware.Here()
	sum, err := tuner.Run(ctx, part, db, opt)
	return sum, hardware.ExplainGPU(err)
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

// writeRule writes a rule as text and as JSON.
func writeRule(out string, r *rule.Rule) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{command.RuleText: r.WriteText, command.RuleJSON: r.WriteJSON} {
		if err := atomicfile.WriteTo(filepath.Join(out, name), write); err != nil {
			return err
		}
	}
	return nil
}

// verdict makes an error of what went wrong with trials and matrices, and of a
// sweep without a single good trial.
func verdict(sum tuner.Summary, name, out string) error {
	var problems []string
	failed := len(sum.Failed) + sum.FailedBefore
	if sum.Measured[trial.OK]+sum.OKBefore == 0 && !sum.OutOfTime {
		problems = append(problems, "no trial succeeded")
	}
	if n := len(sum.Failures); n > 0 {
		names := make([]string, n)
		for i, f := range sum.Failures {
			names[i] = f.Matrix
		}
		problems = append(problems, fmt.Sprintf("%s could not be used (%s)", term.Matrices(n), term.Some(names, command.FewNames)))
	}
	if failed > 0 {
		problems = append(problems, term.Trials(failed)+" failed")
	}
	if len(problems) == 0 {
		return nil
	}
	e := &command.Error{Code: command.ExitSomeFailed, Err: errors.New(strings.Join(problems, ", "))}
	if failed > 0 {
		e.Hint = fmt.Sprintf("`%s` measures them again", term.Shell("spmvtune", "run", name, "--out", out, "--retry-failed"))
	}
	return e
}
