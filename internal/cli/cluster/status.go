// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
)

// statusClient asks on behalf of commands that can do without the answer.
var statusClient = &sbatch.Client{Timeout: 20 * time.Second}

// statusCommand is the command status.
type statusCommand struct {
	runCommand
	watch bool
}

func newStatus() *cobra.Command {
	var c statusCommand
	cmd := c.prepare(&cobra.Command{
		Use:   "status [RUN]",
		Short: "How far submitted runs are, and what holds them up",
		Long: `status says how far a run is: its chunks, its trials, the best so far, why tasks
wait, and how tasks ended that left work undone. What the tasks have written decides
what is done; Slurm only explains. Without RUN, status lists all runs.`,
		Example: `  spmvtune status
  spmvtune status block-size-20261121-k3fq7a --watch`,
		Args: cobra.MaximumNArgs(1),
		RunE: c.Run,
	})
	cmd.Flags().BoolVarP(&c.watch, "watch", "w", false, "refresh every ten seconds, until the run has ended")
	return cmd
}

// Run prints how far a run is, or all runs are.
func (c *statusCommand) Run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if len(args) == 0 {
		if c.watch {
			return command.Usage(fmt.Errorf("--watch needs %s", aRun))
		}
		return c.list(ctx, cmd.OutOrStdout())
	}
	if err := c.open(cmd, args[0]); err != nil {
		return err
	}
	if c.watch {
		return c.follow(ctx)
	}

	s, err := status.Of(ctx, statusClient, c.run)
	if err != nil {
		return err
	}
	return c.output.Print(c.w, s, func(w io.Writer) { printStatus(ctx, w, c.run, s) })
}

// roughly marks a number of trials that is still an estimate.
func roughly(s status.Status) string {
	if s.Counts.Done < s.Counts.All {
		return "~"
	}
	return ""
}

// timeLeft says about how long the run takes from now, "" if that is not known.
func timeLeft(s status.Status) string {
	if s.Left == 0 || s.Counts.Running == 0 {
		return ""
	}
	return term.RoughSeconds(s.Left)
}

// inAWord says how far a run is.
func inAWord(s status.Status) string {
	n := s.Counts
	open := n.Ended + n.Never
	switch {
	case n.Running > 0:
		return term.Count(n.Running, "task runs", "tasks run")
	case n.Waiting > 0:
		return term.Count(n.Waiting, "task waits", "tasks wait")
	case n.Unclear > 0:
		return fmt.Sprintf("not known of %s", chunks(n.Unclear))
	case s.Finish == status.Running:
		return "is being merged"
	case s.Finish == status.Waiting:
		return "waits to be merged"
	case open > 0:
		return fmt.Sprintf("ended without %s", chunks(open))
	case s.Finish == status.Unclear:
		return "complete; whether it is being merged is not known"
	case s.Merged == nil || len(s.Merged.Missing) > 0:
		return "complete, but not merged"
	}

	return "complete"
}

// list prints a line for each run below the folder of runs.
func (c *statusCommand) list(ctx context.Context, w io.Writer) error {
	runs, err := slurm.List(command.OutRoot())
	if err != nil {
		return err
	}
	list, silent := observe(ctx, runs)
	if err := ctx.Err(); err != nil {
		return err
	}

	switch {
	case c.output.Data():
		return c.output.Write(w, list)
	case len(runs) == 0:
		fmt.Fprintf(w, "no run below %s: spmvtune submit makes one\n", command.OutRoot())
		return nil
	}

	damaged := func(s status.Status) bool { return s.Fault != "" }
	printList(w, slices.DeleteFunc(slices.Clone(list), damaged))
	for _, s := range lists.Where(list, damaged) {
		say(w, "%s is damaged: %s", s.Name, s.Fault)
	}
	printSilent(w, silent)
	return nil
}

// observe finds out how far runs are. Those that can't be opened come last. silent says why Slurm does not answer.
func observe(ctx context.Context, runs []slurm.Listed) (list []status.Status, silent string) {
	var trackers []*status.Tracker
	for _, run := range runs {
		if run.Err == nil {
			trackers = append(trackers, status.NewTracker(run.Run))
			trackers[len(trackers)-1].Brief = true
		}
	}
	observer := &status.Observer{Client: statusClient}
	view := observer.Observe(ctx, trackers...)
	list = lists.Of(trackers, func(t *status.Tracker) status.Status { return t.Status(view) }) // empty in JSON, too
	for _, run := range runs[len(trackers):] {
		list = append(list, status.Status{Name: run.Name, Dir: run.Dir, Fault: run.Err.Error()})
	}
	return list, view.Silent
}

func printList(w io.Writer, list []status.Status) {
	if len(list) == 0 {
		return
	}
	g := term.Table{Columns: []string{"run", "chunks", "trials", "left", "state"}}
	for _, s := range list {
		g.Add(s.Name, term.Quantity(fmt.Sprintf("%d/%d", s.Counts.Done, s.Counts.All)),
			term.Quantity(fmt.Sprintf("%d/%s%d", s.Trials.Done, roughly(s), s.Trials.Of)),
			term.Quantity(timeLeft(s)), inAWord(s))
	}

	g.Print(w)
}

// follow shows a run until it has ended, on a terminal always in the same place.
func (c *statusCommand) follow(ctx context.Context) error {
	size := term.SizeOf(c.w)
	_, err := status.Follow(ctx, statusClient, c.run, func(s status.Status) error {
		if c.output.Data() {
			return c.output.Write(c.w, s)
		}
		page := term.Page{Width: term.Columns(c.w)}
		printStatus(ctx, &page, c.run, s)
		if size == nil {
			_, err := fmt.Fprintf(c.w, "%s\n%s\n", time.Now().Format(time.DateTime), page.Bytes())
			return err
		}
		width, height := size()
		_, err := io.WriteString(term.Raw(c.w), term.InPlace(term.Visible(page.String()), width, height))
		return err
	})

	if errors.Is(err, context.Canceled) {
		return nil // that is how a watch ends
	}
	return err
}

// printStatus says how far a run is.
func printStatus(ctx context.Context, w io.Writer, run *slurm.Run, s status.Status) {
	fmt.Fprintf(w, "%s: %s\n", command.Shown(s.Dir), inAWord(s))
	n, about := s.Counts, ""
	say(w, "chunks: %d of %d done%s", n.Done, n.All, counted([]counts{{n.Running, "running"}, {n.Waiting, "waiting"},
		{n.Ended, "ended without completing"}, {n.Never, "never started"}, {n.Unclear, "not known"}}))
	if roughly(s) != "" {
		about = "about "
	}
	fmt.Fprintf(w, "trials: %d of %s%d done%s\n", s.Trials.Done, about, s.Trials.Of, strings.Replace(
		counted([]counts{{s.Trials.OK, "ok"}, {s.Trials.Invalid, "invalid"}, {s.Trials.Failed, "failed"}}), ",", ":", 1))
	if s.Rate > 0 && s.Counts.Running > 0 {
		fmt.Fprintf(w, "pace: %s/s", term.Significant(s.Rate, 2))
		if left := timeLeft(s); left != "" {
			fmt.Fprintf(w, ", about %s left at this rate", left)
		}
		fmt.Fprintln(w)
	}
	printBests(w, s.Best)

	printOpen(w, s.Chunks)
	for _, g := range s.Gathered {
		printHints(w, fmt.Sprintf("%s failed alike on %s: spmvtune retry avoids that node",
			term.Count(len(g.Chunks), "task", "tasks"), g.Node))
	}
	printFaulty(w, s.Faulty)
	if s.DamagedJobs > 0 {
		printHints(w, fmt.Sprintf("%s of %s can't be used: Slurm is asked by the names of the jobs instead",
			term.Count(s.DamagedJobs, "line", "lines"), slurm.LedgerFile))
	}
	printSilent(w, s.Silent)
	printNext(ctx, w, run, s)
}

// counts are how many there are of something.
type counts struct {
	n     int
	words string
}

// counted says what there is: ", 2 running, 1 waiting".
func counted(all []counts) string {
	some := lists.Where(all, func(c counts) bool { return c.n > 0 })
	return strings.Join(lists.Of(some, func(c counts) string { return fmt.Sprintf(", %d %s", c.n, c.words) }), "")
}

// mostBest is the number of fastest trials in a status. `spmvtune best` prints all.
const mostBest = 8

// printBests prints the fastest trials so far.
func printBests(w io.Writer, best []status.Best) {
	if len(best) == 0 {
		return
	}
	g := term.Table{Columns: []string{"device", "matrix", "precision", "cache", "fastest before repeats", "configuration",
		"time", "GFLOP/s"}}
	several := slices.ContainsFunc(best, func(b status.Best) bool { return b.Device != best[0].Device })
	for _, b := range best[:min(len(best), mostBest)] {
		if !several {
			b.Device = ""
		}
		g.Add(b.Device, b.Matrix, string(b.Precision), string(b.Cache), b.Kernel, b.Setting,
			term.Quantity(term.Seconds(b.Seconds)), b.GFLOPS)
	}
	g.DropEmpty()
	fmt.Fprintln(w)
	g.Print(w)
	if more := len(best) - mostBest; more > 0 {
		fmt.Fprintf(w, "… and %d more\n", more)
	}
}

// These bound what is said about chunks that hold a run up.
const (
	mostReasons = 6
	mostLogs    = 3 // reasons with a log
	logLines    = 4 // lines of a log
)

// printOpen says why chunks are not done. It groups chunks with the same reason, and shows the end
// of a log of those that ended.
func printOpen(w io.Writer, list []status.Chunk) {
	open := lists.Where(list, func(c status.Chunk) bool { return c.State != status.Done && c.State != status.Running })
	groups := lists.Groups(open, func(c status.Chunk) string { return fmt.Sprint(c.State, " ", c.Why) })
	if len(groups) > 0 {
		fmt.Fprintln(w)
	}
	logs := 0
	printFew(w, groups, mostReasons, "more reason", "more reasons", func(group []status.Chunk) {
		where := ""
		if nodes := status.Nodes(group); len(nodes) > 0 {
			where = " (on " + term.Some(nodes, command.FewNames) + ")"
		}
		say(w, "%s %s%s", tasksOf(group), group[0].Why, where)
		if group[0].State == status.Ended && logs < mostLogs {
			logs++
			printLog(w, group[0])
		}
	})
}

// tasksOf begins a sentence about the tasks of a group of chunks.
func tasksOf(group []status.Chunk) string {
	if len(group) == 1 {
		return fmt.Sprintf("the task of chunk %s (%s)", group[0].Chunk, term.Some(group[0].Matrices, command.FewNames))
	}
	names := lists.Of(group, func(c status.Chunk) string { return c.Chunk })
	return fmt.Sprintf("%s (%s): the task of each", chunks(len(group)), term.Some(names, command.FewNames))
}

// printLog prints the end of the log of a chunk's last task.
func printLog(w io.Writer, c status.Chunk) {
	lines, err := status.LastLines(c.Log, logLines)
	if err != nil {
		lines = []string{err.Error()}
	}
	if len(lines) == 0 {
		return
	}
	where := ""
	if c.Node != "" {
		where = " on " + c.Node
	}
	fmt.Fprintf(w, "  %s%s:\n", command.Shown(c.Log), where)

	for _, line := range lines {
		fmt.Fprintf(w, "  | %s\n", term.Visible(line))
	}
}

// printSilent says that Slurm does not answer, or is not believed.
func printSilent(w io.Writer, silent string) {
	if silent != "" {
		printHints(w, "it is not known which tasks run or wait: "+silent)
	}
}

// printNext says what can be done about a run.
func printNext(ctx context.Context, w io.Writer, run *slurm.Run, s status.Status) {
	open := s.Counts.Ended + s.Counts.Never
	if s.Merged != nil && s.Merged.Report != "" {
		fmt.Fprintf(w, "report: %s\n", command.Shown(s.Merged.Report))
	}
	if slices.ContainsFunc(s.Chunks, status.Chunk.FullDisk) {
		say(w, "first make room in %s: `df` and `quota` say how much there is", command.Shown(run.Dir))
	}
	switch {
	case open > 0 && !slices.ContainsFunc(s.Chunks, sentAsItIs):
		fmt.Fprintf(w, "next: %s\n", onRun("retry", run, "--set", more(ctx, s.Chunks)))
	case open > 0:
		fmt.Fprintf(w, "next: %s\n", again(run))
	case s.Finish == status.Waiting && s.Counts.Done == s.Counts.All:
		say(w, "merging: %s", s.Waits)
	case s.Active() && s.Finish == status.Ended:
		printHints(w, fmt.Sprintf("the job that merges has ended before the tasks: `%s` when they have, too", onRun("merge", run)))
	case !s.Active() && s.Counts.Done == s.Counts.All && (s.Merged == nil || len(s.Merged.Missing) > 0):
		fmt.Fprintf(w, "next: %s\n", onRun("merge", run))
	}
}

// sentAsItIs reports whether retry sends a chunk again without being told how much memory it needs.
func sentAsItIs(c status.Chunk) bool {
	return (c.State == status.Ended || c.State == status.Never) && !c.OutOfMemory
}

// again is the command that goes on with what a run lacks.
func again(run *slurm.Run) string {
	if l, err := run.Ledger(); err == nil && l.LastRound() == 0 {
		return onRun("task", run, "--next") // which was only prepared
	}
	return onRun("retry", run)
}
