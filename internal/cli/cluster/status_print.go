package cluster

import (
	"fmt"
	"io"
	"slices"

	"spmvtune/internal/base/lists"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/slurm/status"
)

// printStatus says how far a run is.
func printStatus(w io.Writer, run *slurm.Run, s status.Status) error {
	fmt.Fprintf(w, "%s: %s\n", command.Shown(s.Dir), inAWord(s))
	fmt.Fprintf(w, "chunks  %d of %d done%s\n", s.Counts.Done, s.Counts.All, others(s.Counts))
	printTrials(w, s)
	if s.Rate > 0 && s.Counts.Running > 0 {
		fmt.Fprintf(w, "pace    %s/s", term.Significant(s.Rate, 2))
		if left := timeLeft(s); left != "" {
			fmt.Fprintf(w, ", about %s left at this rate", left)
		}
		fmt.Fprintln(w)
	}
	if err := printBests(w, s.Best); err != nil {
		return err
	}

	printOpen(w, s.Chunks)
	for _, g := range s.Gathered {
		printHints(w, fmt.Sprintf("%s failed alike on %s: spmvtune retry avoids that node",
			term.Count(len(g.Chunks), "task", "tasks"), g.Node))
	}
	printFaulty(w, s.Faulty, "what is missing by that is measured again")
	if s.DamagedJobs > 0 {
		printHints(w, fmt.Sprintf("%s of %s can't be used: Slurm is asked by the names of the jobs instead",
			term.Count(s.DamagedJobs, "line", "lines"), slurm.LedgerFile))
	}
	printSilent(w, s.Silent)
	printNext(w, run, s)
	return nil
}

// printTrials counts the trials.
func printTrials(w io.Writer, s status.Status) {
	n, about := s.Trials, ""
	if roughly(s) != "" {
		about = "about "
	}
	fmt.Fprintf(w, "trials  %d of %s%d done", n.Done, about, n.Of)
	if n.Done > 0 {
		fmt.Fprintf(w, ": %d ok", n.OK)
		if n.Invalid > 0 {
			fmt.Fprintf(w, ", %d invalid", n.Invalid)
		}
		if n.Failed > 0 {
			fmt.Fprintf(w, ", %d failed", n.Failed)
		}
	}

	fmt.Fprintln(w)
}

// others counts the chunks that are not done, by state.
func others(n status.Counts) (text string) {
	for _, part := range []struct {
		n     int
		words string
	}{
		{n.Running, "running"}, {n.Waiting, "waiting"}, {n.Ended, "ended without completing"},
		{n.Never, "never started"}, {n.Unclear, "not known"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.words)
		}
	}
	return text
}

// mostBest is the number of fastest trials in a status. `spmvtune best` prints all.
const mostBest = 8

// printBests prints the fastest trials so far.
func printBests(w io.Writer, best []status.Best) error {
	if len(best) == 0 {
		return nil
	}
	g := term.Table{Columns: []string{"device", "matrix", "precision", "cache", "fastest so far", "configuration",
		"time", "GFLOP/s"}}
	for _, b := range best[:min(len(best), mostBest)] {
		g.Rows = append(g.Rows, []any{
			b.Device, b.Matrix, string(b.Precision), string(b.Cache), b.Kernel, b.Setting,
			term.Quantity(term.Seconds(b.Seconds)), b.GFLOPS,
		})
	}
	if !slices.ContainsFunc(best, func(b status.Best) bool { return b.Device != best[0].Device }) {
		g.Columns = g.Columns[1:]
		for i := range g.Rows {
			g.Rows[i] = g.Rows[i][1:]
		}
	}

	fmt.Fprintln(w)
	if err := g.Print(w); err != nil {
		return err
	}
	if more := len(best) - mostBest; more > 0 {
		fmt.Fprintf(w, "… and %d more\n", more)
	}
	return nil
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
		term.Print(w, tasksOf(group)+" "+group[0].Why+where)
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

// printSilent says that Slurm does not answer.
func printSilent(w io.Writer, silent string) {
	if silent != "" {
		printHints(w, "Slurm does not answer, so it is not known which tasks run or wait: "+silent)
	}
}

// printNext says what can be done about a run.
func printNext(w io.Writer, run *slurm.Run, s status.Status) {
	open := s.Counts.Ended + s.Counts.Never
	if s.Merged != nil && s.Merged.Report != "" {
		fmt.Fprintf(w, "report  %s\n", command.Shown(s.Merged.Report))
	}
	switch {
	case open > 0 && !slices.ContainsFunc(s.Chunks, sentAsItIs):
		fmt.Fprintf(w, "next    %s\n", onRun("retry", run, "--set", "mem=64G"))
	case open > 0:
		fmt.Fprintf(w, "next    %s\n", again(run))
	case s.Finish == status.Waiting && s.Counts.Done == s.Counts.All:
		fmt.Fprintf(w, "merging %s\n", s.Waits)
	case !s.Active() && s.Counts.Done == s.Counts.All && (s.Merged == nil || len(s.Merged.Missing) > 0):
		fmt.Fprintf(w, "next    %s\n", onRun("merge", run))
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
