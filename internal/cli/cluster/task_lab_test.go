// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/slurm/submit"
)

// submitTask submits it and returns the id of its only task.
func submitTask(t *testing.T, run *slurm.Run, sweep *configs.Sweep) (job string) {
	t.Helper()
	round := testkit.Must(submit.Next(t.Context(), &sbatch.Client{}, run, sweep.Slurm, slurmtest.Chunks(t, run, 1)))
	return round.Jobs[0].ID + "_0"
}

// waitTrials waits until an attempt has recorded n trials.
func waitTrials(t *testing.T, run *slurm.Run, attempt, n int) {
	t.Helper()
	slurmlab.Wait(t, func() (string, bool) {
		trials, _ := taskJournals(t, run)
		has := len(trials[attempt])
		return fmt.Sprintf("attempt %d has %d trials, not %d:\n%s", attempt, has, n, taskLogs(run)), has >= n
	})
}

func taskLogs(run *slurm.Run) (all string) {
	logs, _ := filepath.Glob(run.Path("logs", "*_*.log"))
	for _, path := range logs {
		text, _ := os.ReadFile(path)
		all += filepath.Base(path) + ":\n" + string(text)
	}
	return all
}

// checkComplete makes sure that the attempts have, together, every trial, and that
// the last says so; none twice unless the attempts were there at once.
func checkComplete(t *testing.T, run *slurm.Run, attempts int, overlap bool) {
	t.Helper()
	trials, ends := taskJournals(t, run)
	seen, twice := map[string]bool{}, 0
	for _, list := range trials {
		for _, id := range list {
			if seen[id] {
				twice++
			}
			seen[id] = true
		}
	}
	if len(trials) != attempts || len(seen) != taskTrials || twice > 0 && !overlap {
		t.Errorf("%d trials, %d of them twice, in %d attempts:\n%s", len(seen), twice, len(trials), taskLogs(run))
	}
	last := ends[attempts-1]
	testkit.Check(t, len(last) == 1 && last[0].Reason == "complete", "the last attempt ends with %+v", last)
	// The run's own last job may have merged already: then all are known.
	merged := testkit.Must(status.Merge(t.Context(), run, 0, func(*slurm.Merge) error { return nil }))
	testkit.Check(t, merged.New+merged.Known == taskTrials+twice && merged.Complete == 1 && len(merged.Missing) == 0,
		"merged %+v", merged)
}

// processOf is the process of the run's program with a subcommand, in an attempt.
func processOf(t *testing.T, run *slurm.Run, subcommand string) int {
	t.Helper()
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range all {
		line, _ := os.ReadFile(proc + "/cmdline")
		words := strings.Split(string(line), "\x00")
		if len(words) > 1 && words[0] == run.Path("bin", "spmvtune") && words[1] == subcommand {
			pid, _ := strconv.Atoi(filepath.Base(proc))
			return pid
		}
	}
	t.Fatalf("no process of %s %s", run.Dir, subcommand)
	return 0
}

// Whatever ends a task, the next attempt goes on where it stopped: nothing is lost,
// and nothing measured twice.
func TestTaskOnCluster(t *testing.T) {
	l := slurmlab.Start(t, slurmlab.Options{})
	t.Setenv("SLURM_CONF", filepath.Join(l.Dir, "etc", "slurm.conf"))

	t.Run("killed in a trial", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "")
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 20)
		worker := processOf(t, run, "worker")
		testkit.Succeed(t, syscall.Kill(processOf(t, run, "task"), syscall.SIGKILL))
		l.WaitJob(job, "FAILED")
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", worker)); len(line) > 0 {
			t.Errorf("the worker outlives the task: %q, %v", line, err)
		}
		_, ends := taskJournals(t, run)
		testkit.Check(t, len(ends) == 0, "a killed task ends with %+v", ends)
		l.Requeue(job)
		waitTrials(t, run, 1, 1)
		l.WaitJob(job, "COMPLETED")
		checkComplete(t, run, 2, false)
	})

	t.Run("node lost, and not dead", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "[slurm]\nmem = \"100M\"\n")
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 5)
		node := l.Run("squeue", "-h", "-j", job, "-o", "%N")
		old := processOf(t, run, "task")
		testkit.Succeed(t, syscall.Kill(old, syscall.SIGSTOP)) // until its successor runs
		l.KillSlurmd(node)
		l.LoseNode(node)
		waitTrials(t, run, 1, 1)
		before, _ := taskJournals(t, run)
		testkit.Succeed(t, syscall.Kill(old, syscall.SIGCONT))
		waitTrials(t, run, 0, len(before[0])+5)
		l.WaitJob(job, "COMPLETED")
		waitEnd(t, run, 0)
		checkComplete(t, run, 2, true)
	})
}

// waitEnd waits until an attempt has written its end.
func waitEnd(t *testing.T, run *slurm.Run, attempt int) {
	t.Helper()
	slurmlab.Wait(t, func() (string, bool) {
		_, ends := taskJournals(t, run)
		return fmt.Sprintf("attempt %d does not end", attempt), len(ends[attempt]) > 0
	})
}

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
			testkit.Check(t, len(ends[i]) == 1 && ends[i][0].Reason == "warned by "+sig+" that its time ends" &&
				!ends[i][0].Pieces[2].Complete, "attempt %d ends with %+v", i, ends[i])
		}
	})

	t.Run("all processes are told to stop", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "")
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 10)
		worker := processOf(t, run, "worker")
		for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGTERM} {
			testkit.Succeed(t, syscall.Kill(worker, sig))
		}
		l.WaitJob(job, "COMPLETED")
		checkComplete(t, run, 1, false)
	})

	t.Run("cancelled while it asks to be started again", func(t *testing.T) {
		asks := filepath.Join(t.TempDir(), "scontrol")
		text := "#!/bin/bash\ntrap '' TERM\nscancel \"${@: -1}\"\nexec " + l.Run("sh", "-c", "command -v scontrol") + " \"$@\"\n"
		testkit.Succeed(t, os.WriteFile(asks, []byte(text), 0o777))
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
}

// Within an allocation srun starts processes that measure a prepared run, several on a node, as the documentation
// has it: each trial is measured once, and all have the same number of processors.
func TestTaskUnderSrun(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	for _, launch := range []string{
		"salloc --quiet --nodes=1 --ntasks=2 --cpus-per-task=1 srun RUN/bin/spmvtune task RUN --next",
		"salloc --quiet --ntasks=2 --gres=gpu:a30:2 srun --gpus-per-task=1 RUN/bin/spmvtune task RUN --next",
	} {
		t.Run(launch, func(t *testing.T) {
			path := c.sweep(`time = "00:05:00"`)
			var s struct{ Dir string }
			out := c.do(0, "submit", path, "--prepare-only", "--chunk", "3s", "--json")
			testkit.Succeed(t, json.Unmarshal([]byte(out), &s))
			said, err := c.Command("bash", "-c", strings.ReplaceAll(launch, "RUN", s.Dir)).CombinedOutput()
			testkit.Require(t, err == nil, "%v\n%s", err, said)
			run := slurmtest.Opened(t, s.Dir)
			prepared{c.terminal, run, taskTrials}.once()
			c.do(0, "merge", s.Dir)
			testkit.Equal(t, testkit.Must(run.PinnedDevices(0)).Cores, 1, "of two processors, two processes measure on")
			claims := testkit.Must(run.Claims())
			testkit.Check(t, len(claims) >= 2 && claims["0001"].PID != claims["0002"].PID,
				"one process measured all chunks: %+v", claims)
		})
	}
}
