package cluster

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// Who cancels a task sends SIGTERM: it must not come back, whatever warns it.
func TestWarningsAndEnds(t *testing.T) {
	for text, want := range map[string]map[syscall.Signal]bool{ // whether it warns
		"":         {syscall.SIGUSR1: true, syscall.SIGTERM: false, syscall.SIGINT: false},
		"USR2@120": {syscall.SIGUSR1: true, syscall.SIGUSR2: true, syscall.SIGTERM: false},
		"ALRM@1":   {syscall.SIGALRM: true, syscall.SIGTERM: false},
		"TERM@60":  {syscall.SIGUSR1: true, syscall.SIGTERM: false},
		"INT@60":   {syscall.SIGINT: false},
	} {
		for sig, warns := range want {
			ctx, s := watchStops(t.Context())
			s.warnBy(text)
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			<-ctx.Done()
			if warned, ended := s.received(); (warned == sig) != warns || (ended == sig) == warns {
				t.Errorf("%q: %v warns with %v, ends with %v", text, sig, warned, ended)
			}
			signal.Stop(s.came)
		}
	}
}
