package slurm

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spmvtune/configs"
	"spmvtune/tuner/trial"
)

// slowQueue is fakeQueue, but while squeue answers, the files below late get into the
// folder of the run: what happens between the question and the end of the answer.
func slowQueue() map[string]string {
	commands := map[string]string{}
	for name, body := range fakeQueue {
		commands[name] = body
	}
	commands["squeue"] = `[ -e "$FAKE/late" ] && cp -r "$FAKE/late/." "$LATE_INTO"; ` + fakeQueue["squeue"]
	return commands
}

// lateRun is a run of one chunk whose task ends, and is merged, while Slurm is asked.
func lateRun(t *testing.T) *Run {
	t.Helper()
	dir := fakeSlurm(t, slowQueue())
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	must(t, run.writeRound(1, chunkIDs(1)))
	must(t, run.note(jobLine{Batch: Batch{run.JobName() + ".1.0", 1, 0, 1}, Outcome: Submitted, ID: "12"}))
	must(t, run.note(jobLine{Batch: Batch{Name: run.JobName() + ".1.finish", Round: 1}, Outcome: Submitted, ID: "13"}))
	says(t, dir, "queue", run,
		"12|0|COMPLETED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"13|N/A|COMPLETED|0:00|5:00|2026-01-02T03:04:05|n1|NAME.1.finish|None")
	late := filepath.Join(dir, "late")
	must(t, os.MkdirAll(filepath.Join(late, journalsDir), 0o777))
	end(t, write(t, run, 0, "12_0", 0, 3), "m1", trial.Whole, "")
	must(t, os.Rename(run.Path(journalsDir, "0001.12_0.0.jsonl"), filepath.Join(late, journalsDir, "0001.12_0.0.jsonl")))
	must(t, os.WriteFile(filepath.Join(late, mergedFile), []byte(`{"round": 1, "complete": 1}`), 0o666))
	t.Setenv("LATE_INTO", run.Dir)
	return run
}

// What a task has written before Slurm said that it ended counts.
func TestStatusOfTaskThatJustEnded(t *testing.T) {
	if s := look(t, lateRun(t)); s.Chunks[0].State != ChunkDone || s.Finish != ChunkDone {
		t.Errorf("chunk %+v, the job that merges is %s", s.Chunks[0], s.Finish)
	}
}

func TestRetryOfTaskThatJustEnded(t *testing.T) {
	run := lateRun(t)
	if r, err := run.Retry(t.Context(), hasty, configs.Slurm{}, ""); err != nil || r.Done != 1 || r.Round != nil {
		t.Errorf("retried %+v, %v", r, err)
	}
}

// A chunk was completed by a merge by hand, while the round's own job still waits: it
// is asked for.
func TestStatusAfterMergeByHand(t *testing.T) {
	run := lateRun(t)
	must(t, os.WriteFile(run.Path(mergedFile), []byte(`{"complete": 1}`), 0o666))
	must(t, os.RemoveAll(filepath.Join(os.Getenv("FAKE"), "late", mergedFile)))
	says(t, os.Getenv("FAKE"), "queue", run, "13|N/A|PENDING|0:00|5:00|N/A||NAME.1.finish|Priority")
	if s := look(t, run); s.Finish != ChunkWaiting {
		t.Errorf("the job that merges is %q", s.Finish)
	}
}

// Listings are brought up to date before they are read, so that a network file
// system's old ones don't hide what a task has written.
func TestListingsAreRefreshed(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	refreshed := func(t *testing.T, f func(*Run), folders ...string) {
		t.Helper()
		run := lateRun(t)
		t.Setenv("LATE_INTO", t.TempDir())
		for _, dir := range folders {
			must(t, os.Chtimes(run.Path(dir), old, old))
		}
		f(run)
		for _, dir := range folders {
			info, err := os.Stat(run.Path(dir))
			must(t, err)
			if !info.ModTime().After(old) {
				t.Errorf("%s is as it was", run.Path(dir))
			}
			if left, _ := filepath.Glob(run.Path(dir, ".refresh*")); len(left) > 0 {
				t.Errorf("left are %v", left)
			}
		}
	}
	refreshed(t, func(run *Run) { look(t, run) }, "", journalsDir)
	refreshed(t, func(run *Run) { merge(t, run) }, journalsDir)
}

// Others may look at a run that they can't write to.
func TestStatusOfForeignRun(t *testing.T) {
	run := lateRun(t)
	shared, err := os.MkdirTemp("", "foreign") // t.TempDir can't be entered by others
	must(t, err)
	t.Cleanup(func() {
		must(t, os.Chmod(filepath.Join(shared, journalsDir), 0o700))
		must(t, os.RemoveAll(shared))
	})
	must(t, os.Chmod(shared, 0o755))
	must(t, os.CopyFS(shared, os.DirFS(run.Dir)))
	must(t, os.CopyFS(filepath.Join(shared, journalsDir), os.DirFS(filepath.Join(os.Getenv("FAKE"), "late", journalsDir))))
	must(t, filepath.WalkDir(shared, func(path string, d fs.DirEntry, err error) error {
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
		foreign, err := Open(shared)
		must(t, err)
		if f, err := os.Create(foreign.Path("probe")); err == nil {
			f.Close()
			t.Fatal("the folder can be written")
		}
		if s := look(t, foreign); s.Chunks[0].State != ChunkDone {
			t.Errorf("chunk %+v", s.Chunks[0])
		}
	})
}
