package submit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/tuner/journal"
)

func TestRecover(t *testing.T) {
	const account = `case "$*" in *old.1.0*) echo "55_0|COMPLETED|0:0|10|5|2026-01-01T00:00:00|n1|old.1.0" ;; esac`
	dir := slurmlab.Fake(t, map[string]string{"squeue": slurmlab.FakeSqueue, "sacct": account})
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "queue"), []byte("taken.1.0\n"), 0o666))
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	for _, name := range []string{"known.1.0", "taken.1.0", "old.1.0", "nowhere.1.0"} {
		slurmlab.Must(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: name, Round: 1, Tasks: 2}, Outcome: slurm.Intended}, []string{"--x"}))
	}
	slurmlab.Must(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: "known.1.0", Round: 1, Tasks: 2}, Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: "7"}}, nil))
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
	slurmlab.Must(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: "x.1.0", Round: 1, Tasks: 1}, Outcome: slurm.Intended}, nil))
	client := *slurmtest.Hasty
	client.Patience = time.Second
	var told []string
	client.Tell = func(waiting string) { told = append(told, waiting) }
	if _, err := Recover(t.Context(), &client, run); err == nil || !strings.Contains(err.Error(), "x.1.0") {
		t.Errorf("error %v", err)
	}
	if jobs := slurmtest.Jobs(t, run); jobs[0].Outcome != slurm.Intended {
		t.Errorf("without an answer, job is %+v", jobs)
	}
	if len(told) != 1 || !strings.Contains(told[0], "asking again for up to 1s whether slurm has the job x.1.0") {
		t.Errorf("told %q", told)
	}
}
