package cluster

import (
	"context"
	"fmt"
	"io"
	"strings"

	"spmvtune/configs"
	"spmvtune/internal/base/lists"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
	"spmvtune/slurm/submit"
)

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

// submittedOf says what a run is of which nothing was sent yet.
func submittedOf(run *slurm.Run, cut cutting) submitted {
	return submitted{Run: run.JobName(), Dir: run.Dir, Plan: summaryOf(cut), Notes: cut.notes, Adopted: cut.adopted}
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
	return fmt.Sprintf("%s, about %s and %s of measuring; the longest task about %s",
		chunks(s.Chunks), term.Trials(s.Trials), term.RoughSeconds(s.Seconds), term.RoughSeconds(s.Longest))
}

func (s submitted) print(w io.Writer, sweep *configs.Sweep, run *slurm.Run) {
	show.Title(w, sweep)
	fmt.Fprintf(w, "run     %s\n", command.Shown(run.Dir))
	fmt.Fprintf(w, "plan    %s\n", s.Plan)
	printAdopted(w, s.Adopted)
	printRound(w, s.Round, run)
	printHints(w, s.Notes...)
	if s.Plan.Chunks == 0 {
		fmt.Fprintf(w, "\nnothing is left to be measured\nnext    %s\n", onRun("merge", run))
		return
	}
	if len(s.Jobs) == 0 {
		fmt.Fprintf(w, "\nnothing was sent\nnext    %s\n        %s\n", onRun("task", run, "--next"), onRun("merge", run))
		return
	}
	fmt.Fprintf(w, "\nnext    %s\n        %s\n", onRun("status", run, "--watch"), onRun("cancel", run))
}

// mostJobs is the number of arrays that are listed.
const mostJobs = 10

// printRound lists what was submitted, and says what a limit of submitted jobs left over.
func printRound(w io.Writer, round submit.Round, run *slurm.Run) {
	listed := 0
	for _, j := range round.Jobs {
		switch {
		case j.Finish():
			fmt.Fprintf(w, "job     %s merges and reports when they have ended\n", jobName(j.JobID))
		case listed < mostJobs:
			listed++
			fmt.Fprintf(w, "array   %s of %s\n", jobName(j.JobID), term.Count(j.Tasks, "task", "tasks"))
		case listed == mostJobs:
			listed++
			fmt.Fprintf(w, "        … and %d more arrays\n", len(round.Jobs)-1-mostJobs)
		}
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
	fmt.Fprintf(w, "run     %s (another name each time)\nplan    %s\n", command.Shown(p.Dir), p.Plan)
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
