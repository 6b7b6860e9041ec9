// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

func TestRetry(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 6, "exit 0")
	plan := testkit.Must(run.Plan())
	plan.Chunks[1].Trials = 4
	slurmtest.SetPlan(t, run, plan)
	slurmtest.Send(t, run, 1, 6, "12")
	slurmtest.Says(t, dir, "queue", run,
		"12|1|TIMEOUT|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|TimeLimit",
		"12|2|TIMEOUT|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|TimeLimit", // one trial: not split
		"12|3|OUT_OF_MEMORY|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|4|RUNNING|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|5|NODE_FAIL|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|NodeFail")
	slurmtest.End(t, slurmtest.Write(t, run, 0, "12_0", 0, 1), "m1", trial.Part{Of: 1}, "")

	r := retried(t, run, configs.Slurm{}, RetryOptions{})
	testkit.Require(t, r.Done == 1 && fmt.Sprint(r.Again) == "[0003 0006]" &&
		fmt.Sprint(r.Split) == "[{0002 [0002.1 0002.2]}]" && len(r.OutOfMemory) == 1 &&
		r.OutOfMemory[0].Matrices[0] == "m4" && len(r.Active) == 1, "retried %+v", r)
	testkit.Equal(t, fmt.Sprint(testkit.Must(run.Round(2))), "[0002.1 0002.2 0003 0006]", "round 2 is")
	testkit.Equal(t, len(testkit.Must(run.Plan()).Chunks), 8, "plan")
	testkit.Equal(t, len(testkit.Must(status.Certain(t.Context(), slurmtest.Hasty, run)).Chunks), 7, "chunks are")

	// All that was sent runs: only what ran out of memory can be sent, with more.
	var queue []string
	for task := range 2 {
		queue = append(queue, fmt.Sprintf("201|%d|RUNNING|0:01|5:00|2026-01-02T03:04:05|n1|NAME.2.0|None", task),
			fmt.Sprintf("202|%d|PENDING|0:00|5:00|N/A||NAME.2.1|Priority", task))
	}
	queue = append(queue, "12|3|OUT_OF_MEMORY|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|4|RUNNING|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None")
	slurmtest.Says(t, dir, "queue", run, queue...)
	r = retried(t, run, configs.Slurm{}, RetryOptions{})
	testkit.Check(t, r.Round == nil && len(r.Active) == 5, "a second time: %+v", r)
	r = retried(t, run, configs.Slurm{Mem: "1G"}, RetryOptions{Set: map[string]string{"mem": "64G"}})
	sent := slurmlab.Read(t, filepath.Join(dir, "sent"))
	testkit.Check(t, fmt.Sprint(r.Again) == "[0004]" && strings.Contains(sent, "--mem=64G") &&
		!strings.Contains(sent, "--mem=1G"), "with more memory: %+v\n%s", r, sent)
}

// A submission that was killed in its first sbatch has left its tasks behind, and no
// job that merges what they measure.
func TestRetrySendsTheMissingFinish(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	testkit.Succeed(t, run.WriteRound(1, slurmtest.ChunkIDs(2)))
	testkit.Succeed(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: run.JobName() + ".1.0", Round: 1, Base: 0, Tasks: 2},
		Outcome: slurm.Intended}))
	slurmtest.Says(t, dir, "queue", run,
		"12|0|RUNNING|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|1|PENDING|5:00|5:00|N/A||NAME.1.0|Priority")
	r := retried(t, run, configs.Slurm{}, RetryOptions{})
	sent := slurmlab.Read(t, filepath.Join(dir, "sent"))
	lines := strings.Split(strings.TrimSpace(sent), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "--test-only") })
	testkit.Check(t, len(r.Recovered) == 1 && len(r.Active) == 2 && r.Round != nil && len(r.Round.Jobs) == 1 &&
		len(lines) == 1 && strings.Contains(lines[0], "--dependency=afterany:12 ") &&
		strings.Contains(lines[0], "--job-name="+run.JobName()+".1.finish") && strings.Contains(lines[0], "--mem=") &&
		strings.Contains(lines[0], "--time="), "retried %+v\n%s", r, sent)
	testkit.Equal(t, retried(t, run, configs.Slurm{}, RetryOptions{}).Round, nil, "a second time")
}

// What the tasks of a submit were to wait for holds for the retry that first sends any, unless it is told otherwise.
func TestRetryKeepsTheDependency(t *testing.T) {
	other, none := "afterok:8", ""
	for _, tt := range []struct {
		opt  RetryOptions
		want string
	}{{RetryOptions{}, "--dependency=afterok:7"}, {RetryOptions{Dependency: &other}, "--dependency=afterok:8"},
		{RetryOptions{Dependency: &none}, ""}} {
		dir := slurmlab.Fake(t, slurmlab.FakeQueue)
		run := slurmtest.Created(t, t.TempDir(), configs.Slurm{Dependency: "afterok:7"}, 2, "exit 0")
		run = slurmtest.Opened(t, run.Dir)
		sent := func() string {
			t.Helper()
			slurmtest.Says(t, dir, "queue", run)
			retried(t, run, configs.Slurm{}, tt.opt)
			lines := slurmlab.Read(t, filepath.Join(dir, "sent"))
			testkit.Succeed(t, os.Remove(filepath.Join(dir, "sent")))
			array, _, _ := strings.Cut(lines, "\n")
			return array
		}
		if array := sent(); !strings.Contains(array, "--array=0-1") || !strings.Contains(array, tt.want) ||
			tt.want == "" && strings.Contains(array, "--dependency") {
			t.Errorf("%q is not in the first submission: %s", tt.want, array)
		}
		if array := sent(); tt.opt.Dependency == nil && strings.Contains(array, "--dependency") {
			t.Errorf("the second submission waits: %s", array)
		}
	}
}

// A retry whose jobs nobody takes has decided nothing.
func TestRetryRefused(t *testing.T) {
	commands := maps.Clone(slurmlab.FakeQueue)
	commands["sbatch"] = `echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2; exit 1`
	dir := slurmlab.Fake(t, commands)
	run := slurmtest.StatusRun(t)
	testkit.Succeed(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: run.JobName() + ".1.2", Round: 1, Base: 8, Tasks: 1},
		Outcome: slurm.Lost}))
	slurmtest.Says(t, dir, "queue", run)
	if r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, RetryOptions{}); err == nil || r.Round != nil ||
		len(r.Again)+len(r.Split)+len(r.Active)+r.Done > 0 {
		t.Errorf("retried %+v, %v", r, err)
	}
}

// A chunk is not split because a task before its last one ran out of time.
func TestRetryGoesByLastTask(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	plan := testkit.Must(run.Plan())
	plan.Chunks[0].Trials, plan.Chunks[1].Trials = 4, 4
	slurmtest.SetPlan(t, run, plan)
	for i, id := range []string{"9", "12"} {
		slurmtest.Send(t, run, i+1, 2, id)
	}
	late := func(w *journal.Writer) {
		testkit.Succeed(t, w.End(journal.End{Reason: "its time limit was near", OutOfTime: true, At: time.Now().Add(time.Hour),
			Pieces: []trial.Piece{{Matrix: "m1", Part: trial.Part{Of: 1}}}}))
	}
	late(slurmtest.Write(t, run, 0, "9_0", 0, 1))  // the next task was killed
	late(slurmtest.Write(t, run, 1, "12_1", 0, 1)) // and that was the last one
	slurmtest.Write(t, run, 0, "12_0", 1, 2)
	slurmtest.Says(t, dir, "queue", run,
		"12|0|FAILED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.2.0|JobLaunchFailure",
		"12|1|FAILED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.2.0|NonZeroExitCode")
	r := retried(t, run, configs.Slurm{}, RetryOptions{})
	testkit.Equal(t, fmt.Sprint(r.Again, r.Split), "[0001] [{0002 [0002.1 0002.2]}]", "retried %+v", r)
}

// Of two retries that decide at once, one submits, even where the lock of one node is
// not seen by another.
func TestRetriesAtOnce(t *testing.T) {
	// The first one's lock is gone as soon as it asks, and it asks until the second does.
	const together = `rm -f "$LOCK"; echo >> "$FAKE/asked"; while [ $(wc -l < "$FAKE/asked") -lt 2 ]; do sleep 0.02; done; `
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": together + slurmlab.FakeSqueue,
		"sbatch": slurmlab.FakeSbatch + "; echo $id"})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	t.Setenv("LOCK", run.Path(".submit.lock"))
	// A job that squeue has forgotten, so that it is asked.
	slurmtest.Send(t, run, 1, 2, "12")

	var both sync.WaitGroup
	var errs [2]error
	for i := range errs {
		both.Go(func() { _, errs[i] = Retry(t.Context(), &sbatch.Client{}, run, configs.Slurm{}, RetryOptions{}) })
		for _, err := os.Stat(filepath.Join(dir, "asked")); err != nil; _, err = os.Stat(filepath.Join(dir, "asked")) {
			time.Sleep(time.Millisecond)
		}
	}
	both.Wait()
	testkit.Check(t, (errs[0] == nil) != (errs[1] == nil) &&
		strings.Contains(errors.Join(errs[:]...).Error(), "another submission of the run is under way"), "errors %v", errs)
	testkit.Equal(t, slurmlab.Calls(t, dir, "sbatch"), 2, "jobs for one round")
}

// An id in the ledger that is no number, however well sealed, reaches none of Slurm's programs: it would be an option.
func TestIDsAreNumbers(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	for _, id := range []string{"--EVIL", "-u root", "12,-u", "12_3", " 12", "0x12"} {
		run := sentRun(t, "", slurm.Intended)
		slurmtest.Says(t, dir, "queue", run)
		b := slurm.Batch{Name: run.JobName() + ".1.0", Round: 1, Tasks: 2}
		testkit.Succeed(t, run.Note(slurm.Sent{Batch: b, Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: id}}))
		testkit.Equal(t, testkit.Must(run.Ledger()).Damaged, 1, "damaged lines with %q", id)
		testkit.Must(status.Of(t.Context(), slurmtest.Hasty, run))
		testkit.Must(Cancel(t.Context(), slurmtest.Hasty, run))
		testkit.Must(Throttle(t.Context(), slurmtest.Hasty, run, 1))
		testkit.Lacks(t, "what Slurm was asked", slurmlab.Read(t, filepath.Join(dir, "calls")), id)
	}
}

// The jobs of a run know its folder by its path: from a moved or copied one none are sent. A copy changes none of them.
func TestRetryInAnotherFolder(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	retry := func(path string) error {
		t.Helper()
		there := slurmtest.Opened(t, path)
		_, err := Retry(t.Context(), slurmtest.Hasty, there, configs.Slurm{}, RetryOptions{})
		return err
	}
	moved := filepath.Join(t.TempDir(), "moved")
	testkit.Succeed(t, os.CopyFS(moved, os.DirFS(run.Dir)))
	const copied = "is a copy of the run in "
	testkit.Fails(t, retry(moved), copied+run.Dir, "a copy")
	there := slurmtest.Opened(t, moved)
	testkit.Fails(t, testkit.Err(Cancel(t.Context(), slurmtest.Hasty, there)), copied+run.Dir, "cancelled by a copy")
	testkit.Fails(t, testkit.Err(Throttle(t.Context(), slurmtest.Hasty, there, 1)), copied+run.Dir, "throttled by a copy")
	link := filepath.Join(t.TempDir(), "link")
	testkit.Succeed(t, os.Symlink(run.Dir, link))
	slurmtest.Says(t, dir, "queue", run)
	testkit.Equal(t, retry(link), nil, "another path of it")
	testkit.Succeed(t, os.RemoveAll(run.Dir))
	testkit.Fails(t, retry(moved), "was submitted in "+run.Dir+" and is now in "+moved, "moved")
	testkit.Equal(t, testkit.Err(Cancel(t.Context(), slurmtest.Hasty, there)), nil, "cancelled where it was moved to")
}

// What throttle was told holds for what retry sends, too.
func TestThrottleLasts(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{Throttle: 2}, 1, "exit 0")
	slurmtest.Says(t, dir, "queue", run)
	for _, c := range []struct {
		n    int
		want string
	}{{4, "--array=0-0%4 "}, {0, "--array=0-0 "}} {
		throttled(t, run, c.n)
		testkit.Succeed(t, os.RemoveAll(filepath.Join(dir, "sent")))
		retried(t, run, configs.Slurm{Throttle: 2}, RetryOptions{})
		sent := slurmlab.Read(t, filepath.Join(dir, "sent"))
		testkit.Check(t, strings.Contains(sent, c.want), "throttled to %d, it sends\n%s", c.n, sent)
	}
}

// A damaged line may have been what throttle or an earlier retry was told: retry says so until it is told again.
func TestRetryDoubtsItsSettings(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	slurmtest.Says(t, dir, "queue", run)
	throttled(t, run, 4)
	throttled(t, run, 3)
	text := slurmlab.Read(t, run.Path(slurm.LedgerFile))
	testkit.Succeed(t, os.WriteFile(run.Path(slurm.LedgerFile), []byte(strings.Replace(text, `"throttle":3`, `"throttle":2`, 1)), 0o666))
	for _, doubtful := range []bool{true, false} {
		r := retried(t, run, configs.Slurm{}, RetryOptions{})
		testkit.Equal(t, strings.Contains(strings.Join(r.Notes, ""), "may have said what --set"), doubtful,
			"retry says that settings may be lost")
		throttled(t, run, 3)
	}
}
