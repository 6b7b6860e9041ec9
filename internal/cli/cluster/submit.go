// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/slurm/submit"
)

// submitCommand is the command submit.
type submitCommand struct {
	runCommand
	root                            string // root is the folder of all runs.
	wait, dryRun, testOnly, offline bool
	// prepareOnly makes the run's folder and sends nothing; nobody asks Slurm then.
	prepareOnly bool
	// parsable prints the id of the last job, or the folder of a prepared run, and nothing else.
	parsable bool
	// chunk is the time that a task is packed for. If it is 0, the sweep says it.
	chunk time.Duration
	// dependency is what tasks wait for, as sbatch takes it.
	dependency string
	// adopted is an earlier run, or a database, whose trials are not measured again.
	adopted string

	sweep  *configs.Sweep
	client *sbatch.Client
}

func newSubmit() *cobra.Command {
	var c submitCommand
	cmd := &cobra.Command{
		Use:   "submit SWEEP",
		Short: "Measure a sweep on a cluster, through Slurm",
		Long: `submit cuts a sweep into chunks, one for each task of job arrays, submits them
through sbatch and returns at once. The run is a folder below spmvtune-out/, which all nodes must see, as
the cache; its last job makes the database and the report. Matrices of the SuiteSparse collection
are downloaded before, because nodes may have no network.

If the sweep does not say what tasks ask for, the variables of sbatch do, such as
SBATCH_PARTITION and SBATCH_ACCOUNT. Nothing is submitted that Slurm says could never start. If
it allows fewer jobs at once than the sweep has tasks, the job that merges sends the rest.

--prepare-only makes the folder of the run and needs no Slurm: ` + "`spmvtune task`" + ` measures
its chunks wherever you start it, and retry sends what nobody has taken.

--adopt RUN takes what an earlier run, or a database, has measured, and sends the rest only. Only
what is the same in all respects counts: content of the matrix, code of the kernel, protocol,
device. submit says how many trials do not count, and why.

Exit codes: 0 submitted or, with --wait, every trial is measured; 1 nothing or not
everything is submitted; 2 the command line or the sweep file is wrong; 3 with
--wait, chunks are missing or trials failed; 130 interrupted, and the jobs go on.`,
		Example: `  spmvtune submit my-sweep.toml
  spmvtune submit my-sweep.toml --dry-run
  spmvtune submit quickstart --chunk 5s
  sbatch --dependency=afterany:$(spmvtune submit my-sweep.toml --parsable) next.sh
  spmvtune submit my-sweep.toml --wait && spmvtune best my-sweep
  spmvtune submit my-sweep.toml --adopt my-sweep-20261121-k3fq7a`,
		Args:              command.NeedsSweep,
		ValidArgsFunction: command.CompleteSweep,
		RunE:              c.Run,
	}
	f := cmd.Flags()
	f.StringVar(&c.root, "runs", command.OutRoot(), "folder to make the run's folder in")
	command.FlagFile(cmd, "runs")
	f.DurationVar(&c.chunk, "chunk", 0, "wall time that a task is packed for: 90s, 20m (default: chunk in [slurm])")
	f.BoolVar(&c.wait, "wait", false, "follow the run until it has ended")
	f.BoolVar(&c.dryRun, "dry-run", false, "print every script and command, and do nothing")
	f.BoolVar(&c.testOnly, "test-only", false, "ask Slurm whether such jobs could ever start, and submit none")
	f.BoolVar(&c.prepareOnly, "prepare-only", false, "make the run's folder, for a launcher of your own, and send nothing")
	c.output.Flags(cmd)
	f.BoolVar(&c.parsable, "parsable", false, "print only the id of the job that merges, or a prepared run's folder")
	f.StringVar(&c.dependency, "dependency", "", "what the tasks wait for, in the form of sbatch: afterok:1234")
	f.StringVar(&c.adopted, "adopt", "", "an earlier run, or a database: what it has measured is not measured again")
	command.FlagFile(cmd, "adopt")
	command.FlagOffline(cmd, &c.offline)
	cmd.MarkFlagsMutuallyExclusive("wait", "dry-run", "test-only", "prepare-only")
	return cmd
}

// Run submits a sweep, or says how it would.
func (c *submitCommand) Run(cmd *cobra.Command, args []string) (err error) {
	if c.sweep, err = command.LoadSweep(cmd, args[0], configs.Once{}); err != nil {
		return err
	}
	if cmd.Flags().Changed("chunk") {
		if c.chunk <= 0 {
			return command.Usage(fmt.Errorf("--chunk %s must be greater than zero: give a time such as 5m", c.chunk))
		}
		c.sweep.Slurm.Chunk = c.chunk
	}

	c.sweep.Slurm = slurm.WithEnvironment(c.sweep.Slurm, os.Getenv)
	c.sweep.Slurm.Dependency = c.dependency
	c.w, c.alarm = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if !c.prepareOnly {
		c.client = newClient(c.alarm)
	}

	ctx := cmd.Context()
	cut, err := c.cut(ctx)
	if err != nil {
		return err
	}

	c.sweep = cut.sweep
	switch {
	case c.testOnly:
		return c.test(ctx, cut)
	case c.dryRun:
		return c.preview(ctx, cut)
	}
	return c.submit(ctx, cut)
}

// submit makes the run of a plan, submits what is left to be measured unless the run is only prepared, and says how
// to go on. If that was asked for, it waits for the end.
func (c *submitCommand) submit(ctx context.Context, cut cutting) error {
	sends := !c.prepareOnly && len(cut.left.Chunks) > 0
	if sends {
		checked, err := c.check(ctx, cut)
		if err != nil {
			return err
		}
		c.sweep.Slurm, cut.notes = checked.Slurm, append(cut.notes, checked.Notes...)
	}
	run, err := c.create(cut)
	if err != nil {
		return err
	}

	done := submitted{Run: run.JobName(), Dir: run.Dir, Plan: summaryOf(cut), Notes: cut.notes, Adopted: cut.adopted}
	parsable := run.Dir
	if sends {
		if done.Round, err = c.send(ctx, run, cut.left); err != nil {
			return err
		}
		parsable = lastIDs(done.Jobs)
	}
	if c.parsable {
		fmt.Fprintln(c.w, parsable)
		c.w = io.Discard
	}
	text, json := c.w, io.Discard
	if c.output.Data() {
		text, json = json, text
	}
	done.print(text, c.sweep, run)
	if !c.wait || !sends {
		return c.output.Write(json, done)
	}

	s, err := waitRun(ctx, text, c.client, run)
	if err != nil {
		return err
	}
	done.Status = &s
	return errors.Join(c.output.Write(json, done), waitVerdict(run, s))
}

// create makes the folder of a run, with what it adopts.
func (c *submitCommand) create(cut cutting) (*slurm.Run, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	run, err := slurm.Create(c.root, c.sweep, cut.plan, program, command.Version())
	if err != nil || cut.adopted == nil {
		return run, err
	}
	if err := cut.adopted.Give(run, cut.plan); err != nil {
		return nil, errors.Join(fmt.Errorf("adopting what %s has measured: %w", c.adopted, err), os.RemoveAll(run.Dir))
	}
	return run, nil
}

// send submits the chunks of a new run that are left. If nothing was submitted, it removes the run.
func (c *submitCommand) send(ctx context.Context, run *slurm.Run, left slurm.Plan) (submit.Round, error) {
	unlock, err := run.Lock(ctx)
	if err != nil {
		return submit.Round{}, err
	}
	defer unlock()

	round, err := submit.Next(ctx, c.client, run, c.sweep.Slurm, left.Chunks)
	if err == nil {
		return round, nil
	}

	if incomplete, ok := errors.AsType[*submit.IncompleteError](err); ok {
		if incomplete.Sent > 0 || incomplete.Unresolved {
			return round, err
		}
		err = incomplete.Err
	}
	err = fmt.Errorf("submitting: %w", err)
	if sbatch.Refusal(err) != "" {
		err = command.WithHint(err, "nothing is submitted: change [slurm] in the sweep, and submit it again")
	}

	return round, errors.Join(err, os.RemoveAll(run.Dir))
}

// check asks Slurm whether the jobs of a sweep could ever start.
func (c *submitCommand) check(ctx context.Context, cut cutting) (submit.Checked, error) {
	cache := func(int) int64 { return 0 }
	if cut.adopted != nil {
		cache = cut.adopted.Cache
	}
	run, err := slurm.New(c.root, c.sweep, command.Version())
	if err != nil {
		return submit.Checked{}, err
	}
	checked, err := submit.Check(ctx, c.client, run, c.sweep.Slurm, cut.plan, cache)
	if sbatch.Refusal(err) != "" {
		err = command.WithHint(err, "nothing is submitted; `sinfo -o \"%P %N %G %c %m %f\"` says what the cluster has, and "+
			"`spmvtune help config` what [slurm] can ask for")
	}
	return checked, err
}

// test prints what Slurm says about the jobs.
func (c *submitCommand) test(ctx context.Context, cut cutting) error {
	checked, err := c.check(ctx, cut)
	if err != nil {
		return err
	}
	if c.output.Data() {
		return c.output.Write(c.w, checked)
	}
	say(c.w, "a task: %s", checked.Task)
	if checked.Finish != "" {
		say(c.w, "the job that merges: %s", checked.Finish)
	}
	printHints(c.w, checked.Notes...)
	_, err = fmt.Fprintln(c.w, "such jobs can start; nothing was submitted")
	return err
}

// waitRun waits until a run has ended, and prints a line now and then. It sends what a limit of
// submitted jobs left over, where the job that merges could not.
func waitRun(ctx context.Context, w io.Writer, client *sbatch.Client, run *slurm.Run) (status.Status, error) {
	for {
		s, err := waitRound(ctx, w, run)
		if err != nil || s.Counts.Never == 0 {
			return s, err
		}
		rest, err := sendRest(ctx, client, run)
		if err != nil || rest.Round == nil {
			return s, err
		}
		printRound(w, *rest.Round, run)
	}
}

// waitRound waits until nothing of a run is active.
func waitRound(ctx context.Context, w io.Writer, run *slurm.Run) (status.Status, error) {
	fmt.Fprintln(w)
	last := ""
	s, err := status.Follow(ctx, statusClient, run, func(s status.Status) error {
		if line := waitLine(s); line != last {
			fmt.Fprintln(w, time.Now().Format(time.TimeOnly), line)
			last = line
		}
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return s, &command.Error{
			Code: command.ExitInterrupted, Err: errors.New("interrupted: the run goes on"),
			Hint: fmt.Sprintf("`%s` follows it, `%s` ends it", onRun("status", run, "--watch"), onRun("cancel", run)),
		}
	}
	if err != nil {
		return s, err
	}
	fmt.Fprintln(w)
	printStatus(ctx, w, run, s)
	return s, nil
}

// waitLine says in a line how far a run is.
func waitLine(s status.Status) string {
	line := fmt.Sprintf("%d of %d chunks, %d of %s%d trials: %s",
		s.Counts.Done, s.Counts.All, s.Trials.Done, roughly(s), s.Trials.Of, inAWord(s))
	if left := timeLeft(s); left != "" {
		line += ", about " + left + " left"
	}
	if s.Silent != "" {
		line += " (Slurm does not say which tasks run)"
	}
	return line
}

// waitVerdict returns an error if a run that has ended is not complete and merged.
func waitVerdict(run *slurm.Run, s status.Status) error {
	var skipped []string
	if s.Merged != nil {
		skipped = s.Merged.Skipped
	}
	if err := mergeVerdict(run, s.Trials, s.Counts.All-s.Counts.Done, skipped); err != nil {
		return err
	}
	if s.Merged == nil || len(s.Merged.Missing) > 0 {
		return command.WithHint(errors.New("every trial is measured, but the job that merges failed, or there is none"),
			fmt.Sprintf("`%s` merges them", onRun("merge", run)))
	}
	return nil
}
