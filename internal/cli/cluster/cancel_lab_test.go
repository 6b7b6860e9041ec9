package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm/status"
)

// What is cancelled in the middle is merged, and goes on where it stopped; merging
// while tasks write is harmless.
func TestSubmitCancelRetry(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	// The tasks wait for the gate before they begin, each for its own or the one for all.
	gate := filepath.Join(c.Dir, "gate")
	hold := fmt.Sprintf(`setup = ["while ! [ -e %s ] && ! [ -e %[1]s$SLURM_ARRAY_TASK_ID ]; do sleep 0.1; done"]`, gate)
	dir := c.submit(c.sweep(`chunk = "1s"`, `throttle = 1`, hold))

	s := c.wait(dir, "a task that waits", func(s status.Status) bool { return s.Counts.Running == 1 && s.Counts.Waiting > 0 })
	if why := s.Chunks[len(s.Chunks)-1].Why; !strings.Contains(why, "throttle") {
		t.Errorf("the last chunk %s", why)
	}
	testkit.Equal(t, s.Finish, status.Waiting, "the job that merges")
	c.do(0, "throttle", filepath.Base(dir), "2")
	c.wait(dir, "two tasks at once", func(s status.Status) bool { return s.Counts.Running == 2 })
	c.says(0, "retry "+dir, "nothing to do yet")

	for task := range 2 { // the others are there to be cancelled
		slurmlab.Must(t, os.WriteFile(gate+fmt.Sprint(task), nil, 0o666))
	}
	c.wait(dir, "a trial", func(s status.Status) bool { return s.Trials.Done > 5 })
	var merges sync.WaitGroup
	for range 2 {
		merges.Go(func() {
			if out, code := c.try("merge", dir); code != command.ExitSomeFailed || !strings.Contains(out, "not complete") {
				t.Errorf("merging while tasks write ends with %d:\n%s", code, out)
			}
		})
	}
	merges.Wait()
	c.do(0, "cancel", dir)
	s = c.wait(dir, "the end", over)
	if s.Trials.Done == 0 || s.Trials.Done >= taskTrials || s.Counts.Ended+s.Counts.Never == 0 {
		t.Errorf("cancelled: %+v", s)
	}
	c.says(0, "cancel "+dir, "nothing to cancel")
	c.says(0, "status "+dir, "was cancelled", "next spmvtune retry runs/small-")
	c.says(3, "merge "+dir, "spmvtune retry", "was cancelled")

	slurmlab.Must(t, os.WriteFile(gate, nil, 0o666))
	c.do(0, "retry", dir)
	s = c.wait(dir, "the end", over)
	if s.Counts.Done != s.Counts.All || s.Trials.Done != taskTrials || s.Merged == nil || s.Merged.Round != 2 {
		t.Errorf("after retry: %+v", s)
	}
	prepared{c.terminal, slurmtest.Opened(t, dir), taskTrials}.once()
}

// Of a run that somebody else has sent, a second user cancels nothing and sends nothing again, whether Slurm shows
// the jobs or not, and is told whose they are.
func TestRunOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be a second user")
	}
	for name, c := range map[string]struct{ config, cancel, retry string }{
		"seen":   {"PrivateData=none", "could not be cancelled", "nothing to do yet"},
		"hidden": {"PrivateData=jobs", "you don't see the jobs of others", "nothing to do yet"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newCluster(t, slurmlab.Options{Config: []string{c.config}})
			gate := filepath.Join(l.Dir, "gate")
			run := l.submit(l.sweep(`setup = ["while ! [ -e ` + gate + ` ]; do sleep 0.1; done"]`))
			l.wait(run, "a task", func(s status.Status) bool { return s.Counts.Running > 0 })
			if out, err := exec.Command("chmod", "-R", "a+rwX", run, l.Dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			as := func(args ...string) string {
				cmd := l.Command(filepath.Join(run, "bin", "spmvtune"), append(args, run)...)
				cmd.Env = append(cmd.Env, "SPMVTUNE_CACHE="+l.Dir, "HOME="+l.Dir)
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
				out, _ := cmd.CombinedOutput()
				return strings.Join(strings.Fields(string(out)), " ")
			}
			if out := as("cancel"); !strings.Contains(out, "sent by root") || !strings.Contains(out, c.cancel) {
				t.Errorf("cancel says: %s", out)
			}
			if out := as("retry"); !strings.Contains(out, c.retry) {
				t.Errorf("retry says: %s", out)
			}
			slurmlab.Must(t, os.WriteFile(gate, nil, 0o666))
			if s := l.wait(run, "the end", over); s.Counts.Done != s.Counts.All {
				t.Errorf("at the end: %+v", s)
			}
		})
	}
}

// A command that Slurm stops answering says what it has done, and what failed.
func TestHalfDone(t *testing.T) {
	const breaks = "#!/bin/bash\ntouch \"$FAKE/broken\"\n"
	const broken = "[ ! -e \"$FAKE/broken\" ] || { echo 'squeue: error: Invalid request' >&2; exit 1; }\n"
	for _, c := range []struct {
		line, program, want string
	}{
		{"cancel %s", "scancel", "cancelled: "},
		{"throttle %s 2", "scontrol", "at most 2 tasks run at once"},
	} {
		f := newFaulty(t, 1)
		p := prepared{terminal: here(t), run: f.run}
		slurmlab.Must(t, os.WriteFile(filepath.Join(f.slurm.dir, c.program), []byte(breaks), 0o777))
		f.slurm.write("squeue", "#!/bin/bash\n"+broken+simulated["squeue"])
		p.says(1, fmt.Sprintf(c.line, f.run.Dir), c.want, "Invalid request")
	}
}
