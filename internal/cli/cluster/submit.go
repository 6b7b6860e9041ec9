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

// submitFlags are those of the command submit.
type submitFlags struct {
	root                   string
	wait, dry, test, json_ bool
	offline                bool
	chunk                  time.Duration // 0: as the sweep says
}

func newSubmit() *cobra.Command {
	var f submitFlags
	cmd := &cobra.Command{
		Use:   "submit SWEEP",
		Short: "Measure a sweep on a cluster, through Slurm",
		Long: `submit cuts a sweep into chunks, one for each task of job arrays, submits them
through sbatch and returns at once. How tasks are submitted is in the sweep's
[slurm] section. The run is a folder below runs/, which all nodes must see; the
last job makes its database and its report. Matrices of the SuiteSparse collection
are downloaded before, since nodes may have no network; the cache must be on a file
system that nodes see.

Exit codes: 0 submitted or, with --wait, all is measured; 1 nothing or not all is
submitted; 2 the command line or the sweep file is wrong; 3 with --wait, chunks
are missing or trials failed; 130 interrupted, where the jobs go on.`,
		Example: `  spmvtune submit my-sweep.toml
  spmvtune submit my-sweep.toml --dry-run
  spmvtune submit quickstart --chunk 5s
  spmvtune submit my-sweep.toml --wait && spmvtune best runs/my-sweep-*/results.db`,
		Args:              command.NeedsSweep,
		ValidArgsFunction: command.CompleteSweep,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.wait && f.dry || f.wait && f.test || f.dry && f.test {
				return command.Usage(errors.New("only one of --wait, --dry-run and --test-only can be given"))
			}
			sweep, err := command.LoadSweep(args[0])
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("chunk") {
				if f.chunk <= 0 {
					return command.Usage(fmt.Errorf("--chunk is %s, and a task can't be packed for that: give a time such as 5m", f.chunk))
				}
				sweep.Slurm.Chunk = f.chunk
			}
			return submitSweep(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), sweep, f)
		},
	}
	flagRuns(cmd, &f.root)
	cmd.Flags().DurationVar(&f.chunk, "chunk", 0, "wall time that a task is packed for: 90s, 20m; otherwise chunk in the sweep's [slurm]")
	cmd.Flags().BoolVar(&f.wait, "wait", false, "follow the run until it has ended")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "print every script and command, and do nothing")
	cmd.Flags().BoolVar(&f.test, "test-only", false, "ask Slurm whether such jobs could ever start, and submit none")
	cmd.Flags().BoolVar(&f.json_, "json", false, "print JSON")
	command.FlagOffline(cmd, &f.offline)
	return cmd
}

// submitSweep cuts and submits a sweep, or says how. Downloads, and what is waited for,
// are shown on alarm.
func submitSweep(ctx context.Context, w, alarm io.Writer, sweep *configs.Sweep, f submitFlags) error {
	client := newClient(alarm)
	if f.test {
		return testSubmit(ctx, w, client, sweep, f)
	}
	cut, err := cutSweep(ctx, alarm, client, sweep, f)
	if err != nil {
		return err
	}
	sweep = cut.sweep
	if f.dry {
		return previewSubmit(w, sweep, cut, f)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	run, err := slurm.Create(f.root, sweep, cut.plan, program, command.Version())
	if err != nil {
		return err
	}
	round, err := submitAll(ctx, client, run, sweep.Slurm, cut.plan)
	if err != nil {
		return err
	}
	done := submitted{Run: run.JobName(), Dir: run.Dir, Plan: summaryOf(cut.plan), Jobs: round.Jobs, Notes: cut.notes}
	if !f.json_ {
		done.print(w, sweep, run)
	}
	if !f.wait {
		if f.json_ {
			return term.WriteJSON(w, done)
		}
		return nil
	}
	show := w
	if f.json_ {
		show = io.Discard
	}
	status, err := waitRun(ctx, show, run)
	if err != nil {
		return err
	}
	if f.json_ {
		done.Status = &status
		err = term.WriteJSON(w, done)
	}
	return errors.Join(err, waitVerdict(run, status))
}

// submitAll submits all chunks of a run that was just made. Where nothing was
// submitted nothing is left of the run.
func submitAll(ctx context.Context, client *sbatch.Client, run *slurm.Run, s configs.Slurm, plan slurm.Plan) (submit.Round, error) {
	unlock, err := run.Lock(ctx)
	if err != nil {
		return submit.Round{}, err
	}
	defer unlock()
	ids := make([]string, len(plan.Chunks))
	for i, c := range plan.Chunks {
		ids[i] = c.ID
	}
	round, err := submit.Next(ctx, client, run, s, ids)
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
