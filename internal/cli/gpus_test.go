package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/internal/testing/clitest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/store"
)

// onAll is a sweep of 240 trials for all GPUs.
const onAll = `[protocol]
cache = "warm"
trial_budget = "2ms"
[device]
index = "all"
[[matrix]]
generate = "grid_5pt"
nx = [10, 20, 30, 40]
ny = 10
[[kernel]]
name = "csr_scalar"
block = [32, 64, 128, 256, 512, 1024]
`

// runOn prepares a run of a sweep on a machine with some GPUs, into a folder.
func runOn(t *testing.T, gpus, text, folder string) *exec.Cmd {
	t.Helper()
	sweep := filepath.Join(folder, "sweep.toml")
	testkit.Succeed(t, os.WriteFile(sweep, []byte(text), 0o666))
	return exec.Command(clitest.WithGPUs(t, gpus), "run", sweep, "--no-report", "--out", folder)
}

// measuredOn returns the GPUs of each matrix and the number of trials, 0 if there is no database yet.
func measuredOn(t *testing.T, folder string) (on map[string]string, trials int64) {
	t.Helper()
	db, err := store.OpenReadOnly(filepath.Join(folder, "results.db"))
	if err != nil {
		return nil, 0
	}
	defer db.Close()
	table, err := db.Query(t.Context(), `SELECT matrix, group_concat(DISTINCT uuid), count(*) FROM telemetry
		WHERE median_ms > 0 GROUP BY matrix`)
	if err != nil {
		return nil, 0
	}
	on = map[string]string{}
	for _, row := range table.Rows {
		on[row[0].(string)] = row[1].(string)
		trials += row[2].(int64)
	}
	return on, trials
}

// All GPUs of a machine share the matrices of a run, and each trial is recorded with its GPU.
func TestRunOnAllGPUs(t *testing.T) {
	folder := t.TempDir()
	run := runOn(t, "2", onAll, folder)
	plan := exec.Command(run.Path, "plan", run.Args[2])
	if out, err := plan.CombinedOutput(); err != nil ||
		!strings.HasPrefix(string(out), "sweep on 2 × NVIDIA H100 of tests") {
		t.Errorf("plan: %v\n%s", err, out)
	}
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "device: 2 × NVIDIA H100 of tests, 4 matrices") {
		t.Fatalf("%v\n%s", err, out)
	}
	on, trials := measuredOn(t, folder)
	used := map[string]bool{}
	for _, uuids := range on {
		used[uuids] = true
	}
	if trials != 240 || len(on) != 4 || len(used) != 2 || !used["GPU-0"] || !used["GPU-1"] {
		t.Errorf("%d trials on %v", trials, on)
	}
	out, err = runOn(t, "1", strings.Replace(onAll, `"all"`, "0", 1), folder).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "all 240 trials are measured already") {
		t.Errorf("on one GPU: %v\n%s", err, out)
	}
}

// A run on several GPUs that is killed goes on with another number of them.
func TestKilledOnAllGPUs(t *testing.T) {
	folder := t.TempDir()
	run := runOn(t, "2", onAll, folder)
	testkit.Succeed(t, run.Start())
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	var before int64
	for before < 3 {
		select {
		case err := <-ended:
			_, before = measuredOn(t, folder)
			t.Fatalf("the run ended with %d trials before it was killed: %v", before, err)
		case <-time.After(time.Millisecond):
		}
		_, before = measuredOn(t, folder)
	}
	run.Process.Kill()
	<-ended
	_, before = measuredOn(t, folder)
	if before == 240 {
		t.Skip("the machine was too slow: everything was measured before the kill")
	}
	out, err := runOn(t, "1", onAll, folder).CombinedOutput()
	if _, trials := measuredOn(t, folder); err != nil || trials != 240 {
		t.Errorf("%d trials, %d before the kill: %v\n%s", trials, before, err, out)
	}
}

// A GPU of another model, or one that is not there, is refused before anything is measured.
func TestRunOnWrongGPUs(t *testing.T) {
	for gpus, want := range map[string]string{
		"2 mixed": "GPU 0 is NVIDIA H100 of tests and GPU 1 is NVIDIA A30 of tests",
		"1":       "there is no GPU 1: CUDA sees 1",
	} {
		folder := t.TempDir()
		out, err := runOn(t, gpus, strings.Replace(onAll, `"all"`, "[0, 1]", 1), folder).CombinedOutput()
		if _, trials := measuredOn(t, folder); err == nil || trials > 0 ||
			!strings.Contains(strings.Join(strings.Fields(string(out)), " "), want) {
			t.Errorf("%s: %d trials, %v\n%s", gpus, trials, err, out)
		}
	}
}
