package slurm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

func TestRetry(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := created(t, t.TempDir(), configs.Slurm{}, 6, "exit 0")
	plan, err := run.plan()
	must(t, err)
	plan.Chunks[1].Trials = 4
	must(t, run.replacePlan(plan))
	must(t, run.writeRound(1, chunkIDs(6)))
	must(t, run.note(jobLine{Batch: Batch{run.JobName() + ".1.0", 1, 0, 6}, Outcome: Submitted, ID: "12"}))
	says(t, dir, "queue", run,
		"12|1|TIMEOUT|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|TimeLimit",
		"12|2|TIMEOUT|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|TimeLimit", // one trial: not split
		"12|3|OUT_OF_MEMORY|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|4|RUNNING|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|5|NODE_FAIL|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|NodeFail")
	end(t, write(t, run, 0, "12_0", 0, 1), "m1", trial.Whole, "")

	r, err := run.Retry(t.Context(), hasty, configs.Slurm{}, "")
	must(t, err)
	if r.Done != 1 || fmt.Sprint(r.Again) != "[0003 0006]" || fmt.Sprint(r.Split) != "[{0002 [0002.1 0002.2]}]" ||
		len(r.OutOfMemory) != 1 || r.OutOfMemory[0].Matrices[0] != "m4" || len(r.Active) != 1 {
		t.Fatalf("retried %+v", r)
	}
	if chunks, err := run.round(2); err != nil || fmt.Sprint(chunks) != "[0002.1 0002.2 0003 0006]" {
		t.Errorf("round 2 is %v, %v", chunks, err)
	}
	if plan, err := run.plan(); err != nil || len(plan.Chunks) != 8 {
		t.Errorf("plan %+v, %v", plan, err)
	}
	if s := look(t, run); s.Counts.All != 7 {
		t.Errorf("chunks are %+v", s.Chunks)
	}

	// All that was sent runs: only what ran out of memory can be sent, with more.
	var queue []string
	for task := range 2 {
		queue = append(queue, fmt.Sprintf("201|%d|RUNNING|0:01|5:00|2026-01-02T03:04:05|n1|NAME.2.0|None", task),
			fmt.Sprintf("202|%d|PENDING|0:00|5:00|N/A||NAME.2.1|Priority", task))
	}
	queue = append(queue, "12|3|OUT_OF_MEMORY|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|4|RUNNING|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None")
	says(t, dir, "queue", run, queue...)
	if r, err := run.Retry(t.Context(), hasty, configs.Slurm{}, ""); err != nil || r.Round != nil || len(r.Active) != 5 {
		t.Errorf("a second time: %+v, %v", r, err)
	}
	r, err = run.Retry(t.Context(), hasty, configs.Slurm{Mem: "1G"}, "64G")
	must(t, err)
	sent, err := os.ReadFile(filepath.Join(dir, "sent"))
	must(t, err)
	if fmt.Sprint(r.Again) != "[0004]" || !strings.Contains(string(sent), "--mem=64G") || strings.Contains(string(sent), "--mem=1G") {
		t.Errorf("with more memory: %+v\n%s", r, sent)
	}
}

// A submission that was killed in its first sbatch has left its tasks behind, and no
// job that merges what they measure.
func TestRetrySendsTheMissingFinish(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	must(t, run.writeRound(1, chunkIDs(2)))
	must(t, run.note(jobLine{Batch: Batch{run.JobName() + ".1.0", 1, 0, 2}, Outcome: Intended}))
	says(t, dir, "queue", run,
		"12|0|RUNNING|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|1|PENDING|5:00|5:00|N/A||NAME.1.0|Priority")
	r, err := run.Retry(t.Context(), hasty, configs.Slurm{}, "")
	must(t, err)
	sent, err := os.ReadFile(filepath.Join(dir, "sent"))
	must(t, err)
	if len(r.Settled) != 1 || len(r.Active) != 2 || r.Round == nil || len(r.Round.Jobs) != 1 || r.Round.Jobs[0].ID != "201" ||
		strings.Count(string(sent), "\n") != 1 || !strings.Contains(string(sent), "--dependency=afterany:12 ") ||
		!strings.Contains(string(sent), "--job-name="+run.JobName()+".1.finish") {
		t.Errorf("retried %+v\n%s", r, sent)
	}
	if r, err := run.Retry(t.Context(), hasty, configs.Slurm{}, ""); err != nil || r.Round != nil {
		t.Errorf("a second time: %+v, %v", r, err)
	}
}

// What Slurm does not tell of might be running.
func TestRetryWithoutController(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := statusRun(t)
	must(t, run.note(jobLine{Batch: Batch{run.JobName() + ".1.2", 1, 8, 1}, Outcome: Lost}))
	if r, err := run.Retry(t.Context(), hasty, configs.Slurm{}, ""); err == nil || r.Round != nil {
		t.Errorf("retried %+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sent")); err == nil {
		t.Error("something was sent")
	}
}

// A retry whose jobs nobody takes has decided nothing.
func TestRetryRefused(t *testing.T) {
	commands := map[string]string{}
	for name, body := range fakeQueue {
		commands[name] = body
	}
	commands["sbatch"] = `echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2; exit 1`
	dir := fakeSlurm(t, commands)
	run := statusRun(t)
	must(t, run.note(jobLine{Batch: Batch{run.JobName() + ".1.2", 1, 8, 1}, Outcome: Lost}))
	says(t, dir, "queue", run)
	if r, err := run.Retry(t.Context(), hasty, configs.Slurm{}, ""); err == nil || r.Round != nil || len(r.Again)+len(r.Split)+len(r.Active)+r.Done > 0 {
		t.Errorf("retried %+v, %v", r, err)
	}
}

// A chunk is not split because a task before its last one ran out of time.
func TestRetryGoesByLastTask(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	plan, err := run.plan()
	must(t, err)
	plan.Chunks[0].Trials, plan.Chunks[1].Trials = 4, 4
	must(t, run.replacePlan(plan))
	for i, id := range []string{"9", "12"} {
		must(t, run.writeRound(i+1, chunkIDs(2)))
		must(t, run.note(jobLine{Batch: Batch{fmt.Sprintf("%s.%d.0", run.JobName(), i+1), i + 1, 0, 2}, Outcome: Submitted, ID: id}))
	}
	late := func(w *journal.Writer) {
		must(t, w.End(journal.End{Reason: "its time limit was near", OutOfTime: true, At: time.Now().Add(time.Hour), Pieces: []journal.Piece{{Matrix: "m1", Part: trial.Whole}}}))
	}
	late(write(t, run, 0, "9_0", 0, 1))  // the next task was killed
	late(write(t, run, 1, "12_1", 0, 1)) // and that was the last one
	write(t, run, 0, "12_0", 1, 2)
	says(t, dir, "queue", run,
		"12|0|FAILED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.2.0|JobLaunchFailure",
		"12|1|FAILED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.2.0|NonZeroExitCode")
	r, err := run.Retry(t.Context(), hasty, configs.Slurm{}, "")
	must(t, err)
	if fmt.Sprint(r.Again, r.Split) != "[0001] [{0002 [0002.1 0002.2]}]" {
		t.Errorf("retried %+v", r)
	}
}
