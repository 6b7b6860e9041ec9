package cli

import (
	"context"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// stops are the signals that have told a task to stop. One is a warning that its
// time ends, after which it may ask to be started again; another, from a user who
// cancels or from Slurm that needs the node, ends it for good as far as it knows.
//
// SIGKILL follows either, some time later: there is time for the running trial to
// end, and however often a signal comes, it does not end the task at once.
type stops struct {
	came chan os.Signal

	mu      sync.Mutex
	warning syscall.Signal // beside USR1; 0: no other
	warned  syscall.Signal
	ended   syscall.Signal
}

// watchStops gives a context that ends at the first signal.
func watchStops(ctx context.Context) (context.Context, *stops) {
	ctx, cancel := context.WithCancel(ctx)
	s := &stops{came: make(chan os.Signal, 8)}
	signal.Notify(s.came, syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR1)
	go func() {
		for sig := range s.came {
			s.note(sig.(syscall.Signal))
			cancel()
		}
	}()
	return ctx, s
}

// warnBy makes another signal a warning: that of [slurm] signal, as "USR2@60". One
// that also ends tasks is none: whoever cancels a job would find it started again.
func (s *stops) warnBy(text string) {
	sig := signalOf(text)
	if sig == 0 || sig == syscall.SIGTERM || sig == syscall.SIGINT {
		return
	}
	s.mu.Lock()
	s.warning = sig
	s.mu.Unlock()
	signal.Notify(s.came, sig)
}

// signalOf is the signal that an option --signal of sbatch names, 0 if it names none.
func signalOf(text string) syscall.Signal {
	name, _, _ := strings.Cut(text, "@")
	name = strings.TrimPrefix(strings.ToUpper(name), "SIG")
	if n, err := strconv.Atoi(name); err == nil {
		return syscall.Signal(n)
	}
	return unix.SignalNum("SIG" + name)
}

func (s *stops) note(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sig == syscall.SIGUSR1 || sig == s.warning {
		s.warned = sig
	} else {
		s.ended = sig
	}
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
}
