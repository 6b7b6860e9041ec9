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
