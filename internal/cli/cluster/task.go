package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/tuner/journal"
)

// exitAgain is the exit code of a task that leaves work to another attempt: EX_TEMPFAIL of
// sysexits.h. A task that a signal ends has the code 128 plus the signal's number, as in a shell.
const exitAgain = 75

// taskCommand is the command task, which the tasks of an array run, and launchers of users.
type taskCommand struct {
	root        string
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
the same time, on several machines, and beside tasks of Slurm: each claims a chunk by a file
in RUN/claims before it measures. If a process dies, the next one goes on with its chunk: at
once on the same machine, on another one 5 minutes after its last sign of life.

The program to call is RUN/bin/spmvtune. Another one will do for kernels of the processor,
but a sweep of GPU kernels needs that of the submission.

--next leaves alone what was sent through Slurm, and a chunk at which three attempts failed
that measured nothing. --chunk does not.

Exit codes: 0 nothing is left to take, or the chunk is complete; 1 it could not begin, or
the chunk is not complete; 3 with --next, some that it took are not complete; 75 warned of its
time limit (USR1), or another process has the chunk; 128 and more: ended by a signal.`,
		Example: `  spmvtune task runs/grids-20261121-k3fq7a --next
  srun --ntasks=2 runs/grids-20261121-k3fq7a/bin/spmvtune task runs/grids-20261121-k3fq7a --next
  spmvtune task runs/grids-20261121-k3fq7a --chunk 7`,
		Args: command.Needs(aRun),
		RunE: c.Run,
	}
	cmd.ValidArgsFunction = completeRun
	flagRuns(cmd, &c.root)

	f := cmd.Flags()
	f.BoolVar(&c.next, "next", false, "measure free chunks until none is left to take")
	f.StringVar(&c.chunk, "chunk", "", "measure this chunk: 0007, or 7")
	f.IntVar(&c.array, "array", 0, "take only chunks of this [[slurm.array]], from 1")
	f.IntVar(&c.round, "round", 0, "number of the round, from 1")
	f.IntVar(&c.base, "base", 0, "index in the round of the array's first task, from 0")
	f.StringVar(&c.warned, "warned", "", "signal that came before this program started, because the task's time ends")
	for _, name := range []string{"round", "base", "warned"} {
		cobra.CheckErr(f.MarkHidden(name))
	}
	return cmd
}

// Run measures a chunk, as far as the time allows.
func (c *taskCommand) Run(cmd *cobra.Command, args []string) error {
	// A task handles its signals itself.
	ctx, stop := watchStops(context.WithoutCancel(cmd.Context()))
	if c.warned != "" {
		stop.warn(c.warned)
	}
	run, err := openRun(c.root, args[0])
	if err != nil {
		return err
	}
	log := &taskLog{w: cmd.OutOrStdout()}
	if c.next || c.chunk != "" {
		return c.own(ctx, run, stop, log)
	}

	work, err := run.Task(c.round, c.base, os.Getenv)
	if err != nil {
		return err
	}

	t := &task{run: run, work: work, stop: stop, log: log}
	return t.attempt(ctx)
}

// attempt measures the chunk of a task, and returns the exit code.
func (t *task) attempt(ctx context.Context) (err error) {
	run, work := t.run, t.work
	t.log.printf("%s: task %s on %s, attempt %d at chunk %s: %s, about %s", run.JobName(), work.Job, work.Node,
		work.Attempt+1, work.Chunk.ID, pieces(len(work.Chunk.Pieces)), term.RoughSeconds(work.Chunk.Seconds))
	if t.journal, err = run.Journal(context.WithoutCancel(ctx), work, journal.Options{Facts: t.facts}); err != nil {
		return err
	}
	defer t.journal.Close() // every line is on disk when it is written
	if err := t.alone(); err != nil {
		return t.end(err)
	}
	return t.end(t.measure(ctx))
}

// A task is one attempt at a chunk of a run.
type task struct {
	run  *slurm.Run
	work slurm.Task
	stop *stops
	log  *taskLog

	journal *journal.Writer
	// ledgers has the ledger of each backend.
	ledgers []*ledger
}

func pieces(n int) string { return term.Count(n, "piece", "pieces") }

// end writes into the journal what became of the chunk, and returns the exit code. err says what
// stopped the measuring, if anything did.
func (t *task) end(err error) error {
	list, complete, lacks := account(t.work.Chunk.Pieces, t.ledgers)
	reason, again, verdict := t.outcome(lacks, err)
	warned, _ := t.stop.received()
	end := journal.End{Reason: reason, Pieces: list, At: time.Now().UTC(), OutOfTime: warned != 0}
	sum := sumOf(t.ledgers)
	if sum.Trials == 0 {
		end.Skipped = slices.Sorted(maps.Keys(sum.Skipped))
	}
	if err := t.journal.End(end); err != nil {
		again, verdict = false, errors.Join(verdict, err)
	}

	t.log.summary(sum)
	t.log.printf("end: %s; %d of %s complete", reason, complete, pieces(len(list)))

	switch {
	case !again || t.work.Claim != nil:
	case len(sum.Measured) == 0:
		t.log.printf("not started again: nothing was measured, and the same time would not be enough; " +
			"give more by time in [slurm]")
	default:
		return t.requeue(verdict)
	}

	return verdict
}

// outcome says why the task ends, whether Slurm is asked to start it again, and the exit code.
// lacks says why work is left, "" if none is.
func (t *task) outcome(lacks string, err error) (reason string, again bool, verdict error) {
	warned, ended := t.stop.received()
	code := func(code int) error { return &command.Error{Code: code, Err: errors.New(reason)} }
	switch {
	case lacks == "":
		return "complete", false, nil
	case err != nil:
		return err.Error(), false, err
	case ended != 0:
		reason = fmt.Sprintf("ended by %s: cancelled, preempted or out of time", unix.SignalName(ended))
		return reason, false, code(128 + int(ended))
	case warned != 0:
		reason = fmt.Sprintf("warned by %s that its time ends", unix.SignalName(warned))
		return reason, true, code(exitAgain)
	case sumOf(t.ledgers).OutOfTime:
		reason = "the sweep's budget of time is used up"
		return reason, false, code(exitAgain)
	}

	return lacks, false, errors.New(lacks)
}

// requeue asks Slurm to start the task again, unless it was cancelled. A task that is cancelled
// during the question stays so, too. verdict is what the task ends with.
func (t *task) requeue(verdict error) error {
	if _, ended := t.stop.received(); ended != 0 {
		return verdict
	}
	client := &sbatch.Client{Timeout: 30 * time.Second}
	if err := client.Requeue(context.Background(), sbatch.JobID{ID: t.work.Job}); err != nil {
		retry := term.Shell("spmvtune", "retry", t.run.Dir)
		return errors.Join(verdict, fmt.Errorf("%w: the rest is left for `%s`", err, retry))
	}
	t.log.printf("asked slurm to start it again, for the rest")
	return &command.Error{Code: exitAgain, Err: errors.New("")} // everything is said
}
