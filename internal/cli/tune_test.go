// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/testing/clitest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// took is a good trial with a time, an interval of 1% and a preparation, in µs.
func took(kernel string, block int, µs, prepare float64) store.Row {
	r := store.Row{Device: "NVIDIA H200", Matrix: "A", Time: µs * 1e-6}
	r.Kernel, r.Block, r.Precision, r.Cache, r.Prepare = kernel, block, kernels.Float32, trial.Warm, prepare*1e-6
	r.Another, r.Factor = trial.Interval{Low: 0.99 * r.Time, High: 1.01 * r.Time}, 1.01
	return r
}

// What is advised is the fastest, from the number of products on at which it has made up for its preparation; and what
// is best for fewer, down to one. For many products that is what best names; less than 1% counts as 1%.
func TestAdvice(t *testing.T) {
	csr, coo, hot := took("csr_narrow", 128, 29, 3000), took("cusparse_coo_alg1", 0, 26, 300), took("sell_hot", 768, 21, 65000)
	free := took("csr_vector", 64, 60, 0)
	once := took("csr_narrow", 128, 29, 0)
	once.Factor = 0
	scattered := took("cpu_csr", 0, 90, 0)
	rows, unsure := took("cpu_csr_rows", 64, 45, 0), took("csr_scalar", 64, 31, 0)
	scattered.Another.High, unsure.Another.High = 3*scattered.Time, 3*unsure.Time
	for name, tt := range map[string]struct {
		rows     []store.Row
		named    int
		products int
		want     string
	}{
		"many": {[]store.Row{csr, coo, hot, took("csr_scalar", 64, 61, 0), free}, 2, 0, "Use sell_hot block 768: 1.24 times as fast as cuSPARSE; preparing it " +
			"pays off from about 10 000 products on. For fewer products: cusparse_coo_alg1 from 9 on, below that csr_vector."},
		"few": {[]store.Row{csr, coo, hot, free}, 2, 100, "Use cusparse_coo_alg1 for 100 products; preparing it pays off from about 9 products " +
			"on. For fewer products: csr_vector."},
		"the library": {[]store.Row{csr, coo}, 1, 0, "Use cusparse_coo_alg1: nothing that was measured is clearly faster."},
		"no library":  {[]store.Row{csr}, 0, 0, "Use csr_narrow block 128."},
		"once":        {[]store.Row{once}, 0, 0, "Use csr_narrow block 128; ± is within this run, and another may find otherwise."},
		"not the fastest": {[]store.Row{hot, took("csr_lanes", 64, 21.1, 500), coo}, 1, 0, "Use csr_lanes block 64, as fast as " +
			"the first by all that was measured: 1.23 times as fast as cuSPARSE; preparing it pays off from about 40 products on. " +
			"For fewer products: cusparse_coo_alg1."},
		"hardly faster": {[]store.Row{hot, took("csr_lanes", 64, 21.5, 500)}, 0, 0, "Use sell_hot block 768."},
		"steps of nothing": {[]store.Row{hot, took("sell_hot", 512, 21.2, 60000), took("csr_lanes", 64, 40, 1000),
			took("csr_lanes", 32, 40.3, 900), took("csr_wide", 64, 41.9, 2), coo, free}, 0, 0, "Use sell_hot block 768: 1.24 times as fast " +
			"as cuSPARSE; preparing it pays off from about 10 000 products on. For fewer products: cusparse_coo_alg1 from 20 on, " +
			"below that csr_wide."},
		"a processor":   {[]store.Row{took("cpu_csr", 0, 90, 0), rows}, 1, 0, "Use cpu_csr_rows block 64: 2.00 times as fast as cpu_csr, on one core."},
		"within ±":      {[]store.Row{scattered, took("cpu_csr_rows", 64, 45, 900)}, 1, 0, "Use cpu_csr: nothing that was measured is clearly faster."},
		"few, within ±": {[]store.Row{scattered, rows}, 1, 5, "Use cpu_csr_rows block 64 for 5 products: within noise as fast as cpu_csr, on one core."},
		"pays within ±": {[]store.Row{hot, unsure}, 0, 0, "Use sell_hot block 768; preparing it pays off from about 6 000 products on. For fewer products: csr_scalar."},
	} {
		a := newTuned(&trial.Matrix{Name: "A"}, analysis.Panel{Rows: tt.rows}, &tt.rows[tt.named], tuning{}, tt.products)
		testkit.Equal(t, strings.ReplaceAll(strings.Join(a.advice(tt.products), " "), "\u202f", " "), tt.want, "%s: it says", name)
	}
}

// The answer has the fastest of each kernel, but not all kernels, and says what may still be faster.
func TestAnswer(t *testing.T) {
	rows := []store.Row{took("cusparse_csr_alg1", 0, 40, 100)}
	for i, name := range []string{"csr_narrow", "csr_lanes", "sell_hot", "sell_local", "csr_vector", "csr_scalar"} {
		rows = append(rows, took(name, 64, 20+float64(i), 100), took(name, 128, 50, 100))
	}
	likely := kernels.Config{Kernel: "sell_blocks", Precision: kernels.Float32, Block: 128}
	a := newTuned(&trial.Matrix{Name: "A"}, analysis.Panel{Rows: rows}, &rows[1], tuning{13, 1.23, &tuner.Searched{Worthy: 2, Chance: 0.07, Config: likely}}, 0)
	testkit.Check(t, len(a.Best) == mostKernels+1 && a.Best[0].Kernel == "csr_narrow" && a.Best[0].Block == 64 &&
		a.Best[mostKernels].Kernel == "cusparse_csr_alg1" && a.Measured == 13 && a.Faster == 2 && a.Decided, "it answers %+v", a)
	var out strings.Builder
	a.print(&out, 0)
	testkit.Says(t, "what it says", out.String(), "13 configurations measured in 1.23 s\n", "in products",
		"Not tried: 2 configurations that may be faster, most likely sell_blocks float32 block 128.\n")
}

// What run is given is a matrix if it is a file that is no sweep, a generator, or a name of the collection.
func TestIsMatrix(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"A.mtx": "", "edges": "# from to\n0 1\n", "my.toml": "",
		"sweep": "# of mine\n\n[[matrix]]\n", "my.toml.bak": "title = \"T\"\n", "plain": "%%MatrixMarket matrix\n"} {
		testkit.Succeed(t, os.WriteFile(name, []byte(text), 0o666))
	}
	testkit.Succeed(t, os.Mkdir("folder", 0o777))
	for text, want := range map[string]bool{"A.mtx": true, "edges": true, "my.toml": false, "folder": false,
		"sweep": false, "my.toml.bak": false, "plain": true, "no.toml": false,
		"quickstart": false, "rmat:scale=3": true, "grid_5pt": true, "HB/1138_bus": true,
		filepath.Join("sweeps", "no.toml"): false, "nonsense": false} {
		testkit.Equal(t, isMatrix(text), want, "%s: a matrix: %v", text, !want)
	}
}

// Only what succeeded counts as measured by a call; the time is that since the matrix was loaded, or the last trial ended.
func TestNote(t *testing.T) {
	c := tuneCommand{done: map[string]*tuning{}, last: time.Now().Add(-6 * time.Second)}
	for _, status := range []trial.Status{trial.OK, trial.Invalid, trial.Timeout} {
		r := trial.Result{Status: status, Seconds: 2}
		r.Matrix = "hash"
		c.note(tuner.Event{Result: &r})
		c.note(tuner.Event{Rerun: &r})
	}
	d := c.done["hash"]
	testkit.Check(t, d.measured == 1 && d.seconds >= 6 && time.Since(c.last) < 6*time.Second, "it notes %+v", d)
}

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
	testkit.Check(t, trials == 240 && len(on) == 4 && len(used) == 2 && used["GPU-0"] && used["GPU-1"],
		"%d trials on %v", trials, on)
	out = testkit.Must(runOn(t, "1", strings.Replace(onAll, `"all"`, "0", 1), folder).CombinedOutput())
	testkit.Check(t, strings.Contains(string(out), "all 240 trials are measured already"), "on one GPU: %v\n%s", err, out)
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
	_, trials := measuredOn(t, folder)
	testkit.Check(t, err == nil && trials == 240, "%d trials, %d before the kill: %v\n%s", trials, before, err, out)
}
