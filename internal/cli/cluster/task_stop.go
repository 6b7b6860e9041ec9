package cluster

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"spmvtune/slurm"
)

// stops are the signals that have told a task to stop. One is a warning that its
// time ends, after which it may ask to be started again; another, from a user who
// cancels or from Slurm that needs the node, ends it for good as far as it knows.
//
// SIGKILL follows either, some time later: there is time for the running trial to
// end, and however often a signal comes, it does not end the task at once.
type stops struct {
	came   chan os.Signal
	cancel context.CancelFunc // of the task's context

	mu       sync.Mutex
	warnings []syscall.Signal
	warned   syscall.Signal
	ended    syscall.Signal
}

// watchStops gives a context that ends at the first signal.
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

// warnBy makes the signals warnings by which a task is warned where text is [slurm]
// signal.
func (s *stops) warnBy(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slurm.Warnings(text) {
		sig := unix.SignalNum("SIG" + name)
		s.warnings = append(s.warnings, sig)
		signal.Notify(s.came, sig)
	}
}

// warn notes a warning by the signal of a name, which the task's script got while it
// made ready for this program.
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

// received gives the signals that came, 0 for none.
func (s *stops) received() (warned, ended syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warned, s.ended
}

// close ends the watch.
func (s *stops) close() {
	signal.Stop(s.came)
	close(s.came)
	s.cancel()
}
