package submit

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/tuner/journal"
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
		"taken, and refused in words of the site's": {slurmlab.FakeSbatch + `; echo "log server is away" >&2; exit 1`, slurmlab.FakeSqueue},
	} {
		t.Run(name, func(t *testing.T) {
			dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": c.squeue, "sbatch": c.sbatch})
			run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
			round := sentNext(t, run, configs.Slurm{}, slurmtest.Chunks(t, run, 2))
			queue := slurmlab.Read(t, filepath.Join(dir, "queue"))
			testkit.Equal(t, queue, run.JobName()+".1.0\n"+run.JobName()+".1.finish\n", "slurm")
			if round.Jobs[0].ID != "101" || round.Jobs[1].ID != "102" {
				t.Errorf("jobs %+v", round.Jobs)
			}
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
			if !errors.As(err, &part) || part.Sent != 0 || part.Unresolved != (c.outcome == slurm.Intended) {
				t.Fatalf("error %v", err)
			}
			for _, says := range c.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("the error does not say %q: %v", says, err)
				}
			}
			jobs := slurmtest.Jobs(t, run)
			if n := slurmlab.Calls(t, dir, "sbatch"); len(jobs) != 1 || jobs[0].Outcome != c.outcome || n != c.tries {
				t.Errorf("sbatch ran %d times, jobs %+v", n, jobs)
			}

			// The next command finds out what became of it, once the controller answers.
			slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "squeue"), []byte("#!/bin/bash\n"+slurmlab.FakeSqueue+"\n"), 0o777))
			_, err = Recover(t.Context(), slurmtest.Hasty, run)
			slurmlab.Must(t, err)
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
	slurmlab.Must(t, os.Symlink(run.Dir, filepath.Join(dir, "..", "latest")))
	b := arrayOf(run, 1, 0)
	_, err := send(t.Context(), slurmtest.Hasty, run, "", b, argsOf(run, b, configs.Slurm{}, ""))
	slurmlab.Must(t, err)
	data := slurmlab.Read(t, filepath.Join(dir, "intentions"))
	var before time.Time
	for line := range strings.Lines(data) {
		var l struct {
			At  time.Time
			Job slurm.Sent
		}
		slurmlab.Must(t, json.Unmarshal([]byte(line), &l))
		if l.Job.Outcome != slurm.Intended || l.At.Sub(before) < slurmtest.Hasty.Timeout {
			t.Errorf("before a try is on disk: %s", line)
		}
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
	if jobs := slurmtest.Jobs(t, run); len(jobs) != 1 || jobs[0].ID != "101" {
		t.Errorf("jobs %+v", jobs)
	}
}

func TestRecover(t *testing.T) {
	const account = `case "$*" in *old.1.0*) echo "55_0|COMPLETED|0:0|10|5|2026-01-01T00:00:00|n1|old.1.0" ;; esac`
	dir := slurmlab.Fake(t, map[string]string{"squeue": slurmlab.FakeSqueue, "sacct": account})
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "queue"), []byte("taken.1.0\n"), 0o666))
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	for _, name := range []string{"known.1.0", "taken.1.0", "old.1.0", "nowhere.1.0"} {
		slurmlab.Must(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: name, Round: 1, Tasks: 2}, Outcome: slurm.Intended, Args: []string{"--x"}}))
	}
	slurmlab.Must(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: "known.1.0", Round: 1, Tasks: 2}, Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: "7"}}))
	// The process that was to write the second answer died in the middle of it.
	f, err := os.OpenFile(run.Path(slurm.LedgerFile), os.O_APPEND|os.O_WRONLY, 0)
	slurmlab.Must(t, err)
	_, err = f.WriteString(`{"at":"2026-01-01T00:00:00Z","name":"taken.1.0","id":"1`)
	slurmlab.Must(t, err)
	slurmlab.Must(t, f.Close())

	recovered, err := Recover(t.Context(), slurmtest.Hasty, run)
	slurmlab.Must(t, err)
	jobs := slurmtest.Jobs(t, run)
	if len(recovered) != 3 || len(jobs) != 4 {
		t.Fatalf("recovered %+v, jobs %+v", recovered, jobs)
	}
	for i, want := range []struct {
		outcome slurm.Outcome
		id      string
	}{{slurm.Submitted, "7"}, {slurm.Submitted, "101"}, {slurm.Submitted, "55"}, {slurm.Lost, ""}} {
		if j := jobs[i]; j.Outcome != want.outcome || j.ID != want.id || j.Tasks != 2 {
			t.Errorf("job %d is %+v", i, j)
		}
	}
	before := slurmlab.Calls(t, dir, "squeue")
	if again, err := Recover(t.Context(), slurmtest.Hasty, run); err != nil || len(again) != 0 || slurmlab.Calls(t, dir, "squeue") != before {
		t.Errorf("a second time: %+v, %v", again, err)
	}
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
	recovered, err := Recover(ctx, &client, run)
	if err != nil || len(recovered) != 1 || recovered[0].Outcome != slurm.Lost {
		t.Errorf("recovered %+v, %v", recovered, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "slurm has no job x.1.0 so far") {
		t.Errorf("told %q", told)
	}
}

func TestRecoverWithoutController(t *testing.T) {
	slurmlab.Fake(t, map[string]string{"squeue": `echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1`})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	slurmlab.Must(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: "x.1.0", Round: 1, Tasks: 1}, Outcome: slurm.Intended}))
	client := *slurmtest.Hasty
	client.Patience = time.Second
	var told []string
	client.Tell = func(waiting string) { told = append(told, waiting) }
	testkit.Fails(t, testkit.Err(Recover(t.Context(), &client, run)), "x.1.0")
	if jobs := slurmtest.Jobs(t, run); jobs[0].Outcome != slurm.Intended {
		t.Errorf("without an answer, job is %+v", jobs)
	}
	if len(told) != 1 || !strings.Contains(told[0], "asking again for up to 1s whether slurm has the job x.1.0") {
		t.Errorf("told %q", told)
	}
}
