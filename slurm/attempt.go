// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

// ExitAgain is the exit code of a task that leaves work to another attempt: EX_TEMPFAIL of
// sysexits.h. A task that a signal ends has the code 128 plus the signal's number, as in a shell.
const ExitAgain = 75

// A StopError says why a task ends before its work is complete, with an exit code of its own.
type StopError struct {
	Code   int
	Reason string // Reason is "" if the log says it.
}

func (e *StopError) Error() string { return e.Reason }

// A Bench is what the tasks of a process measure with, and where they say what they do.
type Bench struct {
	// Find describes the device of a backend. It gives the sweep the GPUs that a task uses.
	Find func(ctx context.Context, backend string, sweep *configs.Sweep) (kernels.Device, error)
	// Measure measures a sweep on one backend.
	Measure func(ctx context.Context, part *configs.Sweep, into *journal.Writer, opt tuner.Options) (tuner.Summary, error)
	// Printf adds a line to the log, and Summary what was done.
	Printf  func(format string, args ...any)
	Summary func(tuner.Summary)
	Stops   *Stops // Stops are the signals that tell the process to stop.
}

// A try is one attempt at a chunk of a run.
type try struct {
	*Bench
	run  *Run
	task Task

	journal *journal.Writer
	// sums are what the runs of the tuner say at their ends, one for each backend. One is empty if the run has
	// not begun.
	sums []tuner.Summary
}

// Attempt measures the chunk of a task, as far as the time allows, and says what was done. Its error may be a *StopError.
func (r *Run) Attempt(ctx context.Context, task Task, bench *Bench) (sum tuner.Summary, err error) {
	t := &try{Bench: bench, run: r, task: task}
	t.Printf("%s: task %s on %s, attempt %d at chunk %s: %s, about %s", r.JobName(), task.Job, task.Node,
		task.Attempt+1, task.Chunk.ID, term.Count(len(task.Chunk.Pieces), "piece", "pieces"),
		term.RoughSeconds(task.Chunk.Seconds))
	t.journal, err = journal.Create(context.WithoutCancel(ctx), r.Path(JournalsDir), task.Chunk.ID, task.Job,
		task.Attempt, t.facts)
	if err != nil {
		return sum, err
	}
	defer t.journal.Close() // every line is on disk when it is written
	if err = t.alone(); err == nil {
		err = t.measure(ctx)
	}
	return t.sum(), t.end(err)
}

// alone makes sure that a task of Slurm and another process don't measure a chunk at the same time. Each
// says that it has the chunk, by a round or a claim, before it looks for the other.
func (t *try) alone() error {
	if t.task.Claim != nil {
		return nil
	}
	claims, err := t.run.Claims()
	if c := claims[t.task.Chunk.ID]; c.Live {
		return fmt.Errorf("%w: %s", ErrClaimed, &c)
	}
	return err
}

// measure measures the chunk, on one backend after the other. Being told to stop is no error.
func (t *try) measure(ctx context.Context) error {
	if err := t.run.CheckPrograms(); err != nil {
		return err
	}
	sweep, err := t.run.TaskSweep()
	if err != nil {
		return err
	}
	sweep.Slurm = sweep.Slurm.Of(t.task.Chunk.Kind)
	t.Stops.warnBy(sweep.Slurm.Signal)
	backends, err := t.backends(ctx, sweep)
	if ctx.Err() != nil {
		return nil // finding the devices was interrupted
	}
	if err != nil {
		return err
	}

	opt := tuner.Options{
		Node: t.task.Node, Job: t.task.Job, Pieces: t.task.Chunk.Pieces,
		Accept: func(m trial.Matrix) error { return t.run.PinMatrix(t.task, m) },
	}
	t.sums = make([]tuner.Summary, len(backends)) // what has not begun is not complete
	for i, backend := range backends {
		if ctx.Err() != nil {
			return nil
		}
		if t.sums[i], err = t.Measure(ctx, sweep.Only(backend), t.journal, opt); err != nil {
			return err
		}
	}
	return nil
}

// backends finds the devices that the sweep needs, makes sure that the run may use them, and
// returns the backends to measure on.
func (t *try) backends(ctx context.Context, sweep *configs.Sweep) ([]string, error) {
	var found []kernels.Device
	for _, backend := range sweep.Backends() {
		d, err := t.Find(ctx, backend, sweep)
		if err == nil {
			found = append(found, d)
			if d.Properties["pinned"] == "no" {
				t.Printf("note: other processes of this program use the processors that slurm gave to this task, " +
					"and slurm confines none of them: workers are not pinned, and times are unreliable; set " +
					"exclusive = true in [slurm]")
			}
			continue
		}
		// As in run, GPU kernels are skipped if nobody asked for a GPU.
		if asked, _ := AskedGPUs(sweep.Slurm); backend != "cuda" || asked || len(found) == 0 {
			return nil, err
		}
		t.Printf("note: skipping GPU kernels: %v", err)
	}
	return t.run.PinDevices(t.task, sweep.Slurm, found)
}

// facts returns what the journal says of a run besides where it measured.
func (t *try) facts(run tuner.RunInfo) map[string]string {
	facts := map[string]string{"attempt": fmt.Sprint(t.task.Attempt)}
	for _, name := range []string{"clock_khz", "memory_clock_khz"} {
		if v := run.Device.Properties[name]; v != "" {
			facts[name] = v
		}
	}
	if visible := os.Getenv("CUDA_VISIBLE_DEVICES"); visible != "" && run.Device.Backend == "cuda" {
		facts["visible"] = visible
	}
	return facts
}

// end writes into the journal what became of the chunk, and returns what the task ends with. err says what
// stopped the measuring, if anything did.
func (t *try) end(err error) error {
	list, complete, lacks := completed(t.task.Chunk.Pieces, t.sums)
	sum := t.sum()
	reason, again, verdict := t.outcome(lacks, err, sum.OutOfTime)
	warned, _ := t.Stops.Received()
	end := journal.End{Reason: reason, Pieces: list, At: time.Now().UTC(), OutOfTime: warned != 0}
	if sum.Trials == 0 {
		end.Skipped = slices.Sorted(maps.Keys(sum.Skipped))
	}
	if err := t.journal.End(end); err != nil {
		again, verdict = false, errors.Join(verdict, err)
	}

	t.Summary(sum)
	t.Printf("end: %s; %d of %s complete", reason, complete, term.Count(len(list), "piece", "pieces"))
	switch _, ended := t.Stops.Received(); {
	case !again || t.task.Claim != nil || ended != 0:
		return verdict
	case len(sum.Measured) == 0:
		t.Printf("not started again: nothing was measured, and the same time would not be enough; " +
			"give more by time in [slurm]")
		return verdict
	}

	// A task that is cancelled during the question stays so.
	client := &sbatch.Client{Timeout: 30 * time.Second}
	if err := client.Requeue(context.Background(), sbatch.JobID{ID: t.task.Job}); err != nil {
		retry := term.Shell("spmvtune", "retry", t.run.Dir)
		return errors.Join(verdict, fmt.Errorf("%w: the rest is left for `%s`", err, retry))
	}
	t.Printf("asked slurm to start it again, for the rest")
	return &StopError{ExitAgain, ""}
}

// sum adds up what all runs of the tuner did.
func (t *try) sum() (sum tuner.Summary) {
	for _, s := range t.sums {
		sum.Add(s)
	}
	return sum
}

// outcome says why the task ends, whether Slurm is asked to start it again, and what it ends with.
// lacks says why work is left, "" if none is.
func (t *try) outcome(lacks string, err error, outOfTime bool) (reason string, again bool, verdict error) {
	warned, ended := t.Stops.Received()
	switch {
	case lacks == "":
		return "complete", false, nil
	case err != nil:
		return err.Error(), false, err
	case ended != 0:
		reason = fmt.Sprintf("ended by %s: cancelled, preempted or out of time", unix.SignalName(ended))
		return reason, false, &StopError{128 + int(ended), reason}
	case warned != 0:
		reason = fmt.Sprintf("warned by %s that its time ends", unix.SignalName(warned))
		return reason, true, &StopError{ExitAgain, reason}
	case outOfTime:
		reason = "the sweep's budget of time is used up"
		return reason, false, &StopError{ExitAgain, reason}
	}
	return lacks, false, errors.New(lacks)
}

// completed says which pieces are complete on all backends. lacks says why the first incomplete one is not.
// Without any backend, nothing has begun.
func completed(pieces []trial.Piece, sums []tuner.Summary) (list []trial.Piece, complete int, lacks string) {
	if len(sums) == 0 {
		sums = []tuner.Summary{{}}
	}
	for _, p := range pieces {
		var ids []trial.IDs
		p.Reason = ""
		for _, s := range sums {
			if p.Reason == "" {
				p.Reason = measured(p, s.Pieces, &ids)
			}
		}
		if p.Complete = p.Reason == ""; p.Complete {
			p.IDs = trial.Unite(ids...)
			complete++
		} else if lacks == "" {
			lacks = p.Matrix + ": " + p.Reason
		}
		list = append(list, p)
	}
	return list, complete, lacks
}

// measured adds the trials of a piece that are in a journal, and says why these are not all; "" if they are. Each
// GPU of the run may have measured a share of the piece.
func measured(p trial.Piece, done []trial.Piece, ids *[]trial.IDs) (lacks string) {
	lacks = "not begun"
	for _, q := range done {
		if !p.Overlaps(q) {
			continue
		}
		if !q.Complete {
			return q.Reason
		}
		*ids, lacks = append(*ids, q.IDs), ""
	}
	return lacks
}

// Stops are the signals that told a task to stop. A warning says that its time ends; then the task
// may ask to be started again. Other signals come from a user who cancels, or from Slurm when it
// needs the node, and end the task for good.
//
// SIGKILL follows some time later. Until then the running trial can end; no number of signals ends
// the task at once.
type Stops struct {
	came   chan os.Signal
	cancel context.CancelFunc // cancel ends the task's context.

	mu       sync.Mutex
	warnings []syscall.Signal
	warned   syscall.Signal
	ended    syscall.Signal
}

// WatchStops returns a context that ends at the first signal. The watch goes on until the program
// ends: a signal that comes at the last moment must not change the exit code. warned is the name of a warning
// that the task's script got before it started this program; "" for none.
func WatchStops(ctx context.Context, warned string) (context.Context, *Stops) {
	ctx, cancel := context.WithCancel(ctx)
	s := &Stops{came: make(chan os.Signal, 8), cancel: cancel}
	signal.Notify(s.came, syscall.SIGTERM, syscall.SIGINT)
	s.warnBy("")
	if warned != "" {
		s.warned = unix.SignalNum("SIG" + warned)
		cancel()
	}
	go func() {
		for sig := range s.came {
			s.note(sig.(syscall.Signal))
		}
	}()
	return ctx, s
}

// warnBy makes warnings of the signals that [slurm] signal, which is text, asks for.
func (s *Stops) warnBy(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range Warnings(text) {
		sig := unix.SignalNum("SIG" + name)
		s.warnings = append(s.warnings, sig)
		signal.Notify(s.came, sig)
	}
}

func (s *Stops) note(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.warnings, sig) {
		s.warned = sig
	} else {
		s.ended = sig
	}
	s.cancel()
}

// Received returns the signals that came, 0 for none.
func (s *Stops) Received() (warned, ended syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warned, s.ended
}
