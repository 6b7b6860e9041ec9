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
	"spmvtune/plots"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/tuner/hardware"

	"spmvtune/analysis"
	"spmvtune/internal/cli/show"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// runCommand is the command run.
type runCommand struct {
	out                                            string
	quiet, effort, retry, offline, noReport, watch bool
	output                                         command.Output

	name  string // The sweep as the user typed it.
	sweep *configs.Sweep
	w     io.Writer
	data  io.Writer // What is printed for programs.
	line  *show.Progress
	page  string // The report.
	db    *store.DB
}

func newRun() *cobra.Command {
	var r runCommand
	cmd := &cobra.Command{
		Use:   "run SWEEP",
		Short: "Measure a sweep, then learn and report",
		Long: `run measures every trial of a sweep that its database does not hold yet. Then it
learns the selection rule and makes the report. SWEEP is a file, or the name of
a sweep that comes with the program. A run that was killed continues where it
stopped when you run it again.

With --json, it prints one object at its end: counts, the database, and the best for
each matrix. Progress then goes to the standard error output.

Exit codes: 0 every trial is measured; 1 the sweep could not go on; 2 the
command line or the sweep file is wrong; 3 some trials failed (they are listed);
130 interrupted.`,
		Example: `  spmvtune run quickstart
  spmvtune run my-sweep.toml --out results/a30
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
	command.FlagOffline(cmd, &r.offline)
	command.FlagFile(cmd, "out")
	return cmd
}

// Run measures a sweep, learns and reports.
func (r *runCommand) Run(cmd *cobra.Command, args []string) (err error) {
	if r.sweep, err = command.LoadSweep(args[0]); err != nil {
		return err
	}
	r.name = args[0]
	if r.out == "" {
		r.out = filepath.Join(command.OutRoot(), r.sweep.Name)
	}
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
	parts, missing := hardware.Parts(ctx, r.sweep)
	if len(parts) == 0 {
		return missing
	}
	unlock, err := lockFolder(r.out)
	if err != nil {
		return err
	}
	defer unlock()
	if r.db, err = store.Open(r.database()); err != nil {
		return err
	}
	defer r.db.Close()
	if r.line.Changed, err = anew(ctx, r.db, r.sweep); err != nil {
		return err
	}
	if err := r.db.Use(ctx, tuner.RunInfo{Sweep: r.sweep, Protocol: worker.ProtocolText(r.sweep.Protocol),
		Version: command.ThisBuild().String()}); err != nil {
		return err
	}

	show.Title(r.w, r.sweep)
	if missing != nil {
		fmt.Fprintf(r.w, "note: skipping GPU kernels: %v\n", missing)
	}
	byRule, err := analysis.NewChooser(ctx, r.sweep)
	if err != nil {
		return err
	}
	end := show.KeepLive(r.out, r.state)
	sum, err := r.measure(ctx, parts, byRule)
	end(how(sum, err))
	if err == nil {
		_, err = r.db.DecideTies(context.WithoutCancel(ctx))
	}
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

// end learns and reports after the measuring, and says what is wrong with what was measured.
func (r *runCommand) end(ctx context.Context, sum tuner.Summary) error {
	if sum.Interrupted {
		return &command.Error{Code: command.ExitInterrupted, Err: errors.New("interrupted"), Hint: fmt.Sprintf(
			"what was measured is kept; `%s` continues", term.Shell("spmvtune", "run", r.name, "--out", r.out))}
	}
	if !r.noReport {
		if err := r.finish(ctx); err != nil {
			return err
		}
	}
	return verdict(sum, r.name, r.out)
}

// state is how far the run is.
func (r *runCommand) state() show.LiveState {
	s := r.line.State()
	s.Sweep = r.sweep.Name
	return s
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
	opt := tuner.Options{Retry: r.retry, Observe: r.line.Observe, Version: command.ThisBuild().String()}
	opt.Node, opt.Job = hardware.Here()
	if opt.Resolver, err = show.NewResolver(r.offline, r.line); err != nil {
		return sum, err
	}
	byRule.Use(&opt)
	r.line.Known = func(device, matrix string) []show.Leader { return leaders(ctx, r.db, device, matrix) }
	if r.watch {
		r.line.Watch(show.TitleOf(r.sweep))
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
	if err := show.Winners(ctx, r.w, j, r.database()); err != nil {
		return err
	}
	stages := show.NewStages(r.w)
	report, err := plots.Finish(ctx, j, plots.Options{Out: r.out, Version: command.Version(), KeepRule: true,
		Progress: stages.At})
	stages.Clear()
	if err != nil {
		return err
	}
	if report != nil {
		r.page = report.Page
	}
	show.Report(r.w, report)
	return nil
}

func (r *runCommand) database() string { return filepath.Join(r.out, analysis.DatabaseFile) }

// leaders returns the configurations that db has as the best of a matrix on a device. It is for
// display: an error counts as none.
func leaders(ctx context.Context, db *store.DB, device, matrix string) (list []show.Leader) {
	best, err := db.Best(ctx, store.Filter{Device: device, Matrix: matrix})
	if err != nil {
		return nil
	}
	for _, b := range best {
		list = append(list, show.Leader{Config: b.Config, Cache: b.Cache, Seconds: b.Time, GFLOPS: b.GFLOPS, GBPS: b.GBPS})
	}
	return list
}

// ofSweep reports whether a trial is of a kernel that is not in the catalogue.
func ofSweep(r trial.Result) bool {
	_, known := kernels.Lookup(r.Kernel)
	return !known
}

// verdict makes an error of failed trials and matrices, and of a sweep without a single
// verified trial.
func verdict(sum tuner.Summary, name, out string) error {
	var problems []string
	switch {
	case sum.Measured[trial.OK]+sum.OKBefore > 0 || sum.OutOfTime:
	case sum.Trials == 0 && len(sum.Skipped) > 0:
		problems = append(problems, command.NothingLeft(slices.Sorted(maps.Keys(sum.Skipped))))
	default:
		problems = append(problems, "no trial succeeded")
	}
	var unusable []string
	for _, f := range sum.Failures {
		if !f.Measured {
			unusable = append(unusable, f.Matrix)
		}
	}
	if n := len(unusable); n > 0 {
		problems = append(problems, fmt.Sprintf("%s could not be used (%s)", term.Matrices(n),
			term.Some(unusable, command.FewNames)))
	}
	hint := ""
	if failed := len(sum.Failed) + sum.FailedBefore; failed > 0 {
		problems = append(problems, term.Trials(failed)+" failed")
		again := []string{"spmvtune", "run", name, "--out", out}
		hint = fmt.Sprintf("`%s` measures them again", term.Shell(append(again, "--retry-failed")...))
		if slices.ContainsFunc(sum.Failed, ofSweep) {
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
		Unusable: map[string]string{}, Interrupted: sum.Interrupted, OutOfTime: sum.OutOfTime, Best: []map[string]any{},
	}
	for _, f := range sum.Failures {
		if !f.Measured {
			d.Unusable[f.Matrix] = f.Err.Error()
		}
	}
	for _, row := range view.Rows {
		best := map[string]any{}
		for i, name := range view.Columns {
			best[name] = row[i]
		}
		d.Best = append(d.Best, best)
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
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, command.WithHint(fmt.Errorf("locking the folder of the results: %w", err), elsewhere)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, command.WithHint(fmt.Errorf("another run is measuring into %s", dir),
				"wait for it, or give another folder with --out")
		}
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}

	return func() { f.Close() }, nil
}

// anew says what of its protocol a sweep has changed since it was measured last, which makes all of its trials new;
// "" if nothing.
func anew(ctx context.Context, db *store.DB, sweep *configs.Sweep) (string, error) {
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return "", err
	}
	before := ""
	for _, s := range sweeps { // the last was run last
		if s.Name == sweep.Name && s.Trials > 0 {
			before = s.ProtocolText
		}
	}
	if before == "" {
		return "", nil
	}
	return protocolChange(before, worker.ProtocolText(sweep.Protocol)), nil
}

// protocolKeys are the keys of a sweep file that are not those of a protocol's text.
var protocolKeys = map[string]string{"budget": "trial_budget"}

// protocolChange says how the texts of two protocols differ.
func protocolChange(before, now string) string {
	was, is := protocolValues(before), protocolValues(now)
	var changes []string
	for word := range strings.FieldsSeq(now + " " + before) {
		key, _, _ := strings.Cut(word, "=")
		from, to, name := was[key], is[key], cmp.Or(protocolKeys[key], key)
		switch {
		case from == to:
		case from == "":
			changes = append(changes, fmt.Sprintf("%s = %s was added", name, to))
		case to == "":
			changes = append(changes, fmt.Sprintf("%s = %s was removed", name, from))
		default:
			changes = append(changes, fmt.Sprintf("%s changed from %s to %s", name, from, to))
		}
		was[key] = to // it is said once
	}
	return strings.Join(changes, ", ")
}

// protocolValues returns the values of a protocol's text by their keys.
func protocolValues(text string) map[string]string {
	values := map[string]string{}
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		values[key] = value
	}
	return values
}
