package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
	"spmvtune/slurm/submit"
)

// submitTask submits it and returns the id of its only task.
func submitTask(t *testing.T, run *slurm.Run, sweep *configs.Sweep) (job string) {
	t.Helper()
	round, err := submit.Next(t.Context(), &sbatch.Client{}, run, sweep.Slurm, slurmtest.Chunks(t, run, 1))
	if err != nil {
		t.Fatal(err)
	}
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
	if len(last) != 1 || last[0].Reason != "complete" {
		t.Errorf("the last attempt ends with %+v", last)
	}
	// The run's own last job may have merged already: then all are known.
	merged, err := status.Merge(t.Context(), run, 0, func(*slurm.Merge) error { return nil })
	if err != nil || merged.New+merged.Known != taskTrials+twice || merged.Complete != 1 || len(merged.Missing) > 0 {
		t.Errorf("merged %+v, %v", merged, err)
	}
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
		if err := syscall.Kill(processOf(t, run, "task"), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		l.WaitJob(job, "FAILED")
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", worker)); len(line) > 0 {
			t.Errorf("the worker outlives the task: %q, %v", line, err)
		}
		if _, ends := taskJournals(t, run); len(ends) > 0 {
			t.Errorf("a killed task ends with %+v", ends)
		}
		l.Requeue(job)
		waitTrials(t, run, 1, 1)
		l.WaitJob(job, "COMPLETED")
		checkComplete(t, run, 2, false)
	})

	t.Run("preempted", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "[slurm]\npartition = \"low\"\nnodelist = \"n3\"\nexclusive = true\n")
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 10)
		high := filepath.Join(l.Dir, "high.sh")
		if err := os.WriteFile(high, []byte("#!/bin/bash\nsleep 0.1\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		l.Run("sbatch", "--parsable", "--output=/dev/null", "-p", "high", "-w", "n3", "--exclusive", high)
		waitTrials(t, run, 1, 1)
		l.WaitJob(job, "COMPLETED")
		checkComplete(t, run, 2, false)
		if _, ends := taskJournals(t, run); len(ends[0]) != 1 || !strings.HasPrefix(ends[0][0].Reason, "ended by SIGTERM") {
			t.Errorf("the first attempt ends with %+v", ends[0])
		}
	})

	t.Run("node lost, and not dead", func(t *testing.T) {
		run, sweep := createTask(t, l.Dir, "[slurm]\nmem = \"100M\"\n")
		job := submitTask(t, run, sweep)
		waitTrials(t, run, 0, 5)
		node := l.Run("squeue", "-h", "-j", job, "-o", "%N")
		old := processOf(t, run, "task")
		if err := syscall.Kill(old, syscall.SIGSTOP); err != nil { // until its successor runs
			t.Fatal(err)
		}
		l.KillSlurmd(node)
		l.LoseNode(node)
		waitTrials(t, run, 1, 1)
		before, _ := taskJournals(t, run)
		if err := syscall.Kill(old, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
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
