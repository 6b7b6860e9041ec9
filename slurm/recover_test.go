package slurm

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
)

func TestRecover(t *testing.T) {
	const account = `case "$*" in *old.1.0*) echo "55_0|COMPLETED|0:0|10|5|2026-01-01T00:00:00|n1|old.1.0" ;; esac`
	dir := fakeSlurm(t, map[string]string{"squeue": fakeSqueue, "sacct": account})
	must(t, os.WriteFile(filepath.Join(dir, "queue"), []byte("taken.1.0\n"), 0o666))
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	for _, name := range []string{"known.1.0", "taken.1.0", "old.1.0", "nowhere.1.0"} {
		must(t, run.note(jobLine{Batch: Batch{Name: name, Round: 1, Tasks: 2}, Outcome: Intended, Args: []string{"--x"}}))
	}
	must(t, run.note(jobLine{Batch: Batch{Name: "known.1.0", Round: 1, Tasks: 2}, Outcome: Submitted, ID: "7"}))
	// The process that was to write the second answer died in the middle of it.
	f, err := os.OpenFile(run.Path(jobsFile), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`{"at":"2026-01-01T00:00:00Z","name":"taken.1.0","id":"1`)
	must(t, err)
	must(t, f.Close())

	settled, err := run.Recover(t.Context(), hasty)
	must(t, err)
	jobs, err := run.Jobs()
	must(t, err)
	if len(settled) != 3 || len(jobs) != 4 {
		t.Fatalf("settled %+v, jobs %+v", settled, jobs)
	}
	for i, want := range []struct {
		outcome Outcome
		id      string
	}{{Submitted, "7"}, {Submitted, "101"}, {Submitted, "55"}, {Lost, ""}} {
		if j := jobs[i]; j.Outcome != want.outcome || j.ID != want.id || j.Tasks != 2 {
			t.Errorf("job %d is %+v", i, j)
		}
	}
	before := calls(t, dir, "squeue")
	if again, err := run.Recover(t.Context(), hasty); err != nil || len(again) != 0 || calls(t, dir, "squeue") != before {
		t.Errorf("a second time: %+v, %v", again, err)
	}
}

// A clock that was ahead when sbatch was about to run, or on the node where it was,
// does not make a repair wait for more than a time-out from now.
func TestRecoverAfterAClockJump(t *testing.T) {
	fakeSlurm(t, map[string]string{"squeue": fakeSqueue, "sacct": "exit 1"})
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	line, err := json.Marshal(jobLine{At: time.Now().Add(24 * time.Hour).UTC(), Batch: Batch{Name: "x.1.0", Round: 1, Tasks: 1}, Outcome: Intended})
	must(t, err)
	appendTo(t, run.Path(jobsFile), string(line)+"\n")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // instead of a day
	defer cancel()
	var told []string
	client := *hasty
	client.Tell = func(waiting string) { told = append(told, waiting) }
	settled, err := run.Recover(ctx, &client)
	if err != nil || len(settled) != 1 || settled[0].Outcome != Lost {
		t.Errorf("settled %+v, %v", settled, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "slurm has no job x.1.0 so far") {
		t.Errorf("told %q", told)
	}
}

func TestRecoverWithoutController(t *testing.T) {
	fakeSlurm(t, map[string]string{"squeue": `echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1`})
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	must(t, run.note(jobLine{Batch: Batch{Name: "x.1.0", Round: 1, Tasks: 1}, Outcome: Intended}))
	client := *hasty
	client.Patience = time.Second
	var told []string
	client.Tell = func(waiting string) { told = append(told, waiting) }
	if _, err := run.Recover(t.Context(), &client); err == nil || !strings.Contains(err.Error(), "x.1.0") {
		t.Errorf("error %v", err)
	}
	if jobs, err := run.Jobs(); err != nil || jobs[0].Outcome != Intended {
		t.Errorf("without an answer, job is %+v, %v", jobs, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "whether slurm has the job x.1.0 is asked again") {
		t.Errorf("told %q", told)
	}
}
