// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/tuner/journal"
)

func TestNothingIsSubmittedTwice(t *testing.T) {
	const hang = "; sleep 300"
	const socket = `; echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1`
	const late = `[ $(grep -c ^squeue "$FAKE/calls") -ge 4 ] || { echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }; `
	for name, c := range map[string]struct{ sbatch, squeue string }{
		"taken, then sbatch hangs":                  {slurmlab.FakeSbatch + hang, slurmlab.FakeSqueue},
		"taken, then slurm's own time-out":          {slurmlab.FakeSbatch + socket, slurmlab.FakeSqueue},
		"taken, and squeue has no answer at first":  {slurmlab.FakeSbatch + hang, late + slurmlab.FakeSqueue},
		"taken, and seen only at the second look":   {slurmlab.FakeSbatch + socket, `[ $(grep -c ^squeue "$FAKE/calls") -ge 2 ] || exit 0; ` + slurmlab.FakeSqueue},
		"not taken at first":                        {`[ $(grep -c ^sbatch "$FAKE/calls") -ge 2 ] || sleep 300; ` + slurmlab.FakeSbatch + "; echo $id", slurmlab.FakeSqueue},
		"taken, and the answer is not a job's id":   {slurmlab.FakeSbatch + "; echo thank you", slurmlab.FakeSqueue},
		"taken, and sbatch is killed from outside":  {slurmlab.FakeSbatch + "; kill -KILL $$", slurmlab.FakeSqueue},
		"taken, and a number follows the id":        {slurmlab.FakeSbatch + "; echo $id; echo 7", slurmlab.FakeSqueue},
		"taken, and a number comes before it":       {slurmlab.FakeSbatch + "; echo 7; echo $id", slurmlab.FakeSqueue},
		"taken, and only another number is printed": {slurmlab.FakeSbatch + "; echo Job $id; echo 7", slurmlab.FakeSqueue},
		"taken, and squeue is away then":            {slurmlab.FakeSbatch + `; echo $id; touch "$FAKE/away"`, `[ ! -e "$FAKE/away" ] || exit 1; ` + slurmlab.FakeSqueue},
		"taken, and refused in words of the site's": {slurmlab.FakeSbatch + `; echo "log server is away" >&2; exit 1`, slurmlab.FakeSqueue},
	} {
		t.Run(name, func(t *testing.T) {
			dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": c.squeue, "sbatch": c.sbatch})
			run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
			round := sentNext(t, run, configs.Slurm{}, slurmtest.Chunks(t, run, 2))
			queue := slurmlab.Read(t, filepath.Join(dir, "queue"))
			testkit.Equal(t, queue, run.JobName()+".1.0\n"+run.JobName()+".1.finish\n", "slurm")
			testkit.Check(t, round.Jobs[0].ID == "101" && round.Jobs[1].ID == "102", "jobs %+v", round.Jobs)
		})
	}
}

// A job that may be there is not taken for refused, whatever sbatch says, and one that is never taken in is.
func TestSubmissionThatFails(t *testing.T) {
	const away = `echo "error: Unable to contact slurm controller (connect failure)" >&2; exit 1`
	for name, c := range map[string]struct {
		sbatch, squeue string
		outcome        slurm.Outcome
		tries          int
		says           []string
	}{
		"never taken": {away, slurmlab.FakeSqueue, slurm.Refused, mostTries, []string{"nothing is submitted"}},
		"silent":      {slurmlab.FakeSbatch + "; " + away, away, slurm.Intended, 1, []string{"finds out"}},
		"refused, and nobody can say": {slurmlab.FakeSbatch + `; echo "log server is away" >&2; exit 1`, away,
			slurm.Intended, 1, []string{"log server is away", "finds out"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": c.squeue, "sbatch": c.sbatch})
			run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
			client := *slurmtest.Hasty
			client.Patience = 1
			_, err := Next(t.Context(), &client, run, configs.Slurm{}, slurmtest.Chunks(t, run, 1))
			var part *IncompleteError
			testkit.Require(t, errors.As(err, &part) && part.Sent == 0 && part.Unresolved == (c.outcome == slurm.Intended),
				"error %v", err)
			testkit.Says(t, "the error", err.Error(), c.says...)
			jobs := slurmtest.Jobs(t, run)
			n := slurmlab.Calls(t, dir, "sbatch")
			testkit.Check(t, len(jobs) == 1 && jobs[0].Outcome == c.outcome && n == c.tries,
				"sbatch ran %d times, jobs %+v", n, jobs)

			// The next command finds out what became of it, once the controller answers.
			testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "squeue"), []byte("#!/bin/bash\n"+slurmlab.FakeSqueue+"\n"), 0o777))
			testkit.Must(Recover(t.Context(), slurmtest.Hasty, run))
			if jobs = slurmtest.Jobs(t, run); c.outcome == slurm.Intended && jobs[0].ID != "101" {
				t.Errorf("afterwards, jobs %+v", jobs)
			}
		})
	}
}

// How long an sbatch may go on without us counts from its own start, not from that of
// the first try.
func TestIntentionBeforeEachTry(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue,
		"sbatch": `tail -n 1 "$FAKE/../latest/ledger.jsonl" >> "$FAKE/intentions"; [ $(grep -c ^sbatch "$FAKE/calls") -ge 3 ] || exec sleep 300; ` + slurmlab.FakeSbatch + "; echo $id"})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	testkit.Succeed(t, os.Symlink(run.Dir, filepath.Join(dir, "..", "latest")))
	b := arrayOf(run, 1, 0)
	testkit.Must((&dispatch{ctx: t.Context(), client: slurmtest.Hasty, run: run, cluster: ""}).submit(b, argsOf(run, b, configs.Slurm{}, "")))
	data := slurmlab.Read(t, filepath.Join(dir, "intentions"))
	var before time.Time
	for line := range strings.Lines(data) {
		var l struct {
			At  time.Time
			Job slurm.Sent
		}
		testkit.Succeed(t, json.Unmarshal([]byte(line), &l))
		testkit.Check(t, l.Job.Outcome == slurm.Intended && l.At.Sub(before) >= slurmtest.Hasty.Timeout,
			"before a try is on disk: %s", line)
		before = l.At
	}
	testkit.Equal(t, strings.Count(data, "\n"), 3, "tries are\n%s", data)
}

func TestInterruptDoesNotBreakOffSbatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue,
		"sbatch": `touch "$FAKE/started"; sleep 0.5; ` + slurmlab.FakeSbatch + "; echo $id"})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
				cancel()
			}
		}
	}()
	client := *slurmtest.Hasty
	client.Timeout = 0 // however slow this machine is
	_, err := Next(ctx, &client, run, configs.Slurm{}, slurmtest.Chunks(t, run, 1))
	if !errors.Is(err, context.Canceled) || slurmlab.Calls(t, dir, "sbatch") != 1 {
		t.Errorf("error %v after %d sbatch", err, slurmlab.Calls(t, dir, "sbatch"))
	}
	jobs := slurmtest.Jobs(t, run)
	testkit.Check(t, len(jobs) == 1 && jobs[0].ID == "101", "jobs %+v", jobs)
}

func TestRecover(t *testing.T) {
	const account = `case "$*" in *old.1.0*) echo "55_0|COMPLETED|0:0|10|5|2026-01-01T00:00:00|n1|old.1.0" ;; esac`
	dir := slurmlab.Fake(t, map[string]string{"squeue": slurmlab.FakeSqueue, "sacct": account})
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "queue"), []byte("taken.1.0\n"), 0o666))
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	for _, name := range []string{"known.1.0", "taken.1.0", "old.1.0", "nowhere.1.0"} {
		testkit.Succeed(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: name, Round: 1, Tasks: 2}, Outcome: slurm.Intended, Args: []string{"--x"}}))
	}
	testkit.Succeed(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: "known.1.0", Round: 1, Tasks: 2}, Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: "7"}}))
	// The process that was to write the second answer died in the middle of it.
	f := testkit.Must(os.OpenFile(run.Path(slurm.LedgerFile), os.O_APPEND|os.O_WRONLY, 0))
	testkit.Must(f.WriteString(`{"at":"2026-01-01T00:00:00Z","name":"taken.1.0","id":"1`))
	testkit.Succeed(t, f.Close())

	recovered := testkit.Must(Recover(t.Context(), slurmtest.Hasty, run))
	jobs := slurmtest.Jobs(t, run)
	testkit.Require(t, len(recovered) == 3 && len(jobs) == 4, "recovered %+v, jobs %+v", recovered, jobs)
	for i, want := range []struct {
		outcome slurm.Outcome
		id      string
	}{{slurm.Submitted, "7"}, {slurm.Submitted, "101"}, {slurm.Submitted, "55"}, {slurm.Lost, ""}} {
		j := jobs[i]
		testkit.Check(t, j.Outcome == want.outcome && j.ID == want.id && j.Tasks == 2, "job %d is %+v", i, j)
	}
	before := slurmlab.Calls(t, dir, "squeue")
	again := testkit.Must(Recover(t.Context(), slurmtest.Hasty, run))
	testkit.Check(t, len(again) == 0 && slurmlab.Calls(t, dir, "squeue") == before, "a second time: %+v", again)
}

// A clock that was ahead when sbatch was about to run, or on the node where it was,
// does not make a repair wait for more than a time-out from now.
func TestRecoverAfterAClockJump(t *testing.T) {
	slurmlab.Fake(t, map[string]string{"squeue": slurmlab.FakeSqueue, "sacct": "exit 1"})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	at := time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	line := `"job":{"at":"` + at + `","name":"x.1.0","round":1,"tasks":1,"outcome":"intended","user":"` + slurm.Me() + `"}}`
	slurmtest.AppendTo(t, run.Path(slurm.LedgerFile), string(journal.Checksummed([]byte(line))))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // instead of a day
	defer cancel()
	var told []string
	client := *slurmtest.Hasty
	client.Tell = func(waiting string) { told = append(told, waiting) }
	recovered := testkit.Must(Recover(ctx, &client, run))
	testkit.Check(t, len(recovered) == 1 && recovered[0].Outcome == slurm.Lost, "recovered %+v", recovered)
	testkit.Check(t, len(told) == 1 && strings.Contains(told[0], "slurm has no job x.1.0 so far"), "told %q", told)
}

func TestRecoverWithoutController(t *testing.T) {
	slurmlab.Fake(t, map[string]string{"squeue": `echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1`})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	testkit.Succeed(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: "x.1.0", Round: 1, Tasks: 1}, Outcome: slurm.Intended}))
	client := *slurmtest.Hasty
	client.Patience = time.Second
	var told []string
	client.Tell = func(waiting string) { told = append(told, waiting) }
	testkit.Fails(t, testkit.Err(Recover(t.Context(), &client, run)), "x.1.0")
	testkit.Equal(t, slurmtest.Jobs(t, run)[0].Outcome, slurm.Intended, "without an answer, job is")
	testkit.Check(t, len(told) == 1 &&
		strings.Contains(told[0], "asking again for up to 1s whether slurm has the job x.1.0"), "told %q", told)
}

// lab is a Slurm that this process's own commands ask.
func lab(t *testing.T, options slurmlab.Options) *slurmlab.Lab {
	t.Helper()
	l := slurmlab.Start(t, options)
	t.Setenv("SLURM_CONF", filepath.Join(l.Dir, "etc", "slurm.conf"))
	return l
}

// waitEnded waits until all jobs have ended, and returns them.
func waitEnded(t *testing.T, c *sbatch.Client, ids []sbatch.JobID) (jobs []sbatch.Job) {
	t.Helper()
	slurmlab.Wait(t, func() (string, bool) {
		jobs = testkit.Must(c.Jobs(t.Context(), ids))
		active := slices.ContainsFunc(jobs, func(j sbatch.Job) bool { return !j.State.Terminal() })
		return fmt.Sprintf("jobs don't end: %+v", jobs), !active
	})
	return jobs
}

func jobIDs(jobs []slurm.Sent) []sbatch.JobID {
	var ids []sbatch.JobID
	for _, j := range jobs {
		ids = append(ids, j.JobID)
	}
	return ids
}

func TestLabSubmit(t *testing.T) {
	l := lab(t, slurmlab.Options{MaxArray: 3})
	t.Setenv("SBATCH_PARTITION", "nowhere")
	t.Setenv("SQUEUE_FORMAT", "%i")
	t.Setenv("CUDA_VISIBLE_DEVICES", "7")
	c := &sbatch.Client{}
	config := testkit.Must(c.Config(t.Context()))
	testkit.Require(t, config.MaxArraySize == 3, "config %+v", config)

	// A folder with all that Slurm, bash or we could stumble over.
	root := filepath.Join(l.Dir, `it's %A "%j" $(touch pwned) größe`)
	s := configs.Slurm{Time: "00:05:00", CPUs: 1, Gres: "gpu:1", Setup: []string{`export SAID="hello  you"`}}
	run := slurmtest.Created(t, root, s, 7, `echo "$SAID|$1|$4|$6|$SLURM_ARRAY_TASK_ID|$CUDA_VISIBLE_DEVICES|$PWD"`)
	checked := testkit.Must(Check(t.Context(), c, run, s, slurm.Plan{}, unknown))
	testkit.Check(t, strings.Contains(checked.Task, "to start at") && strings.Contains(checked.Finish, "to start at"),
		"whether it could start: %+v", checked)
	round := testkit.Must(Next(t.Context(), c, run, s, slurmtest.Chunks(t, run, 7)))
	testkit.Require(t, len(round.Jobs) == 4, "jobs %+v", round.Jobs)
	all := jobIDs(round.Jobs)
	jobs := waitEnded(t, c, append(all, sbatch.JobID{ID: "99999"}))
	testkit.Equal(t, len(jobs), 8, "jobs %+v", jobs)
	for _, j := range jobs {
		testkit.Equal(t, j.State, sbatch.Completed, "job %+v", j)
	}
	for task, want := range map[string]string{
		all[0].ID + "_2": "hello  you|task|1|0|2|",
		all[2].ID + "_0": "hello  you|task|1|6|0|",
		all[3].ID:        "|merge|1|||",
	} {
		log := testkit.Must(os.ReadFile(run.Path(slurm.LogsDir, task+".log")))
		testkit.Check(t, strings.HasPrefix(string(log), want) && strings.HasSuffix(string(log), "|"+run.Dir+"\n"),
			"log of %s is %q; want %q", task, log, want)
		testkit.Check(t, !strings.Contains(string(log), "|7|"), "the task uses the GPU of who submitted it: %s", log)
	}
	testkit.Equal(t, len(testkit.Must(c.Jobs(t.Context(), []sbatch.JobID{{ID: "99999"}}))), 0, "an unknown job")
	a, err := c.Accounting(t.Context(), all)
	testkit.Check(t, err != nil && len(a) == 0, "accounting where there is none: %+v", a)
	entries, _ := filepath.Glob(filepath.Join(l.Dir, "pwned"))
	testkit.Check(t, entries == nil, "something in the path was run")
}

// The controller is frozen while sbatch asks it, and takes the job in afterwards: our
// time-out has killed sbatch by then, or Slurm's own has ended it.
func TestLabFrozenController(t *testing.T) {
	l := lab(t, slurmlab.Options{})
	for name, timeout := range map[string]time.Duration{"our time-out": time.Second, "slurm's time-out": time.Minute} {
		t.Run(name, func(t *testing.T) {
			run := slurmtest.Created(t, l.Dir, configs.Slurm{}, 2, "sleep 300")
			c := &sbatch.Client{Timeout: timeout, Pause: 200 * time.Millisecond}
			b := arrayOf(run, 1, 0)
			b.Tasks = 2
			l.Freeze()
			var sent slurm.Sent
			var err error
			done := make(chan struct{})
			go func() {
				defer close(done)
				sent, err = (&dispatch{ctx: t.Context(), client: c, run: run, cluster: ""}).submit(b, argsOf(run, b, configs.Slurm{}, ""))
			}()
			time.Sleep(7 * time.Second) // the lab's time-out is 5 s
			l.Thaw()
			<-done
			testkit.Require(t, err == nil && sent.Outcome == slurm.Submitted && sent.ID != "", "sent %+v, %v", sent, err)
			jobs := testkit.Must((&sbatch.Client{}).Named(t.Context(), "", b.Name))
			testkit.Check(t, len(jobs) == 2 && jobs[0].ID == sent.ID && jobs[1].ID == sent.ID,
				"of two tasks, slurm has %+v", jobs)
			testkit.Succeed(t, (&sbatch.Client{}).Cancel(t.Context(), []sbatch.JobID{sent.JobID}))
		})
	}
}

// A throttle bounds the run, however many arrays it has, and can be taken back.
func TestLabThrottleOfSeveralArrays(t *testing.T) {
	l := lab(t, slurmlab.Options{MaxArray: 3})
	c := &sbatch.Client{}
	run := slurmtest.Created(t, l.Dir, configs.Slurm{}, 8, `[ "$2" = "" ] || sleep 300`)
	blocker := l.Run("sbatch", "--parsable", "--output=/dev/null", "--exclusive", "--nodes=3", "--wrap=sleep 300")
	l.WaitJob(blocker, "RUNNING")
	round := testkit.Must(Next(t.Context(), c, run, configs.Slurm{}, slurmtest.Chunks(t, run, 8)))
	testkit.Must(Throttle(t.Context(), c, run, 2))
	l.Run("scancel", blocker)
	count := func(wanted func(running, waiting int) bool) {
		t.Helper()
		slurmlab.Wait(t, func() (string, bool) {
			jobs := testkit.Must(c.Jobs(t.Context(), jobIDs(round.Jobs[:3])))
			running, waiting := 0, 0
			for _, j := range jobs {
				if j.State == sbatch.Running {
					running++
				}
				if j.Reason == "Dependency" {
					waiting++
				}
			}
			return fmt.Sprintf("%d tasks run, and %d wait for others: %+v", running, waiting, jobs), wanted(running, waiting)
		})
	}
	count(func(running, waiting int) bool { return running == 2 && waiting == 5 })
	testkit.Must(Throttle(t.Context(), c, run, 0))
	count(func(running, waiting int) bool { return running == 8 && waiting == 0 })
	testkit.Must(Cancel(t.Context(), c, run))
}

func TestLabAccounting(t *testing.T) {
	l := lab(t, slurmlab.Options{Accounting: true})
	c := &sbatch.Client{}
	run := slurmtest.Created(t, l.Dir, configs.Slurm{}, 2, `[ "$SLURM_ARRAY_TASK_ID" != 1 ] || exit 7`)
	// -M needs accounting; sbatch then names the cluster.
	config := testkit.Must(c.Config(t.Context()))
	t.Setenv("SLURM_CLUSTERS", config.Cluster)
	round := testkit.Must(Next(t.Context(), c, run, configs.Slurm{}, slurmtest.Chunks(t, run, 2)))
	t.Setenv("SLURM_CLUSTERS", "elsewhere")
	array := round.Jobs[0].JobID
	testkit.Equal(t, array.Cluster, config.Cluster, "the array is on")
	waitEnded(t, c, []sbatch.JobID{array})
	failed := func(j sbatch.Job) bool { return j.Task == 1 && j.State == sbatch.Failed && j.Exit == "7:0" }
	slurmlab.Wait(t, func() (string, bool) {
		a, err := c.Accounting(t.Context(), []sbatch.JobID{array})
		return fmt.Sprintf("accounting %+v", a), err == nil && slices.ContainsFunc(a, failed)
	})
	a := testkit.Must(c.AccountingNamed(t.Context(), config.Cluster, round.Jobs[0].Name, time.Now()))
	testkit.Check(t, len(a) == 2 && a[0].ID == array.ID, "by name: %+v", a)
}
