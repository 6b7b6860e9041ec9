package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"spmvtune/internal/testing/slurmlab"
)

// A task heeds what it is told, also where that comes at a bad moment.
func TestTaskIsTold(t *testing.T) {
	l := slurmlab.Start(t, slurmlab.Options{})
	t.Setenv("SLURM_CONF", filepath.Join(l.Dir, "etc", "slurm.conf"))

	t.Run("warned", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "[slurm]\nsignal = \"USR2@60\"\n")
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 10)
		l.Run("scancel", "--batch", "--signal=USR2", job)
		waitTrials(t, run, 1, 10)
		l.Warn(job) // what the program takes in any case
		waitTrials(t, run, 2, 1)
		l.WaitJob(job, "COMPLETED")
		checkComplete(t, run, 3, false)
		_, ends := taskJournals(t, run)
		for i, sig := range []string{"SIGUSR2", "SIGUSR1"} {
			if len(ends[i]) != 1 || ends[i][0].Reason != "warned by "+sig+" that its time ends" || ends[i][0].Pieces[2].Complete {
				t.Errorf("attempt %d ends with %+v", i, ends[i])
			}
		}
	})

	t.Run("cancelled", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "")
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 10)
		l.Run("scancel", job)
		l.WaitJob(job, "CANCELLED")
		trials, ends := taskJournals(t, run)
		if len(trials) != 1 || len(ends[0]) != 1 || ends[0][0].Pieces[2].Complete {
			t.Errorf("%d attempts, ends %+v", len(trials), ends)
		}
	})

	t.Run("all processes are told to stop", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "")
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 10)
		worker := processOf(t, run, "worker")
		for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGTERM} {
			if err := syscall.Kill(worker, sig); err != nil {
				t.Fatal(err)
			}
		}
		l.WaitJob(job, "COMPLETED")
		checkComplete(t, run, 1, false)
	})

	t.Run("cancelled while it asks to be started again", func(t *testing.T) {
		asks := filepath.Join(t.TempDir(), "scontrol")
		text := "#!/bin/bash\ntrap '' TERM\nscancel \"${@: -1}\"\nexec " + l.Run("sh", "-c", "command -v scontrol") + " \"$@\"\n"
		if err := os.WriteFile(asks, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		run, sweep := createTask(t, l.Dir, fmt.Sprintf("[slurm]\nsetup = [\"export PATH=%s:$PATH\"]\n", filepath.Dir(asks)))
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 10)
		l.Warn(job)
		waitEnd(t, run, 0)
		for ; slices.Contains([]string{"RUNNING", "COMPLETING"}, strings.Join(l.States(job), " ")); time.Sleep(100 * time.Millisecond) {
		}
		if s := l.States(job); !slices.Equal(s, []string{"CANCELLED"}) {
			t.Errorf("it is %v:\n%s", s, taskLogs(run))
		}
	})

	t.Run("warned while it is set up", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "[slurm]\nsetup = [\"touch begun\", \"while ! [ -e go ]; do sleep 0.1; done\"]\n")
		job := submitTask(t, run, sweep)
		for _, err := os.Stat(run.Path("begun")); err != nil; _, err = os.Stat(run.Path("begun")) {
			time.Sleep(50 * time.Millisecond)
		}
		l.Warn(job)
		time.Sleep(time.Second) // for the signal, which slurmd brings
		if err := os.WriteFile(run.Path("go"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		l.WaitJob(job, "FAILED")
		trials, ends := taskJournals(t, run)
		if len(trials[0]) > 0 || len(ends[0]) != 1 || ends[0][0].Reason != "warned by SIGUSR1 that its time ends" || !ends[0][0].OutOfTime {
			t.Errorf("after %d trials it ends with %+v:\n%s", len(trials[0]), ends, taskLogs(run))
		}
	})
}
