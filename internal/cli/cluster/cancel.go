// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/slurm/submit"
)

// cancelCommand is the command cancel.
type cancelCommand struct{ runCommand }

func newCancel() *cobra.Command {
	var c cancelCommand
	return c.prepare(&cobra.Command{
		Use:   "cancel RUN",
		Short: "Cancel all jobs of a run, and keep what was measured",
		Long: `cancel cancels all jobs of a run that have not ended. A running task finishes its
trial first, if Slurm leaves it the time (KillWait, usually 30 seconds). What was
measured is kept: merge brings it into the database, and retry continues. Jobs of
other users that Slurm does not let you cancel or see are named; the exit code is 1.`,
		Example: `  spmvtune cancel block-size-20261121-k3fq7a`,
		RunE:    c.Run,
	})
}

// Run cancels the jobs of a run.
func (c *cancelCommand) Run(cmd *cobra.Command, args []string) error {
	if err := c.openToWrite(cmd, args[0], "ask an operator of Slurm", slurm.LedgerFile); err != nil {
		return err
	}
	done, err := submit.Cancel(cmd.Context(), newClient(c.alarm), c.run)
	if err != nil && len(done.Jobs) == 0 && len(done.Left) == 0 {
		return err
	}
	return errors.Join(c.print(done), leftAlone("cancel", c.run, done.Left), err)
}

func (c *cancelCommand) print(done submit.Cancelled) error {
	tasks := len(lists.Where(done.Jobs, func(j sbatch.Job) bool { return j.Task >= 0 }))
	switch {
	case c.output.Data():
		return c.output.Write(c.w, map[string]any{
			"run": c.run.JobName(), "dir": c.run.Dir, "jobs": len(done.Jobs), "tasks": tasks, "left": done.Left,
		})
	case len(done.Jobs) == 0 && len(done.Left) > 0:
		return nil
	case len(done.Jobs) == 0:
		say(c.w, "nothing to cancel: no job of the run waits or runs")
		return nil
	}
	say(c.w, "cancelled: %s", term.Count(tasks, "task", "tasks"))
	say(c.w, "what was measured is kept: `%s` brings it into the database, `%s` continues",
		onRun("merge", c.run), onRun("retry", c.run))
	return nil
}

// throttleCommand is the command throttle.
type throttleCommand struct{ runCommand }

func newThrottle() *cobra.Command {
	var c throttleCommand
	return c.prepare(&cobra.Command{
		Use:   "throttle RUN N",
		Short: "Let at most N tasks of a submitted run measure at once",
		Long: `throttle changes how many tasks of a run Slurm starts at once, while the run is in
progress: 0 removes the bound. Running tasks go on, and the bound applies to what
retry sends later, too. A sweep starts with throttle in its [slurm] section.`,
		Example: `  spmvtune throttle block-size-20261121-k3fq7a 4`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 || args[0] == "" {
				return fmt.Errorf("throttle needs %s, and a number of tasks", aRun)
			}
			return nil
		},
		RunE: c.Run,
	})
}

// Run throttles a run.
func (c *throttleCommand) Run(cmd *cobra.Command, args []string) error {
	n, err := strconv.ParseUint(args[1], 10, 31)
	if errors.Is(err, strconv.ErrRange) {
		return command.Usage(fmt.Errorf("%s tasks are more than Slurm can count; 0 removes the bound", args[1]))
	}
	if err != nil {
		return command.Usage(fmt.Errorf("%q is not a number of tasks", args[1]))
	}
	if err := c.openToWrite(cmd, args[0], "ask an operator of Slurm", slurm.LedgerFile); err != nil {
		return err
	}

	client := newClient(c.alarm)
	arrays, err := submit.Throttle(cmd.Context(), client, c.run, int(n))
	if err != nil {
		return err
	}
	left, err := submit.Hidden(cmd.Context(), client, c.run)
	if len(arrays) > 0 || len(left) == 0 || c.output.Data() {
		err = errors.Join(c.print(arrays, int(n)), err)
	}
	return errors.Join(err, leftAlone("throttle", c.run, left))
}

func (c *throttleCommand) print(arrays []sbatch.JobID, n int) error {
	if c.output.Data() {
		ids := lists.Of(arrays, func(a sbatch.JobID) string { return a.ID })
		return c.output.Write(c.w, map[string]any{"run": c.run.JobName(), "dir": c.run.Dir, "throttle": n, "arrays": ids})
	}
	said := fmt.Sprintf("at most %s at once", term.Count(n, "task runs", "tasks run"))
	switch {
	case len(arrays) == 0:
		said = "no task of the run waits or runs: it holds for what retry sends"
	case n == 0:
		said = "the number of tasks that run at once is not bounded"
	}
	say(c.w, "%s", said)
	return nil
}

// leftAlone is the error of a command that has left jobs of other users alone; nil if there are none.
func leftAlone(name string, run *slurm.Run, left []submit.Left) error {
	var what, who []string
	for _, l := range left {
		jobs := "jobs whose numbers the run has lost"
		if n := len(l.Jobs); n > 0 {
			jobs = term.Noun(n, "job ", "jobs ") + term.Some(l.Jobs, command.FewNames)
		}
		what = append(what, fmt.Sprintf("%s, sent by %s, %s", jobs, l.User, l.Why))
		who = append(who, l.User)
	}
	if len(left) == 0 {
		return nil
	}
	hint := fmt.Sprintf("`%s` by %s reaches them, or an operator of Slurm", onRun(name, run), strings.Join(who, " and "))
	return command.WithHint(errors.New("left alone: "+strings.Join(what, "; ")), hint)
}

// retryCommand is the command retry.
type retryCommand struct {
	runCommand
	set     []string
	exclude []string
	// dependency is what the tasks wait for, as sbatch takes it.
	dependency string
}

func newRetry() *cobra.Command {
	var c retryCommand
	cmd := c.prepare(&cobra.Command{
		Use:   "retry RUN",
		Short: "Submit again what a run has not completed",
		Long: `retry submits the chunks of a run that are not complete and have no task that runs
or waits. It does not measure again what is measured.

A chunk whose task ran out of time or memory is sent with more if the sweep has several steps
(mem = ["4G", "8G", "16G"]) or --set says so; else it is split in two, or not sent. A node on which
two tasks failed alike, and none elsewhere, is avoided from then on.

--set and --exclude hold for later retries, too; --set KEY= takes back what was set, and
--set exclude= makes all nodes good again.`,
		Example: `  spmvtune retry block-size-20261121-k3fq7a
  spmvtune retry block-size-20261121 --set mem=64G --set time=2h --set partition=long
  spmvtune retry block-size-20261121 --exclude node05`,
		RunE: c.Run,
	})
	f := cmd.Flags()
	f.StringArrayVar(&c.set, "set", nil, "a key of [slurm] with another value: mem=64G, time=2h, partition=long")
	f.StringArrayVar(&c.exclude, "exclude", nil, "nodes that are not used any more: n1, n[3-5]")
	f.StringVar(&c.dependency, "dependency", "", "what the tasks wait for, in the form of sbatch: afterok:1234 "+
		"(default: as submit was told, if it sent nothing)")
	return cmd
}

// Run submits again what a run has not completed.
func (c *retryCommand) Run(cmd *cobra.Command, args []string) error {
	err := c.openToWrite(cmd, args[0], "measure the rest as a run of your own: `spmvtune submit SWEEP --adopt RUN`",
		slurm.LedgerFile)
	if err != nil {
		return err
	}
	sweep, err := c.run.TaskSweep()
	if err != nil {
		return err
	}
	opt, err := c.options()
	if err != nil {
		return command.Usage(err)
	}
	if cmd.Flags().Changed("dependency") {
		opt.Dependency = &c.dependency
	}
	r, err := submit.Retry(cmd.Context(), newClient(c.alarm), c.run, sweep.Slurm, opt)
	if sbatch.Refusal(err) != "" && !errors.As(err, new(*submit.IncompleteError)) {
		err = command.WithHint(err, fmt.Sprintf("nothing is sent: `%s` asks for something else",
			onRun("retry", c.run, "--set", "KEY=VALUE")))
	}
	if err != nil {
		return errors.Join(err, c.printBroken(r))
	}

	if err := c.output.Print(c.w, r, func(io.Writer) { c.print(r) }); err != nil {
		return err
	}
	n := len(r.OutOfMemory)
	if n == 0 {
		return nil
	}
	err = fmt.Errorf("%s used more memory than allowed, and %s not sent again", chunks(n), term.Noun(n, "was", "were"))
	return command.SomeFailed(err, fmt.Sprintf("`%s` gives their tasks more",
		onRun("retry", c.run, "--set", more(cmd.Context(), r.OutOfMemory))))
}

// more is the setting by which tasks that ran out of memory get more: twice as much, if a node has that.
func more(ctx context.Context, chunks []status.Chunk) string {
	asked := 0
	for _, c := range chunks {
		if c.OutOfMemory {
			asked = max(asked, int(sbatch.Megabytes(c.Mem)))
		}
	}
	_, most, err := statusClient.Nodes(ctx)
	switch {
	case err != nil || most == 0:
		return fmt.Sprintf("mem=%dM", 2*max(asked, 1024))
	case asked >= most:
		return "partition=OTHER" // no node of this one has more
	case asked == 0:
		return fmt.Sprintf("mem=%dM", most)
	}
	return fmt.Sprintf("mem=%dM", min(2*asked, most))
}

// options reads the flags.
func (c *retryCommand) options() (submit.RetryOptions, error) {
	opt := submit.RetryOptions{Set: map[string]string{}, Exclude: c.exclude}
	for _, s := range c.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return opt, fmt.Errorf("--set %s has no value: write --set %s=VALUE", s, s)
		}
		if d, err := time.ParseDuration(value); key == "time" && err == nil { // 2h, as in the rest of a sweep
			value = sbatch.FormatTime(d)
		}
		if err := new(configs.Slurm).Set(key, value); err != nil {
			return opt, fmt.Errorf("--set %s: %w", s, err)
		}
		opt.Set[key] = value
	}
	return opt, nil
}

// printBroken says what a retry that failed had done before, if anything.
func (c *retryCommand) printBroken(r submit.Retried) error {
	if r.Round == nil && len(r.Recovered) == 0 {
		return nil
	}
	return c.output.Print(c.w, r, func(io.Writer) {
		c.printRecovered(r.Recovered)
		if r.Round != nil {
			printRound(c.w, *r.Round, c.run)
		}
	})
}

// printRecovered says what became of submissions that broke off.
func (c *retryCommand) printRecovered(recovered []slurm.Sent) {
	for _, s := range recovered {
		say(c.w, "recovered the interrupted submission of %s: %s %s", s.Name, s.Outcome, s.ID)
	}
}

// print says what a retry did.
func (c *retryCommand) print(r submit.Retried) {
	c.printRecovered(r.Recovered)
	if len(r.Again) > 0 {
		say(c.w, "sent again: %s (%s)", chunks(len(r.Again)), term.Some(r.Again, command.FewNames))
	}
	printFew(c.w, r.Split, show.MostFailures, "more chunk", "more chunks", func(s submit.SplitChunk) {
		say(c.w, "split, because its task ran out of time: %s into %s", s.Chunk, strings.Join(s.Into, " and "))
	})

	for _, s := range r.OutOfMemory {
		say(c.w, "not sent, because it used more memory than allowed: %s (%s)",
			s.Chunk, term.Some(s.Matrices, command.FewNames))
	}

	for _, more := range r.More {
		say(c.w, "tasks ask for %s now, because there was too little", more)
	}
	for _, g := range r.Avoided {
		printHints(c.w, fmt.Sprintf("%s is not used any more: the task of each of %s %s there; `%s` uses it again",
			g.Node, chunks(len(g.Chunks)), g.Why, onRun("retry", c.run, "--set", "exclude=")))
	}
	printOnce(c.w, filepath.Dir(c.run.Dir), r.Notes)

	if n := len(r.Active); n > 0 {
		say(c.w, "left alone (running, queued or unknown): %s", chunks(n))
	}
	c.printNext(r)
}

func (c *retryCommand) printNext(r submit.Retried) {
	switch {
	case r.Round != nil:
		printRound(c.w, *r.Round, c.run)
		fmt.Fprintf(c.w, "next: %s\n", onRun("status", c.run, "--watch"))
	case len(r.OutOfMemory) > 0:
	case len(r.Active) > 0:
		fmt.Fprintln(c.w, "nothing to do yet")
	default:
		fmt.Fprintf(c.w, "nothing to do: %s complete\n", allChunks(r.Done))
		fmt.Fprintf(c.w, "next: %s\n", onRun("merge", c.run))
	}
}

func allChunks(n int) string {
	if n == 1 {
		return "the only chunk is"
	}
	return fmt.Sprintf("all %d chunks are", n)
}
