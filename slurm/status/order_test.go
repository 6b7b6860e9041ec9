package status

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/tuner/trial"
)

// slowQueue is fakeQueue, but while squeue answers, the files below late get into the
// folder of the run: what happens between the question and the end of the answer.
func slowQueue() map[string]string {
	commands := maps.Clone(slurmlab.FakeQueue)
	commands["squeue"] = `[ -e "$FAKE/late" ] && cp -r "$FAKE/late/." "$LATE_INTO"; ` + slurmlab.FakeQueue["squeue"]
	return commands
}

// lateRun is a run of one chunk whose task ends, and is merged, while Slurm is asked.
func lateRun(t *testing.T) *slurm.Run {
	t.Helper()
	dir := slurmlab.Fake(t, slowQueue())
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	slurmtest.Send(t, run, 1, 1, "12")
	slurmlab.Must(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: run.JobName() + ".1.finish", Round: 1},
		Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: "13"}}, nil))
	slurmtest.Says(t, dir, "queue", run,
		"12|0|COMPLETED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"13|N/A|COMPLETED|0:00|5:00|2026-01-02T03:04:05|n1|NAME.1.finish|None")
	late := filepath.Join(dir, "late")
	slurmlab.Must(t, os.MkdirAll(filepath.Join(late, slurm.JournalsDir), 0o777))
	slurmtest.End(t, slurmtest.Write(t, run, 0, "12_0", 0, 3), "m1", trial.Part{Of: 1}, "")
	slurmlab.Must(t, os.Rename(run.Path(slurm.JournalsDir, "0001.12_0.0.jsonl"),
		filepath.Join(late, slurm.JournalsDir, "0001.12_0.0.jsonl")))
	later := *run
	later.Dir = late
	slurmlab.Must(t, later.NoteMerge(&slurm.Merge{Round: 1, Complete: 1}))
	t.Setenv("LATE_INTO", run.Dir)
	return run
}

// What a task has written before Slurm said that it ended counts.
func TestStatusOfTaskThatJustEnded(t *testing.T) {
	if s := look(t, lateRun(t)); s.Chunks[0].State != Done || s.Finish != Done {
		t.Errorf("chunk %+v, the job that merges is %s", s.Chunks[0], s.Finish)
	}
	if seen, err := Chunks(t.Context(), slurmtest.Hasty, lateRun(t)); err != nil || seen.Chunks[0].State != Done {
		t.Errorf("for a retry it is %+v, %v", seen, err)
	}
}

// A chunk was completed by a merge by hand, while the round's own job still waits: it
// is asked for.
func TestStatusAfterMergeByHand(t *testing.T) {
	run := lateRun(t)
	slurmlab.Must(t, run.NoteMerge(&slurm.Merge{Complete: 1}))
	slurmlab.Must(t, os.RemoveAll(filepath.Join(os.Getenv("FAKE"), "late", "merged.json")))
	slurmtest.Says(t, os.Getenv("FAKE"), "queue", run, "13|N/A|PENDING|0:00|5:00|N/A||NAME.1.finish|Priority")
	if s := look(t, run); s.Finish != Waiting {
		t.Errorf("the job that merges is %q", s.Finish)
	}
}

// Listings are brought up to date before they are read, so that a network file
// system's old ones don't hide what a task has written.
func TestListingsAreRefreshed(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	refreshed := func(t *testing.T, f func(*slurm.Run), folders ...string) {
		t.Helper()
		run := lateRun(t)
		t.Setenv("LATE_INTO", t.TempDir())
		for _, dir := range folders {
			slurmlab.Must(t, os.Chtimes(run.Path(dir), old, old))
		}
		f(run)
		for _, dir := range folders {
			info, err := os.Stat(run.Path(dir))
			slurmlab.Must(t, err)
			if !info.ModTime().After(old) {
				t.Errorf("%s is as it was", run.Path(dir))
			}
			if left, _ := filepath.Glob(run.Path(dir, ".refresh*")); len(left) > 0 {
				t.Errorf("left are %v", left)
			}
		}
	}
	refreshed(t, func(run *slurm.Run) { look(t, run) }, "", slurm.JournalsDir)
	refreshed(t, func(run *slurm.Run) {
		_, err := Merge(t.Context(), run, 0, func(*slurm.Merge) error { return nil })
		slurmlab.Must(t, err)
	}, slurm.JournalsDir)
}

// Others may look at a run that they can't write to.
func TestStatusOfForeignRun(t *testing.T) {
	run := lateRun(t)
	shared, err := os.MkdirTemp("", "foreign") // t.TempDir can't be entered by others
	slurmlab.Must(t, err)
	t.Cleanup(func() {
		slurmlab.Must(t, os.Chmod(filepath.Join(shared, slurm.JournalsDir), 0o700))
		slurmlab.Must(t, os.RemoveAll(shared))
	})
	slurmlab.Must(t, os.Chmod(shared, 0o755))
	slurmlab.Must(t, os.CopyFS(shared, os.DirFS(run.Dir)))
	slurmlab.Must(t, os.CopyFS(filepath.Join(shared, slurm.JournalsDir),
		os.DirFS(filepath.Join(os.Getenv("FAKE"), "late", slurm.JournalsDir))))
	slurmlab.Must(t, filepath.WalkDir(shared, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o555)
		}
		return err
	}))
	t.Setenv("LATE_INTO", t.TempDir())
	t.Run("unprivileged", func(t *testing.T) {
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // never unlocked: the thread ends with the test
			const nobody = 65534
			if err := unix.Setfsuid(nobody); err != nil {
				t.Skip("can't give up root's rights: ", err)
			}
		}
		foreign, err := slurm.Open(shared)
		slurmlab.Must(t, err)
		if f, err := os.Create(foreign.Path("probe")); err == nil {
			f.Close()
			t.Fatal("the folder can be written")
		}
		if s := look(t, foreign); s.Chunks[0].State != Done {
			t.Errorf("chunk %+v", s.Chunks[0])
		}
	})
}
