package submit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/slurm/status"
)

// A run that an earlier version submitted goes on with this one. Its tasks have measured two of
// six chunks, and the third up to the end of its journal.
func TestRunOfAnEarlierVersion(t *testing.T) {
	const name = "small-20261122-vsjdge"
	dir := filepath.Join(t.TempDir(), name)
	slurmlab.Must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))))
	for _, file := range []string{"run.json", "merged.json"} { // the folder was in another place
		text, err := os.ReadFile(filepath.Join(dir, file))
		slurmlab.Must(t, err)
		moved := strings.ReplaceAll(string(text), "/home/user/runs/"+name, dir)
		slurmlab.Must(t, os.WriteFile(filepath.Join(dir, file), []byte(moved), 0o666))
	}
	run, err := slurm.Open(dir)
	slurmlab.Must(t, err)
	fake := slurmlab.Fake(t, slurmlab.FakeQueue)
	slurmtest.Says(t, fake, "queue", run,
		"12|3|RUNNING|1:00|5:00|2026-11-22T09:58:00|n1|NAME.1.0|None",
		"12|4|PENDING|0:00|5:00|N/A||NAME.1.0|Priority")

	tracker := status.NewTracker(run)
	observer := status.Observer{Client: slurmtest.Hasty}
	s := tracker.Status(observer.Observe(t.Context(), tracker))
	slurmlab.Must(t, tracker.Err())
	want := status.Counts{Done: 2, Running: 1, Waiting: 1, Ended: 2, All: 6}
	if s.Counts != want || s.Trials.Done != 3 || len(s.Best) != 1 || s.Merged == nil || s.Merged.Complete != 2 {
		t.Errorf("its status is %+v", s)
	}

	merged, err := merge.Run(t.Context(), run, 0, func(*merge.Last) error { return nil })
	if err != nil || merged.New != 3 || merged.Complete != 2 || len(merged.Missing) != 4 {
		t.Errorf("merged %+v, %v", merged, err)
	}
	if sweep, err := run.TaskSweep(); err != nil || len(sweep.Matrices) != 2 {
		t.Errorf("its sweep is %+v, %v", sweep, err)
	}
	r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{})
	if err != nil || fmt.Sprint(r.Again) != "[0003 0006]" || r.Done != 2 || len(r.Active) != 2 || r.Round == nil || r.Round.Number != 2 {
		t.Errorf("retried %+v, %v", r, err)
	}
}
