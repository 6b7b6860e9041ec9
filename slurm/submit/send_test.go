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
	"spmvtune/slurm"
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
			round, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, slurmtest.Chunks(t, run, 2))
			slurmlab.Must(t, err)
			queue, err := os.ReadFile(filepath.Join(dir, "queue"))
			slurmlab.Must(t, err)
			if want := run.JobName() + ".1.0\n" + run.JobName() + ".1.finish\n"; string(queue) != want {
				t.Errorf("slurm has\n%snot\n%s", queue, want)
			}
			if round.Jobs[0].ID != "101" || round.Jobs[1].ID != "102" {
				t.Errorf("jobs %+v", round.Jobs)
			}
		})
	}
}

func TestControllerThatNeverTakesAJob(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue,
		"sbatch": `echo "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)" >&2; exit 1`})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	_, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, slurmtest.Chunks(t, run, 1))
	var part *IncompleteError
	if !errors.As(err, &part) || part.Sent != 0 || part.Unresolved || !strings.Contains(err.Error(), "nothing is submitted") {
		t.Errorf("error %v", err)
	}
	if n := slurmlab.Calls(t, dir, "sbatch"); n != mostTries {
		t.Errorf("sbatch ran %d times", n)
	}
	if jobs := slurmtest.Jobs(t, run); len(jobs) != 1 || jobs[0].Outcome != slurm.Refused {
		t.Errorf("jobs %+v", jobs)
	}
}

func TestSilentControllerLeavesTheIntention(t *testing.T) {
	const silent = `echo "error: Unable to contact slurm controller (connect failure)" >&2; exit 1`
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": silent, "sbatch": slurmlab.FakeSbatch + "; " + silent})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	client := *slurmtest.Hasty
	client.Patience = 1
	_, err := Next(t.Context(), &client, run, configs.Slurm{}, slurmtest.Chunks(t, run, 1))
	var part *IncompleteError
	if !errors.As(err, &part) || !part.Unresolved || !strings.Contains(err.Error(), "finds out") {
		t.Errorf("error %v", err)
	}
	// The next command repairs it, once the controller answers.
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "squeue"), []byte("#!/bin/bash\n"+slurmlab.FakeSqueue+"\n"), 0o777))
	_, err = Recover(t.Context(), slurmtest.Hasty, run)
	slurmlab.Must(t, err)
	if jobs := slurmtest.Jobs(t, run); len(jobs) != 1 || jobs[0].Outcome != slurm.Submitted || jobs[0].ID != "101" {
		t.Errorf("jobs %+v", jobs)
	}
}

// A job that may be there is not taken for refused, whatever sbatch says.
func TestRefusalThatCantBeChecked(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "sbatch": slurmlab.FakeSbatch + `; echo "log server is away" >&2; exit 1`,
		"squeue": `echo "error: Unable to contact slurm controller (connect failure)" >&2; exit 1`})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	_, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, slurmtest.Chunks(t, run, 1))
	var part *IncompleteError
	if !errors.As(err, &part) || !part.Unresolved || !strings.Contains(err.Error(), "log server is away") || !strings.Contains(err.Error(), "finds out") {
		t.Errorf("error %v", err)
	}
	if jobs := slurmtest.Jobs(t, run); len(jobs) != 1 || jobs[0].Outcome != slurm.Intended || slurmlab.Calls(t, dir, "sbatch") != 1 {
		t.Errorf("jobs %+v", jobs)
	}
}

// How long an sbatch may go on without us counts from its own start, not from that of
// the first try.
func TestIntentionBeforeEachTry(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue,
		"sbatch": `tail -n 1 "$FAKE/../latest/ledger.jsonl" >> "$FAKE/intentions"; [ $(grep -c ^sbatch "$FAKE/calls") -ge 3 ] || exec sleep 300; ` + slurmlab.FakeSbatch + "; echo $id"})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	slurmlab.Must(t, os.Symlink(run.Dir, filepath.Join(dir, "..", "latest")))
	b := batchesOf(run, 1, []int{0}, 1)[0]
	_, err := send(t.Context(), slurmtest.Hasty, run, "", b, argsOf(run, b, configs.Slurm{}, ""))
	slurmlab.Must(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "intentions"))
	slurmlab.Must(t, err)
	var before time.Time
	for line := range strings.Lines(string(data)) {
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
	if strings.Count(string(data), "\n") != 3 {
		t.Errorf("tries are\n%s", data)
	}
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
