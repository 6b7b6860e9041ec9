package cluster_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"spmvtune/internal/testing/long"
)

// A signal ends a task after the running trial, however often it comes. Asked to be
// started again, Slurm, which is not there, does not answer; the rest is left.
func TestTaskSignals(t *testing.T) {
	none := t.TempDir()
	for sig, want := range map[syscall.Signal]struct {
		code int
		says string
	}{
		syscall.SIGTERM: {143, "end: ended by SIGTERM"},
		syscall.SIGINT:  {130, "end: ended by SIGINT"},
		syscall.SIGUSR1: {75, "scontrol is not found"},
	} {
		t.Run(sig.String(), func(t *testing.T) {
			if sig != syscall.SIGUSR1 {
				long.Test(t, "measures until the signal comes")
			}
			run, _ := createTask(t, t.TempDir(), "")
			cmd := startTask(t, run, "PATH="+none)
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitTrials(t, run, 0, 5)
			go func() { // until the very end
				for cmd.Process.Signal(sig) == nil {
					time.Sleep(100 * time.Microsecond)
				}
			}()
			code := ended(t, cmd.Wait())
			trials, ends := taskJournals(t, run)
			if code != want.code || !strings.Contains(out.String(), want.says) {
				t.Errorf("exit code %d:\n%s", code, out.String())
			}
			if len(ends[0]) != 1 || ends[0][0].Pieces[2].Complete || len(trials[0]) == taskTrials {
				t.Errorf("after %d trials it ends with %+v", len(trials[0]), ends)
			}
		})
	}
}

// A task that was warned before it began measures nothing: so long a setup would leave
// it no more time at the next attempt.
func TestTaskWarnedDuringSetup(t *testing.T) {
	run, _ := createTask(t, t.TempDir(), "[slurm]\nsignal = \"USR2@60\"\n")
	cmd := startTask(t, run)
	cmd.Args = append(cmd.Args, "--warned=USR2")
	out, err := cmd.CombinedOutput()
	trials, ends := taskJournals(t, run)
	if code := ended(t, err); code != 75 || len(trials[0]) > 0 || !strings.Contains(string(out), "not started again") {
		t.Errorf("exit code %d after %d trials:\n%s", code, len(trials[0]), out)
	}
	if len(ends[0]) != 1 || ends[0][0].Reason != "warned by SIGUSR2 that its time ends" || !ends[0][0].OutOfTime || ends[0][0].Pieces[0].Complete {
		t.Errorf("it ends with %+v", ends)
	}
}
