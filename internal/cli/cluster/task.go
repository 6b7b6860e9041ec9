package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/cli/show"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/tuner"
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

// A taskLog is the log of a task.
type taskLog struct {
	mu sync.Mutex
	w  io.Writer
}

// printf writes a line with the time.
func (l *taskLog) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, time.Now().Format(time.DateTime)+" "+format+"\n", args...)
}

// summary says what a task did.
func (l *taskLog) summary(sum tuner.Summary) {
	var text bytes.Buffer
	show.Summary(&text, sum)
	for line := range strings.Lines(text.String()) {
		l.printf("%s", strings.TrimSuffix(line, "\n"))
	}
}

// A task reports its progress with every tenth of its work, and after some time without. That
// time grows, so that the log of a day has some dozens of lines.
const (
	logTenths = 10
	// logEvery is the first such time, and its growth.
	logEvery = time.Minute
	// mostLogged is the largest number of matrices whose names are logged when they begin.
	mostLogged = 20
)

// A progressLog logs how far a run of the tuner is.
type progressLog struct {
	log *taskLog

	mu       sync.Mutex // there may be several GPUs
	matrices int
	begun    int    // begun counts the matrices that were begun, or shares of them.
	matrix   string // matrix is the name of the last one.
	planned  int    // planned counts their trials,
	done     int    // done those that are recorded,
	measured int    // and measured those that this run has measured.

	tenths int // tenths is the progress that was reported last.
	said   time.Time
	every  time.Duration
}

func (l *progressLog) printf(format string, args ...any) {
	l.log.printf(format, args...)
	l.said = time.Now()
}

// Observe logs an event of the run.
func (l *progressLog) Observe(e tuner.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.Started != nil:
		l.matrices, l.every = e.Started.Matrices, logEvery
		l.printf("device: %s", show.Devices(*e.Started))
		if why := e.Started.NoSensors; why != "" {
			l.printf("note: %s", show.Unsensed(why))
		}
	case e.Failure != nil:
		l.printf("%s: %v", e.Failure.Skips(), hardware.InWords(e.Failure.Err))
	case show.Noted(e) != "":
		l.printf("note: %s", show.Noted(e))
	case e.Gone != nil:
		l.printf("%s", show.Gone(*e.Gone))
	case e.Matrix != nil:
		l.begun, l.matrix = e.Matrix.Index+1, e.Matrix.Matrix.Name
		if !e.Matrix.Again {
			l.planned += e.Matrix.Trials
			l.done += e.Matrix.Finished
		}
		if l.matrices <= mostLogged {
			l.printf("%s (%d of %d): %s, %d measured already", l.matrix, l.begun, l.matrices,
				term.Trials(e.Matrix.Trials), e.Matrix.Finished)
		}
	case e.Result != nil:
		l.done++
		l.measured++
	}

	if l.measured > 0 {
		l.progress()
	}
}

// progress logs how far the run is, when it is time. How many trials there are is an estimate until the
// last matrix is planned.
func (l *progressLog) progress() {
	total := max(l.planned*l.matrices/l.begun, l.done)
	tenths := logTenths * l.done / total
	late := time.Since(l.said) >= l.every
	if tenths <= l.tenths && !late {
		return
	}
	if late {
		l.every += logEvery
	}
	l.tenths = max(tenths, l.tenths)
	l.printf("%d%%: %s measured, %d of %d done, %s the last matrix so far", 100*l.tenths/logTenths,
		term.Trials(l.measured), l.done, total, l.matrix)
}

// stops are the signals that told a task to stop. A warning says that its time ends; then the task
// may ask to be started again. Other signals come from a user who cancels, or from Slurm when it
// needs the node, and end the task for good.
//
// SIGKILL follows some time later. Until then the running trial can end; no number of signals ends
// the task at once.
type stops struct {
	came   chan os.Signal
	cancel context.CancelFunc // cancel ends the task's context.

	mu       sync.Mutex
	warnings []syscall.Signal
	warned   syscall.Signal
	ended    syscall.Signal
}

// watchStops returns a context that ends at the first signal. The watch goes on until the program
// ends: a signal that comes at the last moment must not change the exit code.
func watchStops(ctx context.Context) (context.Context, *stops) {
	ctx, cancel := context.WithCancel(ctx)
	s := &stops{came: make(chan os.Signal, 8), cancel: cancel}
	signal.Notify(s.came, syscall.SIGTERM, syscall.SIGINT)
	s.warnBy("")
	go func() {
		for sig := range s.came {
			s.note(sig.(syscall.Signal))
		}
	}()

	return ctx, s
}

// warnBy makes warnings of the signals that [slurm] signal, which is text, asks for.
func (s *stops) warnBy(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slurm.Warnings(text) {
		sig := unix.SignalNum("SIG" + name)
		s.warnings = append(s.warnings, sig)
		signal.Notify(s.came, sig)
	}
}

// warn notes a warning that the task's script got before it started this program. name is that of
// the signal.
func (s *stops) warn(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warned = unix.SignalNum("SIG" + name)
	s.cancel()
}

func (s *stops) note(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.warnings, sig) {
		s.warned = sig
	} else {
		s.ended = sig
	}
	s.cancel()
}

// received returns the signals that came, 0 for none.
func (s *stops) received() (warned, ended syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warned, s.ended
}
