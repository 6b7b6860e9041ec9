// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/hardware"
	"example.org/spmvtune/tuner/journal"
)

// taskCommand is the command task, which the tasks of an array run, and launchers of users.
type taskCommand struct {
	round, base int
	warned      string

	chunk string // chunk is the one to measure.
	next  bool   // next takes chunk after chunk.
	array int    // array is the place of the only [[slurm.array]] to take chunks of, from 1; 0: there is one kind.
}

func newTask() *cobra.Command {
	var c taskCommand
	cmd := &cobra.Command{
		Use:   "task RUN",
		Short: "Measure chunks of a run here, under a launcher of your own",
		Long: `task measures chunks of a run in this process, wherever it is started: by a shell loop,
ssh, srun, or an array of another scheduler. The machine must see the run's folder.

--next takes chunk after chunk until none is left to take. Several such processes may run at
the same time, on several machines, and beside tasks of Slurm. If one dies, the next goes on
with its chunk: at once on the same machine, on another one 5 minutes after its last sign of
life. Of GPU kernels the program to call is RUN/bin/spmvtune. --next leaves alone what was sent
through Slurm, and a chunk at which three attempts failed that measured nothing.

Exit codes: 0 nothing is left to take, or the chunk is complete; 1 it could not begin, or
the chunk is not complete; 3 with --next, some that it took are not complete; 75 warned of its
time limit (USR1), or another process has the chunk; 128 and more: ended by a signal.`,
		Example: `  spmvtune task grids-20261121-k3fq7a --next
  srun --ntasks=2 spmvtune-out/grids-20261121-k3fq7a/bin/spmvtune task grids-20261121-k3fq7a --next
  spmvtune task grids-20261121-k3fq7a --chunk 7`,
		Args: command.Needs(aRun),
		RunE: c.Run,
	}
	cmd.ValidArgsFunction = completeRun

	f := cmd.Flags()
	f.BoolVar(&c.next, "next", false, "measure free chunks until none is left to take")
	f.StringVar(&c.chunk, "chunk", "", "measure this chunk: 0007, or 7")
	f.IntVar(&c.array, "array", 0, "take only chunks of this [[slurm.array]], from 1")
	f.IntVar(&c.round, "round", 0, "number of the round, from 1")
	f.IntVar(&c.base, "base", 0, "index in the round of the array's first task, from 0")
	f.StringVar(&c.warned, "warned", "", "signal that came before this program started, because the task's time ends")
	cmd.MarkFlagsMutuallyExclusive("next", "chunk")
	for _, name := range []string{"round", "base", "warned"} {
		cobra.CheckErr(f.MarkHidden(name))
	}
	return cmd
}

// Run measures a chunk, as far as the time allows.
func (c *taskCommand) Run(cmd *cobra.Command, args []string) error {
	// A task handles its signals itself.
	ctx, stops := slurm.WatchStops(context.WithoutCancel(cmd.Context()), c.warned)
	run, err := openRun(cmd.ErrOrStderr(), args[0])
	if err != nil {
		return err
	}
	log := &taskLog{w: cmd.OutOrStdout()}
	bench := &slurm.Bench{Find: findDevice, Measure: log.measure, Printf: log.printf, Summary: log.summary, Stops: stops}
	err = c.measure(ctx, run, bench)
	if stop, stopped := errors.AsType[*slurm.StopError](err); stopped {
		return &command.Error{Code: stop.Code, Err: err}
	}
	return err
}

// measure measures what this process was started for.
func (c *taskCommand) measure(ctx context.Context, run *slurm.Run, bench *slurm.Bench) error {
	if c.next || c.chunk != "" {
		return c.own(ctx, run, bench)
	}
	task, err := run.Task(c.round, c.base, os.Getenv)
	if err != nil {
		return err
	}
	_, err = run.Attempt(ctx, task, bench)
	return err
}

// own measures a chunk, or all that it can take.
func (c *taskCommand) own(ctx context.Context, run *slurm.Run, bench *slurm.Bench) error {
	plan, err := run.Plan()
	if err != nil {
		return err
	}
	kinds := 1 + lists.Most(plan.Chunks, func(p slurm.Chunk) int { return p.Kind })
	w := &slurm.Worker{Run: run, Bench: bench, Kind: c.array - 1}
	switch {
	case c.array < 0 || c.array > kinds:
		return command.Usage(fmt.Errorf("there is no array %d: the arrays of the run are 1 to %d", c.array, kinds))
	case !c.next:
		id := c.chunk
		if n, err := strconv.Atoi(id); err == nil {
			id = fmt.Sprintf("%04d", n)
		}
		if chunk := plan.Chunk(id); chunk != nil {
			return w.One(ctx, *chunk)
		}
		return command.Usage(fmt.Errorf("the run has no chunk %s: it has %d, from %s", c.chunk, len(plan.Chunks),
			plan.Chunks[0].ID))
	case kinds > 1 && c.array == 0:
		return command.Usage(errors.New("the sweep has several [[slurm.array]]: say by --array which one's chunks " +
			"to take here, from 1"))
	}

	if err := w.All(ctx); err != nil {
		return err
	}
	bench.Printf("nothing is left to take; this process took %s", chunks(w.Taken))
	if n := len(w.Failed); n > 0 {
		return command.SomeFailed(fmt.Errorf("%s that it took %s not complete", chunks(n), term.Noun(n, "is", "are")),
			fmt.Sprintf("`%s` says why", onRun("status", run)))
	}
	return nil
}

// findDevice describes the device of a backend, and gives the sweep all GPUs that the task uses.
func findDevice(ctx context.Context, backend string, sweep *configs.Sweep) (kernels.Device, error) {
	if backend != "cuda" {
		b, err := hardware.OpenBackend(configs.Device{Backend: backend})
		if err != nil {
			return kernels.Device{}, err
		}
		return b.Device(), b.Close()
	}
	const again = " in [slurm], and submit the sweep again"
	n := sweep.Slurm.GPUsPerTask
	found, err := hardware.UseGPUs(ctx, &sweep.Device, n)
	switch {
	case err != nil && found.Count > 0:
		err = command.WithHint(fmt.Errorf("gpus_per_task is %d, and %w", n, err),
			"ask for enough by gres, gpus or exclusive"+again)
	case err != nil:
		names := term.Some(hardware.KernelNames(sweep.Only("cuda")), command.FewNames)
		err = command.WithHint(fmt.Errorf("this sweep needs a GPU (%s) and none answers: %w", names, err),
			"ask for one by gres or gpus"+again)
	}
	return found.Device, err
}

// A taskLog is the log of a task. Each line begins with the time.
type taskLog struct {
	mu sync.Mutex
	w  io.Writer
}

// measure measures a sweep on one backend.
func (l *taskLog) measure(
	ctx context.Context, part *configs.Sweep, into *journal.Writer, opt tuner.Options,
) (sum tuner.Summary, err error) {
	if opt.Launch, err = hardware.LaunchWorker(part.Device.Backend); err != nil {
		return sum, err
	}
	byRule, err := analysis.NewChooser(ctx, part)
	if err != nil {
		return sum, err
	}
	progress := show.New(l, l)
	progress.Every = time.Minute
	defer progress.Clear()
	opt.Version, opt.Observe = command.ThisBuild().String(), progress.Observe
	byRule.Use(&opt)
	sum, err = tuner.Run(ctx, part, into, opt)
	return sum, hardware.ExplainGPU(err)
}

// printf writes a line.
func (l *taskLog) printf(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

// Write writes whole lines.
func (l *taskLog) Write(lines []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(lines) {
		if _, err := fmt.Fprintf(l.w, "%s %s", time.Now().Format(time.DateTime), line); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

// summary says what a task did.
func (l *taskLog) summary(sum tuner.Summary) {
	var text bytes.Buffer
	show.Summary(&text, sum)
	l.printf("%s", bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}
