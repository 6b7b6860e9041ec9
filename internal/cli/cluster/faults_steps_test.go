// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/slurm/submit"
	"example.org/spmvtune/tuner/hardware"
	"example.org/spmvtune/tuner/journal"
)

// steps are the faults, and what users do in between.
var steps = []struct {
	name string
	take func(f *faulty) string
}{
	{"task", (*faulty).task}, {"task", (*faulty).task}, {"task", (*faulty).task}, {"task", (*faulty).task},
	{"retry", (*faulty).retryNow}, {"retry", (*faulty).retryNow},
	{"forgotten retry", (*faulty).forgottenRetry},
	{"interrupted retry", (*faulty).interruptedRetry},
	{"merge", (*faulty).mergeAgain},
	{"end of a round", (*faulty).endRound}, {"end of a round", (*faulty).endRound},
	{"journal", (*faulty).damageJournal}, {"journal", (*faulty).damageJournal}, {"journal", (*faulty).damageJournal},
	{"ledger.jsonl", (*faulty).damageJobs}, {"ledger.jsonl", (*faulty).damageJobs},
	{"controller", (*faulty).controller},
	{"forgotten jobs", func(f *faulty) string { f.slurm.forget(); return "" }},
	{"zombies", func(f *faulty) string { f.slurm.wake(); return "" }},
	{"edited sweep", (*faulty).edit},
	{"moved folder", (*faulty).move},
	{"adopted", (*faulty).adopt},
	{"empty answer", (*faulty).emptyAnswer},
}

func (f *faulty) task() string { return f.slurm.mishap(f.rng, mishaps...) }

func (f *faulty) damageJobs() string { return damage(f.t, f.rng, f.run.Path(slurm.LedgerFile)) }

func (f *faulty) retryNow() string { return fmt.Sprint(f.retry()) }

// forgottenRetry retries, and once more after ledger.jsonl was damaged.
func (f *faulty) forgottenRetry() string {
	first, how := f.retry(), f.damageJobs()
	return fmt.Sprintf("%v, %s, %v", first, how, f.retry())
}

// retry sends what is missing.
func (f *faulty) retry() error {
	f.t.Helper()
	sweep, err := f.run.TaskSweep()
	if err == nil {
		_, err = submit.Retry(f.t.Context(), hasty, f.run, sweep.Slurm, submit.RetryOptions{})
	}
	f.slurm.checkQueue()
	return err
}

// faultRetry is the variable that has this binary retry a run.
const faultRetry = "SPMVTUNE_TEST_RETRY"

// interruptedRetry is a retry that is killed before or after a job is taken in, or that is not told of it.
func (f *faulty) interruptedRetry() string {
	f.t.Helper()
	fate := []string{"before", "after", "lie", "number"}[f.rng.IntN(4)]
	f.slurm.write("fate", fate)
	program := testkit.Must(os.Executable())
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), faultRetry+"="+f.run.Dir)
	out, err := cmd.CombinedOutput()
	f.slurm.remove("fate")
	return fmt.Sprintf("%s: %v %s", fate, err, bytes.TrimSpace(out))
}

// retryAlone is what the process of an interrupted retry does.
func retryAlone(dir string) error {
	run, err := slurm.Open(dir)
	if err != nil {
		return err
	}
	sweep, err := run.TaskSweep()
	if err == nil {
		_, err = submit.Retry(context.Background(), hasty, run, sweep.Slurm, submit.RetryOptions{})
	}
	return err
}

// mergeAgain merges, perhaps into a new database.
func (f *faulty) mergeAgain() string {
	f.t.Helper()
	path, how := f.run.Path("results.db"), "the same database"
	switch f.rng.IntN(4) {
	case 0:
		os.Remove(path)
		how = "a new database"
	case 1:
		how = damage(f.t, f.rng, path)
		if slices.Contains([]string{"deleted", "emptied", "cut"}, how) && f.run.LastMerge() != nil {
			f.t.Fatalf("the run counts as merged without its database: %s", how)
		}
		_, err := status.Merge(f.t.Context(), f.run, 0, func(*slurm.Merge) error { return nil })
		if err == nil {
			break // it was emptied, or what is noise there does not matter
		}
		if !strings.Contains(err.Error(), "delete it and merge again") {
			f.t.Fatalf("merging into a database with %s: %v", how, err)
		}
		testkit.Succeed(f.t, os.Remove(path))
	}
	m := f.merge()
	return fmt.Sprintf("%s, %d new, %d chunks missing", how, m.New, len(m.Missing))
}

// endRound lets all tasks end, and then the jobs that merge.
func (f *faulty) endRound() string {
	f.t.Helper()
	f.slurm.settle()
	list := f.slurm.queue()
	said := "no job merges"
	for i, q := range list {
		if q.task == "N/A" && q.state == "PENDING" {
			name := strings.Split(q.name, ".")
			round := testkit.Must(strconv.Atoi(name[len(name)-2]))
			m := f.mergeRound(round)
			list[i].state = "COMPLETED"
			said = fmt.Sprintf("round %d: %d new, %d chunks missing", round, m.New, len(m.Missing))
		}
	}
	f.slurm.setQueue(list)
	// As the job that merges does, send what a limit left over.
	if sweep, err := f.run.TaskSweep(); err == nil {
		rest, err := submit.Retry(f.t.Context(), hasty, f.run, sweep.Slurm, submit.RetryOptions{Rest: true})
		if rest.Round != nil || err != nil {
			said += fmt.Sprintf("; the rest is sent, %v", err)
		}
	}
	return said
}

func (f *faulty) damageJournal() string {
	f.t.Helper()
	names := testkit.Must(journal.List(f.run.Path(slurm.JournalsDir)))
	if len(names) == 0 {
		return "there is none"
	}
	name := names[f.rng.IntN(len(names))].String()
	return name + ": " + damage(f.t, f.rng, f.run.Path(slurm.JournalsDir, name))
}

// controller is one that does not answer: nothing may be sent.
func (f *faulty) controller() string {
	f.t.Helper()
	f.slurm.write("down", "")
	defer f.slurm.remove("down")
	before := len(f.slurm.queue())
	err := f.retry()
	if after := len(f.slurm.queue()); after != before {
		f.t.Fatalf("sent without an answer: %d jobs, then %d", before, after)
	}
	return fmt.Sprint(err)
}

// emptyAnswer is a squeue that answers nothing while a task runs: nothing may be sent.
func (f *faulty) emptyAnswer() string {
	f.t.Helper()
	said := "nothing"
	f.slurm.meanwhile = func(measures func() bool) {
		if !measures() {
			return
		}
		f.slurm.write("mute", "")
		defer f.slurm.remove("mute")
		before := len(f.slurm.queue())
		said = fmt.Sprint(f.retry())
		if after := len(f.slurm.queue()); after != before && measures() {
			f.t.Fatalf("sent after an empty answer: %d jobs, then %d", before, after)
		}
	}
	return f.slurm.mishap(f.rng, "unseen") + ": " + said
}

// edit changes the sweep: [slurm] is free, and with anything else nothing goes on.
func (f *faulty) edit() string {
	f.t.Helper()
	path := f.run.Path("sweep.toml")
	text := slurmlab.Read(f.t, path)
	edited, free := strings.Replace(text, "warmup = 0", "warmup = 1", 1), f.rng.IntN(3) == 0
	if free {
		edited = text + fmt.Sprintf("# %d\n", f.rng.Int())
	}
	testkit.Succeed(f.t, os.WriteFile(path, []byte(edited), 0o666))
	if free {
		return "a comment"
	}
	what := f.task()
	if err := f.retry(); err == nil || !strings.Contains(err.Error(), "was edited") {
		f.t.Fatalf("a retry of an edited sweep: %v", err)
	}
	if err := f.run.CheckSweep(); err == nil {
		f.t.Fatal("an edited sweep is merged")
	}
	testkit.Succeed(f.t, os.WriteFile(path, []byte(text), 0o666))
	return "a protocol; " + what
}

// move moves the folder, merges there and moves it back.
func (f *faulty) move() string {
	f.t.Helper()
	away := f.run.Dir + "-moved"
	testkit.Succeed(f.t, os.Rename(f.run.Dir, away))
	moved := *f
	run := slurmtest.Opened(f.t, away)
	moved.run = run
	moved.run.Folder = f.run.Dir
	m := moved.merge()
	sweep := testkit.Must(moved.run.TaskSweep())
	if r, err := submit.Retry(f.t.Context(), hasty, moved.run, sweep.Slurm, submit.RetryOptions{}); err == nil {
		f.t.Fatalf("a retry of a moved run: %+v", r)
	}
	testkit.Succeed(f.t, os.Rename(away, f.run.Dir))
	return fmt.Sprintf("%d new, %d chunks missing", m.New, len(m.Missing))
}

// adopt gives the run up, moves it away and submits the sweep anew, with what can be read of it.
func (f *faulty) adopt() string {
	f.t.Helper()
	sweep := testkit.Must(f.run.TaskSweep())
	f.slurm.wake()
	f.slurm.setQueue(nil)
	away := f.run.Dir + "-given-up"
	testkit.Succeed(f.t, os.Rename(f.run.Dir, away))
	old := slurmtest.Opened(f.t, away)
	source := testkit.Must(submit.ReadRun(f.t.Context(), old))
	m := testkit.Must(submit.NewMatch(f.t.Context(), source, sweep, submit.MatchOptions{Sources: hardware.Sources()}))
	sent := f.submit(sweep, m)
	return fmt.Sprintf("%d of %d trials, %v sent", m.Adopted, m.Planned, sent)
}
