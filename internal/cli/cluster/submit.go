package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/submit"
)

// submitCommand is the command submit.
type submitCommand struct {
	root                                    string // root is the folder of all runs.
	wait, dryRun, testOnly, asJSON, offline bool
	// chunk is the time that a task is packed for. If it is 0, the sweep says it.
	chunk time.Duration

	sweep  *configs.Sweep
	client *sbatch.Client
	w      io.Writer
	alarm  io.Writer // alarm shows downloads, and what the command waits for.
}

func newSubmit() *cobra.Command {
	var c submitCommand
	cmd := &cobra.Command{
		Use:   "submit SWEEP",
		Short: "Measure a sweep on a cluster, through Slurm",
		Long: `submit cuts a sweep into chunks, one for each task of job arrays, submits them
through sbatch and returns at once. The sweep's [slurm] section says how to submit
tasks. The run is a folder below runs/, which all nodes must see; its last job makes
the database and the report. Matrices of the SuiteSparse collection are downloaded
before, because nodes may have no network; the cache must be on a file system that
the nodes see.

Exit codes: 0 submitted or, with --wait, every trial is measured; 1 nothing or not
everything is submitted; 2 the command line or the sweep file is wrong; 3 with
--wait, chunks are missing or trials failed; 130 interrupted, and the jobs go on.`,
		Example: `  spmvtune submit my-sweep.toml
  spmvtune submit my-sweep.toml --dry-run
  spmvtune submit quickstart --chunk 5s
  spmvtune submit my-sweep.toml --wait && spmvtune best runs/my-sweep-*/results.db`,
		Args:              command.NeedsSweep,
		ValidArgsFunction: command.CompleteSweep,
		RunE:              c.Run,
	}
	flagRuns(cmd, &c.root)
	f := cmd.Flags()
	f.DurationVar(&c.chunk, "chunk", 0, "wall time that a task is packed for: 90s, 20m (default: chunk in [slurm])")
	f.BoolVar(&c.wait, "wait", false, "follow the run until it has ended")
	f.BoolVar(&c.dryRun, "dry-run", false, "print every script and command, and do nothing")
	f.BoolVar(&c.testOnly, "test-only", false, "ask Slurm whether such jobs could ever start, and submit none")
	f.BoolVar(&c.asJSON, "json", false, "print JSON")
	command.FlagOffline(cmd, &c.offline)
	return cmd
}

// Run submits a sweep, or says how it would.
func (c *submitCommand) Run(cmd *cobra.Command, args []string) (err error) {
	if c.wait && c.dryRun || c.wait && c.testOnly || c.dryRun && c.testOnly {
		return command.Usage(errors.New("only one of --wait, --dry-run and --test-only can be given"))
	}
	if c.sweep, err = command.LoadSweep(args[0]); err != nil {
		return err
	}
	if cmd.Flags().Changed("chunk") {
		if c.chunk <= 0 {
			return command.Usage(fmt.Errorf("--chunk %s must be greater than zero: give a time such as 5m", c.chunk))
		}
		c.sweep.Slurm.Chunk = c.chunk
	}

	c.w, c.alarm = cmd.OutOrStdout(), cmd.ErrOrStderr()
	c.client = newClient(c.alarm)

	ctx := cmd.Context()
	if c.testOnly {
		return c.test(ctx)
	}
	cut, err := c.cut(ctx)
	if err != nil {
		return err
	}

	c.sweep = cut.sweep
	if c.dryRun {
		return c.preview(cut)
	}
	return c.submit(ctx, cut)
}

// submit makes the run of a plan, submits it and, if that was asked for, waits for its end.
func (c *submitCommand) submit(ctx context.Context, cut cutting) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	run, err := slurm.Create(c.root, c.sweep, cut.plan, program, command.Version())
	if err != nil {
		return err
	}

	round, err := c.send(ctx, run, cut.plan)
	if err != nil {
		return err
	}

	done := submitted{Run: run.JobName(), Dir: run.Dir, Plan: summaryOf(cut.plan), Jobs: round.Jobs, Notes: cut.notes}
	text, json := c.w, io.Discard
	if c.asJSON {
		text, json = json, text
	}
	done.print(text, c.sweep, run)
	if !c.wait {
		return term.WriteJSON(json, done)
	}

	s, err := waitRun(ctx, text, run)
	if err != nil {
		return err
	}
	done.Status = &s
	return errors.Join(term.WriteJSON(json, done), waitVerdict(run, s))
}

// send submits all chunks of a new run. If nothing was submitted, it removes the run.
func (c *submitCommand) send(ctx context.Context, run *slurm.Run, plan slurm.Plan) (submit.Round, error) {
	unlock, err := run.Lock(ctx)
	if err != nil {
		return submit.Round{}, err
	}
	defer unlock()

	ids := make([]string, len(plan.Chunks))
	for i, chunk := range plan.Chunks {
		ids[i] = chunk.ID
	}
	round, err := submit.Next(ctx, c.client, run, c.sweep.Slurm, ids)
	if err == nil {
		return round, nil
	}

	var incomplete *submit.IncompleteError
	if errors.As(err, &incomplete) && (incomplete.Sent > 0 || incomplete.Unresolved) {
		return round, err
	}
	if incomplete != nil {
		err = incomplete.Err
	}
	err = fmt.Errorf("submitting: %w", err)
	var refused *sbatch.RefusedError
	if errors.As(err, &refused) {
		err = command.WithHint(err, "nothing is submitted: change [slurm] in the sweep, and submit it again")
	}

	return round, errors.Join(err, os.RemoveAll(run.Dir))
}

// test asks Slurm whether the jobs of a sweep could ever start.
func (c *submitCommand) test(ctx context.Context) error {
	run, err := slurm.New(c.root, c.sweep, command.Version())
	if err != nil {
		return err
	}
	said, err := submit.TestOnly(ctx, c.client, run, c.sweep.Slurm)
	var refused *sbatch.RefusedError
	if errors.As(err, &refused) {
		err = command.WithHint(err, "such a job would never start: change [slurm] in the sweep")
	}
	if err != nil {
		return err
	}

	if c.asJSON {
		return term.WriteJSON(c.w, map[string]any{"task": said[0], "finish": said[1]})
	}
	const text = "a task: %s\nthe job that merges: %s\nsuch jobs can start; nothing was submitted\n"
	_, err = fmt.Fprintf(c.w, text, said[0], said[1])
	return err
}
