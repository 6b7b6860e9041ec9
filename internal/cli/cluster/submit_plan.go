// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/slurm/submit"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/hardware"
	"example.org/spmvtune/tuner/journal"
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
		cut.adopted, err = submit.NewMatch(ctx, source, cut.sweep,
			submit.MatchOptions{Sources: hardware.Sources(), Choose: chooserOf, Elsewhere: c.prepareOnly})
	}
	if err != nil {
		return fmt.Errorf("adopting what %s has measured: %w", c.adopted, err)
	}
	return nil
}

// source reads what the named run or database has measured.
func (c *submitCommand) source(ctx context.Context) (*submit.Source, error) {
	if info, err := os.Stat(c.adopted); err == nil && !info.IsDir() {
		return submit.ReadDatabase(ctx, c.adopted)
	}
	run, err := openRun(c.alarm, c.adopted)
	if err != nil {
		return nil, err
	}
	if err := c.isOver(ctx, run); err != nil {
		return nil, err
	}
	return submit.ReadRun(ctx, run)
}

// isOver refuses a run of which something may still be measured: that would be measured twice.
func (c *submitCommand) isOver(ctx context.Context, run *slurm.Run) error {
	s, err := status.Of(ctx, newClient(c.alarm), run)
	active := s.Counts.Running + s.Counts.Waiting + s.Counts.Unclear
	switch {
	case err != nil || active == 0:
		return err
	case s.Silent != "":
		return fmt.Errorf("it is not known whether the run is over: %s", s.Silent)
	}
	return command.WithHint(fmt.Errorf("the run is not over: %s, wait or may do so",
		term.Count(active, "chunk runs", "chunks run")),
		fmt.Sprintf("`%s` follows it, `%s` ends it", onRun("status", run, "--watch"), onRun("cancel", run)))
}

// chooserOf returns what decides about the trials of a sweep that goes by a rule.
func chooserOf(ctx context.Context, part *configs.Sweep) (tuner.Chooser, error) {
	byRule, err := analysis.NewChooser(ctx, part)
	var opt tuner.Options
	byRule.Use(&opt)
	return opt.Choose, err
}

// earlier says if a run of the same sweep has measured something.
func (c *submitCommand) earlier() []string {
	runs, err := slurm.List(c.root)
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
func printAdopted(w io.Writer, m *submit.Match) {
	if m == nil {
		return
	}
	say(w, "adopted %d of %s, from %s", m.Adopted, term.Trials(m.Planned), command.Shown(m.From))
	for _, device := range m.Devices {
		say(w, "measured on %s: tasks refuse to measure on anything else", device)
	}
	printFew(w, m.Others, show.MostFailures, "more reason", "more reasons", func(o submit.Other) {
		say(w, "not counted: %s %s", term.Trials(o.Trials), o.Why)
	})
}

// A cutting is a plan, with what Slurm said about it.
type cutting struct {
	plan  slurm.Plan
	sweep *configs.Sweep // sweep is the sweep with its matrices resolved.
	most  int            // most is the largest number of tasks in an array.
	asked bool           // asked says that Slurm has answered.
	// refused says that submit would refuse this.
	refused bool
	notes   []string
	// adopted is what an earlier run has measured; nil: nothing.
	adopted *submit.Match
	// left is the plan without the chunks that are measured.
	left slurm.Plan
}

// cut resolves the matrices of the sweep and cuts it into chunks that fit into the time limit of
// its tasks. A dry run downloads nothing, and a Slurm that is missing or silent is only a note.
func (c *submitCommand) cut(ctx context.Context) (cutting, error) {
	var cut cutting
	for _, name := range slices.Sorted(maps.Keys(c.sweep.Slurm.Environment)) {
		cut.notes = append(cut.notes, fmt.Sprintf("%s=%s applies, because [slurm] does not set it", name,
			c.sweep.Slurm.Environment[name]))
	}
	limits, err := submit.AskLimits(ctx, c.client, c.sweep.Slurm)
	cut.most, cut.asked, cut.notes = limits.Array, limits.Asked, append(cut.notes, limits.Notes...)
	if err != nil {
		if !c.dryRun || ctx.Err() != nil {
			return cut, err
		}
		note := fmt.Sprintf("%v; arrays of %d tasks, Slurm's default, are assumed", err, limits.Array)
		if cut.refused = cut.asked; cut.refused {
			note = "submit would refuse this: " + err.Error()
		}
		cut.notes = append(cut.notes, note)
	}
	if err := c.resolve(ctx, &cut); err != nil {
		return cut, err
	}

	options := slurm.CutOptions{Target: c.sweep.Slurm.Chunk, Limit: limits.Time, Devices: expected(c.sweep.Slurm)}
	if err := c.adopt(ctx, &cut); err != nil {
		return cut, err
	}
	if cut.adopted != nil {
		options.Left = cut.adopted.Left
	}
	if cut.plan, err = slurm.Cut(cut.sweep, options); err != nil {
		return cut, err
	}
	cut.left.Chunks = lists.Where(cut.plan.Chunks, func(c slurm.Chunk) bool {
		return cut.adopted == nil || !cut.adopted.Complete(c)
	})
	if c.dryRun && cut.asked && !cut.refused {
		if _, err := submit.Ready(ctx, c.client, c.sweep.Slurm, len(cut.left.Chunks)); err != nil {
			cut.notes, cut.refused = append(cut.notes, "submit would refuse this: "+err.Error()), true
		}
	}

	asked, _ := slurm.AskedGPUs(c.sweep.Slurm.Of(0))
	if !asked && !c.prepareOnly && slices.Contains(c.sweep.Backends(), "cuda") {
		cut.notes = append(cut.notes, "the sweep has GPU kernels, but [slurm] asks for no GPU (gres or gpus): "+
			"tasks measure only what runs without one")
	}

	return cut, nil
}

// resolve finds out what the matrices of the sweep are here. Where nothing is submitted, it downloads none.
func (c *submitCommand) resolve(ctx context.Context, cut *cutting) error {
	line := show.New(c.alarm, c.alarm)
	resolver, err := show.NewResolver(c.offline, line)
	if err != nil {
		return err
	}
	defer line.Clear()

	resolved := *c.sweep
	resolved.Matrices = nil
	var errs []error
	for _, m := range c.sweep.Matrices {
		if c.dryRun || c.testOnly {
			m = resolver.Foresee(m)
			cut.notes = append(cut.notes, absent(m)...)
		} else {
			found, why, err := resolver.Resolve(ctx, m)
			if ctx.Err() != nil {
				return err
			}
			if why != nil {
				cut.notes = append(cut.notes, found.Substitution(why))
			}
			m, errs = found, append(errs, err)
		}
		resolved.Matrices = append(resolved.Matrices, m)
	}
	cut.sweep = &resolved
	return errors.Join(errs...)
}

// absent says how a matrix is planned that has to be downloaded.
func absent(m configs.Matrix) []string {
	how := "The plan is for its twin"
	switch {
	case m.Resolved():
		return nil
	case !m.HasTwin():
		how = "Its size is unknown, and the plan ignores its time"
	}
	return []string{fmt.Sprintf("%s is not downloaded yet; submit will do so. %s", m.Name, how)}
}

// expected returns the devices that tasks probably find. The plan only needs the rough number of
// multiprocessors or cores, and the size of the cache.
func expected(s configs.Slurm) map[string]kernels.Device {
	const lastLevelCache = 32 << 20 // of a common server's processor
	return map[string]kernels.Device{
		"cpu":  {Backend: "cpu", Units: max(s.CPUs, 1), Cache: lastLevelCache},
		"cuda": hardware.AssumeGPU(nil).Device,
	}
}

// submitted is what `submit --json` prints.
type submitted struct {
	Run  string      `json:"run"`
	Dir  string      `json:"dir"`
	Plan planSummary `json:"plan"`
	submit.Round
	Notes []string `json:"notes,omitempty"`
	// Adopted says what an earlier run has measured.
	Adopted *submit.Match `json:"adopted,omitempty"`
	// Status is the status at the end, with --wait.
	Status *status.Status `json:"status,omitempty"`
}

// planSummary estimates the work of a plan.
type planSummary struct {
	Chunks int `json:"chunks"`
	Trials int `json:"trials"`
	// Seconds is the time of all tasks together.
	Seconds float64 `json:"seconds"`
	// Longest is the time of the longest task in seconds.
	Longest float64 `json:"longest"`
}

// summaryOf sums up what is left to be measured of a plan.
func summaryOf(cut cutting) planSummary {
	s := planSummary{Chunks: len(cut.left.Chunks)}
	for _, c := range cut.left.Chunks {
		s.Trials += c.Trials
		s.Seconds += c.Seconds
		s.Longest = max(s.Longest, c.Seconds)
	}
	if cut.adopted != nil {
		s.Trials = max(0, cut.plan.Trials()-cut.adopted.Adopted)
	}
	return s
}

func (s planSummary) String() string {
	return fmt.Sprintf("%s, about %s in %s; the longest %s",
		chunks(s.Chunks), term.Trials(s.Trials), term.RoughSeconds(s.Seconds), term.RoughSeconds(s.Longest))
}

func (s submitted) print(w io.Writer, sweep *configs.Sweep, run *slurm.Run) {
	show.Title(w, sweep)
	fmt.Fprintf(w, "run: %s\n", command.Shown(run.Dir))
	fmt.Fprintf(w, "plan: %s\n", s.Plan)
	printAdopted(w, s.Adopted)
	printRound(w, s.Round, run)
	printOnce(w, filepath.Dir(run.Dir), s.Notes)
	if s.Plan.Chunks == 0 {
		fmt.Fprintf(w, "\nnothing is left to be measured\nnext: %s\n", onRun("merge", run))
		return
	}
	if len(s.Jobs) == 0 {
		fmt.Fprintf(w, "\nnothing was sent\nnext: %s\n      %s\n", onRun("task", run, "--next"), onRun("merge", run))
		return
	}
	fmt.Fprintf(w, "\nnext: %s\n      %s\n", onRun("status", run, "--watch"), onRun("cancel", run))
}

// mostJobs is the number of arrays that are listed.
const mostJobs = 10

// printRound lists what was submitted, and says what a limit of submitted jobs left over.
func printRound(w io.Writer, round submit.Round, run *slurm.Run) {
	arrays := lists.Where(round.Jobs, func(j slurm.Sent) bool { return !j.Finish() })
	printFew(w, arrays, mostJobs, "more array", "more arrays", func(j slurm.Sent) {
		fmt.Fprintf(w, "array %s: %s\n", jobName(j.JobID), term.Count(j.Tasks, "task", "tasks"))
	})
	for _, j := range round.Jobs[len(arrays):] {
		fmt.Fprintf(w, "job %s merges and reports when they have ended\n", jobName(j.JobID))
	}
	if round.Rest == 0 {
		return
	}

	who := fmt.Sprintf("`%s` sends them when these have ended", onRun("retry", run))
	if last := len(round.Jobs) - 1; last >= 0 && round.Jobs[last].Finish() {
		who = "the job that merges sends them"
	}
	limit := "max_submit in [slurm]"
	if round.Limit != "max_submit" {
		limit = "Slurm's limit " + round.Limit
	}
	printHints(w, fmt.Sprintf("%s left for later: %s allows no more jobs at once; %s",
		term.Count(round.Rest, "task is", "tasks are"), limit, who))
}

// lastIDs returns what a job has to wait for to come after a round, as sbatch --parsable prints it.
func lastIDs(jobs []slurm.Sent) string {
	if last := jobs[len(jobs)-1]; last.Finish() {
		jobs = jobs[len(jobs)-1:]
	}
	return strings.Join(lists.Of(jobs, func(j slurm.Sent) string { return j.ID }), ":")
}

// jobName returns a job's id, with its cluster unless that is the configured one.
func jobName(id sbatch.JobID) string {
	if id.Cluster != "" {
		return id.ID + " on " + id.Cluster
	}
	return id.ID
}

func printHints(w io.Writer, notes ...string) {
	for _, n := range notes {
		term.Print(w, "note: "+n)
	}
}

// ofCluster finds what a note about the cluster is about.
var ofCluster = regexp.MustCompile(`\((TaskPlugin|DefMemPerCPU|DefMemPerNode)\)`)

// printOnce prints notes, and those about the cluster once for all runs below a folder.
func printOnce(w io.Writer, root string, notes []string) {
	path := filepath.Join(root, ".said")
	before, _ := os.ReadFile(path) // what can't be kept is said again
	said := slices.Clone(before)
	for _, n := range notes {
		about := ofCluster.FindString(n)
		if about == "" || !bytes.Contains(said, []byte(about)) {
			printHints(w, n)
			said = append(said, about...)
		}
	}
	if len(said) > len(before) {
		_ = os.WriteFile(path, said, 0o666)
	}
}

// previewed is what `submit --dry-run --json` prints.
type previewed struct {
	submit.Preview
	Plan    planSummary   `json:"plan"`
	Notes   []string      `json:"notes,omitempty"`
	Adopted *submit.Match `json:"adopted,omitempty"`
}

// preview prints what submit would do.
func (c *submitCommand) preview(ctx context.Context, cut cutting) error {
	if cut.asked && !cut.refused {
		checked, err := c.check(ctx, cut)
		if cut.notes = append(cut.notes, checked.Notes...); err != nil {
			cut.notes = append(cut.notes, "submit would refuse this: "+err.Error())
		} else {
			c.sweep.Slurm = checked.Slurm
		}
	}
	run, err := slurm.New(c.root, c.sweep, command.Version())
	if err != nil {
		return err
	}
	p := previewed{submit.PreviewOf(run, c.sweep.Slurm, cut.left, cut.most), summaryOf(cut), cut.notes, cut.adopted}
	if c.output.Data() {
		return c.output.Write(c.w, p)
	}

	w := c.w
	show.Title(w, c.sweep)
	fmt.Fprintf(w, "run: %s (another name each time)\nplan: %s\n", command.Shown(p.Dir), p.Plan)
	printAdopted(w, p.Adopted)
	printHints(w, p.Notes...)

	for _, s := range p.Scripts {
		fmt.Fprintf(w, "\n== %s\n%s", s.Name, s.Text)
	}
	fmt.Fprintln(w, "\n== commands")
	for _, line := range p.Commands {
		fmt.Fprintln(w, term.Shell(line...))
	}
	_, err = fmt.Fprintln(w, "\nnothing was written or submitted")
	return err
}
