// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/status"
)

// What clusters do to a run, each once: status says it, and with the retry that it advises, or the merge that retry
// advises where nothing is left to send, every trial is measured, and is in the database once.
func TestScenarios(t *testing.T) {
	if os.Getenv("SPMVTUNE_SCENARIOS") == "" {
		t.Skip("they take three minutes, and a task may end too early on a busy machine: SPMVTUNE_SCENARIOS=1 runs them")
	}
	c := newCluster(t, slurmlab.Options{MaxArray: 8, Config: []string{"MinJobAge=2"}})
	sacct := filepath.Join(c.Dir, "sacct")
	testkit.Succeed(t, os.WriteFile(sacct, []byte("#!/bin/sh\necho '12|'; echo 'sacct: error: Problem talking to the database' >&2; exit 1\n"), 0o777))
	for name, s := range map[string]struct {
		section string
		// happen is what befalls the run in the middle of its trials. It returns the arguments of retry; nil: there is
		// nothing to retry.
		happen func(l *cluster, run *slurm.Run) (retry []string)
		nodes  string // nodes are those on which trials were measured, where that matters.
	}{
		"the time limit comes in a trial": {"time = \"1\"\nsignal = \"\"", func(l *cluster, run *slurm.Run) []string {
			testkit.Succeed(l.t, syscall.Kill(processOf(l.t, run, "worker"), syscall.SIGSTOP))
			s := l.wait(run.Dir, "the limit", over)
			testkit.Check(l.t, slices.ContainsFunc(s.Chunks, func(c status.Chunk) bool { return c.OutOfTime }), "%+v", s.Chunks)
			l.says(0, "status "+run.Dir, "reached its time limit", "next: spmvtune retry")
			return []string{"--set", "time=5"}
		}, ""},
		"preemption": {"partition = \"low\"\nnodelist = \"n3\"\nexclusive = true", func(l *cluster, run *slurm.Run) []string {
			l.Run("sbatch", "--output=/dev/null", "-p", "high", "-w", "n3", "--exclusive", "--wrap=sleep 1")
			slurmlab.Wait(l.t, func() (string, bool) {
				again, _ := filepath.Glob(run.Path(slurm.JournalsDir, "*_*.1.jsonl"))
				return "no second attempt", len(again) > 0
			})
			return nil
		}, "n3"},
		"other nodes": {"", func(l *cluster, run *slurm.Run) []string {
			worker := processOf(l.t, run, "worker") // so that its task does not end meanwhile
			testkit.Succeed(l.t, syscall.Kill(worker, syscall.SIGSTOP))
			var merges sync.WaitGroup // while tasks write, and both at once
			for range 2 {
				merges.Go(func() {
					if out, code := l.try("merge", run.Dir); code != 3 || !strings.Contains(out, "not complete") {
						l.t.Errorf("merging ends with %d:\n%s", code, out)
					}
				})
			}
			merges.Wait()
			testkit.Succeed(l.t, syscall.Kill(worker, syscall.SIGCONT))
			l.do(0, "cancel", run.Dir)
			return []string{"--exclude", "n1", "--exclude", "n[3]"}
		}, "n1 n2"},
		"kinds of nodes": {"[[slurm.array]]\nconstraint = \"a30\"\n[[slurm.array]]\nconstraint = \"cpu\"",
			func(*cluster, *slurm.Run) []string { return nil }, "n1 n3"},
		"sacct fails, and squeue has forgotten": {"", func(l *cluster, run *slurm.Run) []string {
			testkit.Succeed(l.t, syscall.Kill(processOf(l.t, run, "task"), syscall.SIGKILL))
			slurmlab.Wait(l.t, func() (string, bool) {
				queue := l.Run("squeue", "-h", "-t", "all", "-o", "%j")
				return "squeue remembers\n" + queue, !strings.Contains(queue, run.JobName()+".1.0")
			})
			l.says(1, "retry "+run.Dir, "Slurm knows no job", "which has just written to journal")
			slurmtest.Age(l.t, run)
			l.says(0, "status "+run.Dir, "ended, and Slurm no longer knows how: journal 000", "breaks off", "next: spmvtune retry")
			return []string{}
		}, ""},
		"the folder is moved, and back": {"", func(l *cluster, run *slurm.Run) []string {
			testkit.Succeed(l.t, os.Rename(run.Dir, run.Dir+".away"))
			l.says(3, "merge "+run.Dir+".away", "not complete")
			l.says(1, "retry "+run.Dir+".away", "move it back")
			l.wait(run.Dir+".away", "the end of the tasks", func(s status.Status) bool { return s.Counts.Running == 0 })
			testkit.Succeed(l.t, os.Rename(run.Dir+".away", run.Dir))
			return []string{}
		}, ""},
		"the folder of runs is a link": {"", func(l *cluster, run *slurm.Run) []string {
			link := filepath.Dir(run.Dir)
			testkit.Succeed(l.t, os.Rename(testkit.Must(filepath.EvalSymlinks(link)), link+".real"))
			testkit.Succeed(l.t, os.Remove(link))
			testkit.Succeed(l.t, os.Symlink(link+".real", link))
			l.do(0, "cancel", run.Dir)
			return []string{}
		}, ""},
		"the job that merges is cancelled": {"", func(l *cluster, run *slurm.Run) []string {
			l.Run("scancel", "--name="+run.JobName()+".1.finish")
			l.says(0, "status "+run.Dir, "the job that merges has ended before the tasks: `spmvtune merge")
			l.wait(run.Dir, "the end", over)
			l.says(0, "status "+run.Dir, "complete, but not merged", "next: spmvtune merge")
			l.do(0, "merge", run.Dir)
			return nil
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := c.in(t)
			usual := l.command
			l.command = func(args ...string) (cmd *exec.Cmd) {
				cmd = usual(args...)
				cmd.Env = append(cmd.Env, "PATH="+c.Dir+":"+os.Getenv("PATH"))
				return cmd
			}
			runs := filepath.Join(c.Dir, strings.ReplaceAll(name, " ", "-"))
			if strings.HasSuffix(name, "link") {
				testkit.Succeed(t, os.Mkdir(runs+".1", 0o777))
				testkit.Succeed(t, os.Symlink(runs+".1", runs))
			}
			path := l.sweep(`chunk = "2s"`, s.section)
			text := strings.Replace(slurmlab.Read(t, path), `"60s"`, `"600s"`, 1)
			testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
			run := slurmtest.Opened(t, l.submit(path, "--runs", runs))
			l.wait(run.Dir, "the first trials", func(s status.Status) bool { return s.Trials.Done > 5 })
			if retry := s.happen(l, run); retry != nil {
				l.wait(run.Dir, "the end", over)
				said := l.do(0, append([]string{"retry", run.Dir}, retry...)...)
				if strings.Contains(said, "next: spmvtune merge") { // the tasks were fast: all is measured
					l.do(0, "merge", run.Dir)
				}
			}
			done := l.wait(run.Dir, "the end", over)
			out := l.do(0, "query", "--db", run.Path(slurm.DatabaseFile), "--format", "csv", "SELECT DISTINCT node FROM origin WHERE node <> '' ORDER BY 1")
			nodes := strings.Join(strings.Fields(out)[1:], " ")
			ids := strings.Fields(l.identities(run.Path(slurm.DatabaseFile)))[1:]
			testkit.Check(t, done.Counts.Done == done.Counts.All && done.Merged != nil && len(ids) == taskTrials &&
				len(slices.Compact(ids)) == taskTrials && (s.nodes == "" || nodes == s.nodes),
				"%d trials, on %s: %+v\n%s", len(ids), nodes, done, fmt.Sprint(taskLogs(run)))
		})
	}
}
