// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/tuner/hardware"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// runCommand is the command run.
type runCommand struct {
	out                                            string
	quiet, effort, retry, offline, noReport, watch bool
	output                                         command.Output
	once                                           configs.Once

	again []string // The words that go on with the run.
	sweep *configs.Sweep
	w     io.Writer
	data  io.Writer // What is printed for programs.
	line  *show.Progress
	page  string // The report.
	db    *store.DB
	// What tune adds; the functions may be nil.
	observe  func(tuner.Event)
	accept   func(trial.Matrix) error
	roofless bool // The bandwidth of the device is not measured: that takes longer than a small matrix.
}

func newRun() *cobra.Command {
	var r runCommand
	cmd := &cobra.Command{
		Use:   "run SWEEP",
		Short: "Measure a sweep, then learn and report",
		Long: `run measures every trial of a sweep that its database does not hold yet. Then it
learns the selection rule and makes the report. SWEEP is a file, or the name of
a sweep that comes with the program. A run that was killed continues where it
stopped when you run it again. In place of a sweep it takes a matrix, as tune does.

With --json, it prints one object at its end: counts, the database, and the best for
each matrix. Progress then goes to the standard error output.

Exit codes: 0 every trial is measured; 1 the sweep could not go on; 2 the
command line or the sweep file is wrong; 3 some trials failed (they are listed);
130 interrupted.`,
		Example: `  spmvtune run quickstart
  spmvtune run my-sweep.toml --out results/a30
  spmvtune run quickstart --set protocol.cache=cold --kernel 'cpu_csr*' --out cold
  spmvtune run my-sweep.toml --retry-failed`,
		Args:              command.NeedsSweep,
		ValidArgsFunction: command.CompleteSweep,
		RunE:              r.Run,
	}
	f := cmd.Flags()
	f.StringVarP(&r.out, "out", "o", "", "folder of the results (default "+command.OutRoot()+"/NAME)")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "print errors only")
	f.BoolVarP(&r.effort, "verbose", "v", false, "print where the time of trials went")
	f.BoolVarP(&r.watch, "watch", "w", false, "on a terminal, show a live table of the best for each matrix")
	f.BoolVar(&r.retry, "retry-failed", false, "measure trials again that ended in wrong, fault, timeout or oom")
	f.BoolVar(&r.noReport, "no-report", false, "measure only; spmvtune report makes the rest from the database")
	cmd.MarkFlagsMutuallyExclusive("quiet", "verbose")
	cmd.MarkFlagsMutuallyExclusive("quiet", "watch")
	r.output.Flags(cmd)
	command.FlagOnce(cmd, &r.once)
	command.FlagOffline(cmd, &r.offline)
	command.FlagFile(cmd, "out")
	return cmd
}

// Run measures a sweep, learns and reports.
func (r *runCommand) Run(cmd *cobra.Command, args []string) (err error) {
	if isMatrix(args[0]) {
		for _, flag := range []string{"verbose", "watch", "no-report", "set", "matrix", "kernel"} {
			if cmd.Flags().Changed(flag) {
				return command.Usage(fmt.Errorf("--%s is for sweeps, and %s is a matrix", flag, args[0]))
			}
		}
		t := defaultTune
		t.runCommand = *r
		return t.Run(cmd, args)
	}
	if r.sweep, err = command.LoadSweep(cmd, args[0], r.once); err != nil {
		return err
	}
	r.out = cmp.Or(r.out, filepath.Join(command.OutRoot(), r.sweep.Name))
	r.again = append([]string{"spmvtune", "run", command.Shown(args[0]), "--out", r.out}, r.once.Words()...)
	r.w, r.data = cmd.OutOrStdout(), io.Discard
	if r.output.Data() {
		r.w, r.data = cmd.ErrOrStderr(), r.w
	}
	r.line = show.New(r.w, r.w)
	if r.quiet {
		r.w = io.Discard
		r.line = show.New(r.w, cmd.ErrOrStderr())
	}

	return r.run(cmd.Context())
}

// run measures what is left of the sweep in its folder, and finishes.
func (r *runCommand) run(ctx context.Context) error {
	parts, missing, closeAll, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer closeAll()
	if r.line.Changed, err = anew(ctx, r.db, r.sweep); err != nil {
		return err
	}
	show.Title(r.w, r.sweep)
	if missing != nil {
		fmt.Fprintf(r.w, "note: skipping GPU kernels: %v\n", missing)
	}
	sum, err := r.work(ctx, parts)
	if err == nil || sum.Trials > 0 {
		show.Summary(r.w, sum)
	}
	if err != nil {
		return err
	}
	if r.effort {
		show.Effort(r.w, sum.Breakdown)
	}

	err = r.end(ctx, sum)
	if r.output.Data() {
		err = errors.Join(r.print(context.WithoutCancel(ctx), r.data, sum), err)
	}
	return err
}

// open opens the database in the folder of the run, which is nobody else's until closeAll is called. It returns the
// parts of the sweep that can be measured here, and why others can't.
func (r *runCommand) open(ctx context.Context) (parts []*configs.Sweep, missing error, closeAll func(), err error) {
	parts, missing = hardware.Parts(ctx, r.sweep)
	if len(parts) == 0 {
		return nil, nil, nil, missing
	}
	unlock, err := lockFolder(r.out)
	if err != nil {
		return nil, nil, nil, err
	}
	if r.db, err = store.Open(r.database()); err != nil {
		unlock()
		return nil, nil, nil, err
	}
	return parts, missing, func() { r.db.Close(); unlock() }, nil
}

// work measures the parts of the sweep and decides what is tied.
func (r *runCommand) work(ctx context.Context, parts []*configs.Sweep) (sum tuner.Summary, err error) {
	if err := r.db.Use(ctx, tuner.RunInfo{Sweep: r.sweep, Protocol: worker.ProtocolText(r.sweep.Protocol),
		Version: command.ThisBuild().String()}); err != nil {
		return sum, err
	}
	byRule, err := analysis.NewChooser(ctx, r.sweep)
	if err != nil {
		return sum, err
	}
	end := show.KeepLive(r.out, func() show.LiveState {
		s := r.line.State()
		s.Sweep = r.sweep.Name
		return s
	})
	sum, err = r.measure(ctx, parts, byRule)
	end(how(sum, err))
	if err == nil {
		_, err = r.db.DecideTies(context.WithoutCancel(ctx))
	}
	return sum, err
}

// end learns and reports after the measuring, and says what is wrong with what was measured.
func (r *runCommand) end(ctx context.Context, sum tuner.Summary) error {
	if sum.Interrupted {
		return r.interrupted()
	}
	if !r.noReport {
		if err := r.finish(ctx); err != nil {
			return err
		}
	}
	return verdict(sum, r.again)
}

// interrupted says how to go on.
func (r *runCommand) interrupted() error {
	return &command.Error{Code: command.ExitInterrupted, Err: errors.New("interrupted"),
		Hint: fmt.Sprintf("what was measured is kept; `%s` continues", term.Shell(r.again...))}
}

// how says how measuring ended.
func how(sum tuner.Summary, err error) string {
	switch {
	case sum.Interrupted:
		return show.EndedInterrupted
	case err != nil:
		return show.EndedFailed
	}
	return show.EndedMeasured
}

// measure measures the parts of the sweep one after the other.
func (r *runCommand) measure(ctx context.Context, parts []*configs.Sweep, byRule *analysis.Chooser) (sum tuner.Summary,
	err error) {
	opt := tuner.Options{Retry: r.retry, Accept: r.accept, Version: command.ThisBuild().String()}
	opt.Observe = func(e tuner.Event) {
		if r.observe != nil {
			r.observe(e)
		}
		r.line.Observe(e)
	}
	opt.Node, opt.Job = hardware.Here()
	if opt.Resolver, err = show.NewResolver(r.offline, r.line); err != nil {
		return sum, err
	}
	byRule.Use(&opt)
	opt.Roofless = r.roofless
	r.line.Known = func(device, matrix string) []show.Leader { return r.leaders(ctx, device, matrix) }
	if r.watch {
		r.line.Watch(show.TitleOf(r.sweep.Name, r.sweep.Title))
	}
	defer r.line.Clear()

	for _, part := range parts {
		if opt.Launch, err = hardware.LaunchWorker(part.Device.Backend); err != nil {
			return sum, err
		}
		done, err := tuner.Run(ctx, part, r.db, opt)
		sum.Add(done)
		if err != nil {
			return sum, hardware.ExplainGPU(err)
		}
		if sum.Interrupted {
			break
		}
	}
	return sum, nil
}

// finish prints the winners, learns and reports.
func (r *runCommand) finish(ctx context.Context) error {
	j, err := analysis.Of(ctx, r.db)
	if err != nil {
		return err
	}
	report, err := show.Finish(ctx, r.w, j, r.out, r.database(), command.Version())
	if report != nil {
		r.page = report.Page
	}
	return err
}

func (r *runCommand) database() string { return filepath.Join(r.out, analysis.DatabaseFile) }

// leaders returns the configurations that the database has as the best of a matrix on a device, in what the sweep
// measures. It is for display: an error counts as none.
func (r *runCommand) leaders(ctx context.Context, device, matrix string) (list []show.Leader) {
	best, _ := r.db.Best(ctx, store.Filter{Device: device, Matrix: matrix})
	for _, b := range best {
		own := func(s configs.Space) bool { return slices.Contains(s.Precisions, b.Precision) }
		if c := r.sweep.Protocol.Cache; (c == "both" || c == string(b.Cache)) && slices.ContainsFunc(r.sweep.Kernels, own) {
			list = append(list, show.Leader{Config: b.Config, Cache: b.Cache, Seconds: b.Time, GFLOPS: b.GFLOPS, GBPS: b.GBPS})
		}
	}
	return list
}

// verdict makes an error of failed trials and matrices, and of a sweep without a single
// verified trial.
func verdict(sum tuner.Summary, again []string) error {
	var problems []string
	switch {
	case sum.Measured[trial.OK]+sum.OKBefore > 0 || sum.OutOfTime:
	case sum.Trials == 0 && len(sum.Skipped) > 0:
		problems = append(problems, command.NothingLeft(slices.Sorted(maps.Keys(sum.Skipped))))
	default:
		problems = append(problems, "no trial succeeded")
	}
	unmeasured := lists.Where(sum.Failures, func(f tuner.Failure) bool { return !f.Measured })
	unusable := lists.Of(unmeasured, func(f tuner.Failure) string { return f.Matrix })
	if n := len(unusable); n > 0 {
		problems = append(problems, fmt.Sprintf("%s could not be used (%s)", term.Matrices(n),
			term.Some(unusable, command.FewNames)))
	}
	hint := ""
	if failed := len(sum.Failed) + sum.FailedBefore; failed > 0 {
		problems = append(problems, term.Trials(failed)+" failed")
		hint = fmt.Sprintf("`%s` measures them again", term.Shell(slices.Insert(slices.Clone(again), 2, "--retry-failed")...))
		if slices.ContainsFunc(sum.Failed, func(r trial.Result) bool { return !slices.Contains(kernels.Names(), r.Kernel) }) {
			hint = fmt.Sprintf("`%s` measures a kernel of your own again once it has changed; with --retry-failed, "+
				"whatever failed", term.Shell(again...))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return command.SomeFailed(errors.New(strings.Join(problems, ", ")), hint)
}

// A ranData is what run prints for programs when it has ended, in one object of JSON. Its other formats are tables
// of the best configurations.
type ranData struct {
	Sweep    string `json:"sweep"`
	Database string `json:"database"`
	// Report is the page, "" without one.
	Report string `json:"report"`
	// Trials is the size of the plan, Known how many of it an earlier run had measured.
	Trials   int                  `json:"trials"`
	Known    int                  `json:"known"`
	Measured map[trial.Status]int `json:"measured"`
	// FailedBefore is how many failed in earlier runs and were not tried again.
	FailedBefore int `json:"failed_before"`
	// Unusable are matrices that could not be used, with the reason.
	Unusable    map[string]string `json:"unusable"`
	Interrupted bool              `json:"interrupted"`
	OutOfTime   bool              `json:"out_of_time"`
	// Best are the rows of the view best.
	Best []map[string]any `json:"best"`
}

// print prints what a run has come to.
func (r *runCommand) print(ctx context.Context, w io.Writer, sum tuner.Summary) error {
	view, err := r.db.Query(ctx, "best")
	if err != nil {
		return err
	}
	if r.output.Format != "json" {
		return r.output.Write(w, term.Table{Columns: view.Columns, Rows: view.Rows})
	}
	d := ranData{
		Sweep: r.sweep.Name, Database: r.database(), Report: r.page,
		Trials: sum.Trials, Known: sum.Finished, Measured: sum.Measured, FailedBefore: sum.FailedBefore,
		Unusable: map[string]string{}, Interrupted: sum.Interrupted, OutOfTime: sum.OutOfTime,
		Best: lists.Records(view.Columns, view.Rows),
	}
	for _, f := range sum.Failures {
		if !f.Measured {
			d.Unusable[f.Matrix] = f.Err.Error()
		}
	}
	return r.output.Write(w, d)
}

// lockFolder keeps other runs from measuring into the same folder: two runs at once would
// disturb each other. The lock ends with the process.
func lockFolder(dir string) (unlock func(), err error) {
	const elsewhere = "give another folder with --out"
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, command.WithHint(fmt.Errorf("making the folder of the results: %w", err), elsewhere)
	}
	unlock, taken, err := files.LockNow(filepath.Join(dir, ".lock"))
	if taken {
		return nil, command.WithHint(fmt.Errorf("another run is measuring into %s", dir),
			"wait for it, or give another folder with --out")
	}
	if err != nil {
		return nil, command.WithHint(fmt.Errorf("locking the folder of the results: %w", err), elsewhere)
	}
	return unlock, nil
}
