package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/tuner/journal"
)

// exitAgain is the exit code of a task that leaves work to another attempt: the
// EX_TEMPFAIL of sysexits.h. One that a signal ends has 128 and the signal's number,
// as in a shell.
const exitAgain = 75

// newTask is the hidden command that the tasks of an array run.
func NewTaskCommand() *cobra.Command {
	var round, base int
	var warned string
	cmd := &cobra.Command{
		Use:    "task RUN",
		Short:  "Measure a chunk of a submitted sweep, as a task of an array",
		Hidden: true,
		Args:   command.Needs("the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// Its signals are the task's own business.
			ctx, stop := watchStops(context.WithoutCancel(cmd.Context()))
			defer stop.close()
			if warned != "" {
				stop.warn(warned)
			}
			return runTask(ctx, stop, cmd.OutOrStdout(), args[0], round, base)
		},
	}
	cmd.Flags().IntVar(&round, "round", 0, "number of the round, from 1")
	cmd.Flags().IntVar(&base, "base", 0, "place in the round of the array's first task, from 0")
	cmd.Flags().StringVar(&warned, "warned", "", "signal that came before this program: its time ends")
	return cmd
}

// A task is one attempt at a chunk of a run.
type task struct {
	run  *slurm.Run
	work slurm.Task
	stop *stops
	log  *taskLog

	main    lane
	workers []lane    // with gpus_per_task above 1, one for each GPU
	ledgers []*ledger // of all runs of the tuner
}

// A lane is a journal with the pieces that its end speaks of.
type lane struct {
	journal *journal.Writer
	pieces  []slurm.Piece
	ledgers []*ledger // of all devices that the pieces are measured on; none: nothing is known
}

// runTask measures a chunk, as far as the time allows.
func runTask(ctx context.Context, stop *stops, w io.Writer, dir string, round, base int) error {
	run, err := slurm.Open(dir)
	if err != nil {
		return err
	}
	work, err := run.Task(round, base, os.Getenv)
	if err != nil {
		return err
	}
	t := &task{run: run, work: work, stop: stop, log: &taskLog{w: w}}
	t.log.printf("%s: task %s on %s, attempt %d at chunk %s: %s, about %s", run.JobName(), work.Job, work.Node,
		work.Attempt+1, work.Chunk.ID, pieces(len(work.Chunk.Pieces)), term.RoughSeconds(work.Chunk.Seconds))
	if t.main, err = t.newLane(ctx, 0, work.Chunk.Pieces); err != nil {
		return err
	}
	defer t.close()
	return t.end(t.measure(ctx))
}

func pieces(n int) string { return term.Count(n, "piece", "pieces") }

// newLane starts a journal: with 0, that of the task itself, else that of one of
// its workers.
func (t *task) newLane(ctx context.Context, worker int, pieces []slurm.Piece) (lane, error) {
	j, err := t.run.Journal(context.WithoutCancel(ctx), t.work, journal.Options{Worker: worker, Facts: t.facts(worker)})
	return lane{journal: j, pieces: pieces}, err
}

func (t *task) close() {
	for _, l := range append(t.workers, t.main) {
		l.journal.Close() // all that matters is on disk when it is written
	}
}

// end writes what became of the chunk into the journals, and makes the exit code
// of it. err is what kept the measuring from going on, if anything did.
func (t *task) end(err error) error {
	_, complete, lacks := account(t.main.pieces, t.ledgers)
	reason, again, verdict := t.outcome(lacks, err)
	t.main.ledgers = t.ledgers
	warned, _ := t.stop.received()
	for _, l := range append(t.workers, t.main) {
		list, _, _ := account(l.pieces, l.ledgers)
		if err := l.journal.End(journal.End{Reason: reason, Pieces: list, At: time.Now().UTC(), OutOfTime: warned != 0}); err != nil {
			again, verdict = false, errors.Join(verdict, err)
		}
	}
	sum := sumOf(t.ledgers)
	t.log.summary(sum)
	t.log.printf("end: %s; %d of %s complete", reason, complete, pieces(len(t.main.pieces)))
	switch {
	case !again:
	case len(sum.Measured) == 0:
		t.log.printf("not started again: nothing was measured, nor would it be in the same time; give more by time in [slurm]")
	default:
		return t.requeue(verdict)
	}
	return verdict
}

// outcome says why the task ends, whether Slurm is asked to start it again, and the
// exit code. lacks is why work is left, "" if none is.
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

// requeue asks Slurm to start the task again, unless it was cancelled meanwhile. What
// is cancelled while it asks stays so, too. verdict is what the task ends with.
func (t *task) requeue(verdict error) error {
	if _, ended := t.stop.received(); ended != 0 {
		return verdict
	}
	client := &sbatch.Client{Timeout: 30 * time.Second}
	if err := client.Requeue(context.Background(), sbatch.JobID{ID: t.work.Job}); err != nil {
		return errors.Join(verdict, fmt.Errorf("%w: the rest is left for `%s`", err, term.Shell("spmvtune", "retry", t.run.Dir)))
	}
	t.log.printf("asked slurm to start it again, for the rest")
	return &command.Error{Code: exitAgain, Err: errors.New("")} // all is said
}
