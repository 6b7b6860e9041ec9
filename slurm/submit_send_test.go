package slurm

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
)

func TestNothingIsSubmittedTwice(t *testing.T) {
	const hang = "; sleep 300"
	const socket = `; echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1`
	const late = `[ $(grep -c ^squeue "$FAKE/calls") -ge 4 ] || { echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }; `
	for name, c := range map[string]struct{ sbatch, squeue string }{
		"taken, then sbatch hangs":                  {fakeSbatch + hang, fakeSqueue},
		"taken, then slurm's own time-out":          {fakeSbatch + socket, fakeSqueue},
		"taken, and squeue has no answer at first":  {fakeSbatch + hang, late + fakeSqueue},
		"taken, and seen only at the second look":   {fakeSbatch + socket, `[ $(grep -c ^squeue "$FAKE/calls") -ge 2 ] || exit 0; ` + fakeSqueue},
		"not taken at first":                        {`[ $(grep -c ^sbatch "$FAKE/calls") -ge 2 ] || sleep 300; ` + fakeSbatch + "; echo $id", fakeSqueue},
		"taken, and the answer is not a job's id":   {fakeSbatch + "; echo thank you", fakeSqueue},
		"taken, and sbatch is killed from outside":  {fakeSbatch + "; kill -KILL $$", fakeSqueue},
		"taken, and refused in words of the site's": {fakeSbatch + `; echo "log server is away" >&2; exit 1`, fakeSqueue},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fakeSlurm(t, map[string]string{"scontrol": fakeConfig, "squeue": c.squeue, "sbatch": c.sbatch})
			run := created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
			round, err := run.Submit(t.Context(), hasty, configs.Slurm{}, chunkIDs(2))
			must(t, err)
			queue, err := os.ReadFile(filepath.Join(dir, "queue"))
			must(t, err)
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
	dir := fakeSlurm(t, map[string]string{"scontrol": fakeConfig, "squeue": fakeSqueue,
		"sbatch": `echo "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)" >&2; exit 1`})
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	_, err := run.Submit(t.Context(), hasty, configs.Slurm{}, chunkIDs(1))
	var part *IncompleteError
	if !errors.As(err, &part) || part.Sent != 0 || part.Unresolved || !strings.Contains(err.Error(), "nothing is submitted") {
		t.Errorf("error %v", err)
	}
	if n := calls(t, dir, "sbatch"); n != mostTries {
		t.Errorf("sbatch ran %d times", n)
	}
	if jobs, err := run.Jobs(); err != nil || len(jobs) != 1 || jobs[0].Outcome != Refused {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
}

func TestSilentControllerLeavesTheIntention(t *testing.T) {
	const silent = `echo "error: Unable to contact slurm controller (connect failure)" >&2; exit 1`
	dir := fakeSlurm(t, map[string]string{"scontrol": fakeConfig, "squeue": silent, "sbatch": fakeSbatch + "; " + silent})
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	client := *hasty
	client.Patience = 1
	_, err := run.Submit(t.Context(), &client, configs.Slurm{}, chunkIDs(1))
	var part *IncompleteError
	if !errors.As(err, &part) || !part.Unresolved || !strings.Contains(err.Error(), "finds out") {
		t.Errorf("error %v", err)
	}
	// The next command repairs it, once the controller answers.
	must(t, os.WriteFile(filepath.Join(dir, "squeue"), []byte("#!/bin/bash\n"+fakeSqueue+"\n"), 0o777))
	_, err = run.Recover(t.Context(), hasty)
	must(t, err)
	if jobs, err := run.Jobs(); err != nil || len(jobs) != 1 || jobs[0].Outcome != Submitted || jobs[0].ID != "101" {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
}

// A job that may be there is not taken for refused, whatever sbatch says.
func TestRefusalThatCantBeChecked(t *testing.T) {
	dir := fakeSlurm(t, map[string]string{"scontrol": fakeConfig, "sbatch": fakeSbatch + `; echo "log server is away" >&2; exit 1`,
		"squeue": `echo "error: Unable to contact slurm controller (connect failure)" >&2; exit 1`})
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	_, err := run.Submit(t.Context(), hasty, configs.Slurm{}, chunkIDs(1))
	var part *IncompleteError
	if !errors.As(err, &part) || !part.Unresolved || !strings.Contains(err.Error(), "log server is away") || !strings.Contains(err.Error(), "finds out") {
		t.Errorf("error %v", err)
	}
	if jobs, err := run.Jobs(); err != nil || len(jobs) != 1 || jobs[0].Outcome != Intended || calls(t, dir, "sbatch") != 1 {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
}

// How long an sbatch may go on without us counts from its own start, not from that of
// the first try.
func TestIntentionBeforeEachTry(t *testing.T) {
	dir := fakeSlurm(t, map[string]string{"scontrol": fakeConfig, "squeue": fakeSqueue,
		"sbatch": `tail -n 1 "$FAKE/../latest/jobs.jsonl" >> "$FAKE/intentions"; [ $(grep -c ^sbatch "$FAKE/calls") -ge 3 ] || exec sleep 300; ` + fakeSbatch + "; echo $id"})
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	must(t, os.Symlink(run.Dir, filepath.Join(dir, "..", "latest")))
	b := run.batches(1, 1, 1)[0]
	_, err := run.send(t.Context(), hasty, "", b, run.args(b, configs.Slurm{}, nil))
	must(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "intentions"))
	must(t, err)
	var before time.Time
	for line := range strings.Lines(string(data)) {
		var l jobLine
		must(t, json.Unmarshal([]byte(line), &l))
		if l.Outcome != Intended || l.At.Sub(before) < hasty.Timeout {
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
	dir := fakeSlurm(t, map[string]string{"scontrol": fakeConfig, "squeue": fakeSqueue,
		"sbatch": `touch "$FAKE/started"; sleep 0.5; ` + fakeSbatch + "; echo $id"})
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
				cancel()
			}
		}
	}()
	client := *hasty
	client.Timeout = 0 // however slow this machine is
	_, err := run.Submit(ctx, &client, configs.Slurm{}, chunkIDs(1))
	if !errors.Is(err, context.Canceled) || calls(t, dir, "sbatch") != 1 {
		t.Errorf("error %v after %d sbatch", err, calls(t, dir, "sbatch"))
	}
	if jobs, err := run.Jobs(); err != nil || len(jobs) != 1 || jobs[0].ID != "101" {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
}
