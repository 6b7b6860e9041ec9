package slurm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/tuner"
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
	end(t, write(t, run, 0, "12_0", 0, 1), "m1", tuner.All, "")

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
