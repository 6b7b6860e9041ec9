// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// memory is a Recorder that keeps everything in memory.
type memory struct {
	run      RunInfo
	begun    int // how often
	matrices map[string]trial.Matrix
	results  []trial.Result

	sentinels []trial.Result
	finals    []trial.Result
	spreads   []trial.Result
}

func (m *memory) Begin(_ context.Context, r RunInfo) error {
	m.run = r
	m.begun++
	return nil
}

func (m *memory) Matrix(_ context.Context, x trial.Matrix) error {
	if m.matrices == nil {
		m.matrices = map[string]trial.Matrix{}
	}
	m.matrices[x.Hash] = x
	return nil
}

func (m *memory) Ask(context.Context, []string) error { return nil }

func (m *memory) Recorded(_ context.Context, ids []string, _ trial.Detail) (map[string]trial.Record, error) {
	recorded := map[string]trial.Record{}
	for _, r := range m.results {
		if !slices.Contains(ids, r.ID) {
			continue
		}
		record := trial.Record{Result: r}
		for _, f := range slices.Concat(m.finals, m.spreads) {
			if f.ID == r.ID {
				record.Reruns = append(record.Reruns, f)
			}
		}
		recorded[r.ID] = record
	}
	return recorded, nil
}

func (m *memory) Record(_ context.Context, r trial.Result) error {
	if r.LeaderRerun {
		m.finals = append(m.finals, r)
		return nil
	}
	if r.NoiseRerun {
		m.spreads = append(m.spreads, r)
		return nil
	}
	if r.Sentinel {
		m.sentinels = append(m.sentinels, r)
		return nil
	}
	for i := range m.results {
		if m.results[i].ID == r.ID {
			m.results[i] = r
			return nil
		}
	}
	m.results = append(m.results, r)
	return nil
}

// by returns the result of a block size.
func (m *memory) by(t *testing.T, block int) trial.Result {
	t.Helper()
	for _, r := range m.results {
		if r.Block == block {
			return r
		}
	}
	t.Fatalf("no result for block %d", block)
	return trial.Result{}
}

// launcher starts workers whose device is of a backend.
func launcher(backend string) worker.Launcher {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "SPMVTUNE_TEST_WORKER="+backend)
		return cmd
	}
}

func testLauncher() *exec.Cmd { return launcher("cpu")() }

// onGPU is the sweep for the kernel of a GPU, whose trials are started ahead.
func onGPU(s *configs.Sweep) *configs.Sweep {
	s.Kernels[0].Kernels = []string{"csr_scalar"}
	return s
}

// testSweep tries the given block sizes of cpu_csr_rows on a small grid.
func testSweep(blocks ...int) *configs.Sweep {
	return &configs.Sweep{
		Name: "test",
		Protocol: configs.Protocol{
			Cache: "warm", Warmup: 1, Samples: [2]int{6, 12}, Target: 0.01,
			Budget: 50 * time.Millisecond, Timeout: 10 * time.Second, Seed: 1,
		},
		Search: configs.Search{Strategy: "grid"},
		Matrices: []configs.Matrix{{Name: "grid", Class: "grid", Generate: "grid_5pt",
			Args: map[string]any{"nx": int64(7), "ny": int64(5)}, Expand: true}},
		Kernels: []configs.Space{{
			Kernels: []string{"cpu_csr_rows"}, Precisions: []kernels.Precision{kernels.Float64},
			Block: blocks, Grid: configs.Grid{Values: []int{1}},
		}},
	}
}

func runTest(t *testing.T, sweep *configs.Sweep, rec Recorder, opt Options) Summary {
	t.Helper()
	opt.Launch = testLauncher
	if sweep.Kernels[0].Kernels[0] == "csr_scalar" {
		opt.Launch = launcher("cuda")
	}
	return testkit.Must(Run(t.Context(), sweep, rec, opt))
}

// Every way in which a kernel can misbehave ends as a result with a message,
// and the well-behaved configuration is measured whatever comes before it.
func TestFaultsAreResults(t *testing.T) {
	sweep := testSweep(behave, giveWrongSum, leaveRowUnwritten, panicInKernel, panicInThread,
		exitQuietly, hang, exhaustMemory, refuse, failOnDevice, printAndCrash, workOnce, writeBeside,
		stopWorking)
	t.Run("cpu", func(t *testing.T) { testFaults(t, sweep) })
	t.Run("cuda", func(t *testing.T) { testFaults(t, onGPU(sweep)) })
}

func testFaults(t *testing.T, sweep *configs.Sweep) {
	sweep.Protocol.Timeout = time.Second
	rec := &memory{}
	sum := runTest(t, sweep, rec, Options{})
	for _, tt := range []struct {
		block   int
		status  trial.Status
		message string
	}{
		{behave, trial.OK, ""},
		{giveWrongSum, trial.Wrong, "row 3"},
		{leaveRowUnwritten, trial.Wrong, "row 5 (from 0) is NaN"},
		{panicInKernel, trial.Fault, "index out of range [7]"},
		{panicInThread, trial.Fault, "thread went astray"},
		{exitQuietly, trial.Fault, "exit status 7"},
		{hang, trial.Timeout, "no answer within 1s"},
		{exhaustMemory, trial.OOM, "memory"},
		{refuse, trial.Invalid, "this device can't"},
		{failOnDevice, trial.Fault, "illegal memory access"},
		{printAndCrash, trial.Fault, "library: device lost"},
		{workOnce, trial.Wrong, "after the samples: row"},
		{stopWorking, trial.Wrong, "after the samples: row 0 (from 0) is NaN"},
		{writeBeside, trial.Wrong, "writes outside its array y"},
	} {
		r := rec.by(t, tt.block)
		testkit.Check(t, r.Status == tt.status && strings.Contains(r.Message, tt.message),
			"block %d: %s %q, want %s with %q", tt.block, r.Status, r.Message, tt.status, tt.message)
		testkit.Check(t, r.Status == trial.OK || len(r.Samples) == 0, "block %d: %s has samples", tt.block, r.Status)
		testkit.Check(t, !r.At.IsZero(), "block %d: no time", tt.block)
		testkit.Check(t, r.Seconds > 0 && (tt.block != hang || r.Seconds >= 1), "block %d: took %g s", tt.block, r.Seconds) // a search's budget counts what has failed, too
	}
	good := rec.by(t, behave)
	testkit.Check(t, good.Median >= 1e-3 && good.WithinLow <= good.Median && good.WithinHigh >= good.Median &&
		good.BytesMin == 100+8*(35+35), "good trial: %+v", good)
	testkit.Check(t, sum.Measured[trial.OK] == 1 && sum.Measured[trial.Fault] == 5 && len(sum.Failed) == 12 &&
		sum.Invalid["this device can't"] == 1,
		"summary: %v, %d failed, invalid: %v", sum.Measured, len(sum.Failed), sum.Invalid)
	testkit.Check(t, rec.run.Roof.Highest() == 10 && len(rec.matrices) == 1, "run %+v, matrices %v", rec.run, rec.matrices)
}

// A second run measures nothing; with Retry it measures what failed.
func TestRunAgain(t *testing.T) {
	sweep := testSweep(behave, behave+100, exitQuietly, refuse)
	rec := &memory{}
	runTest(t, sweep, rec, Options{})
	sum := runTest(t, sweep, rec, Options{})
	testkit.Check(t, sum.Finished == 4 && len(sum.Measured) == 0 && sum.FailedBefore == 1 && sum.OKBefore == 2,
		"second run: %d finished, %d of them failed, measured %v", sum.Finished, sum.FailedBefore, sum.Measured)
	sum = runTest(t, sweep, rec, Options{Retry: true})
	testkit.Check(t, sum.Finished == 3 && sum.Measured[trial.Fault] == 1 && sum.FailedBefore == 0,
		"with retry: %d finished, %d of them failed, measured %v", sum.Finished, sum.FailedBefore, sum.Measured)
	// A matrix that is called otherwise now is recorded with that name.
	sweep.Matrices[0].Name = "renamed"
	runTest(t, sweep, rec, Options{})
	for _, m := range rec.matrices {
		testkit.Equal(t, m.Name, "renamed", "the matrix is still called")
	}
}

// Two matrices of the same content have the same trials: the second is left out,
// and the summary says so.
func TestSameContentTwice(t *testing.T) {
	sweep := testSweep(101, 102)
	same := sweep.Matrices[0]
	same.Name = "same"
	sweep.Matrices = append(sweep.Matrices, same)
	rec := &memory{}
	for range 2 {
		sum := runTest(t, sweep, rec, Options{})
		testkit.Check(t, len(sum.Duplicates) == 1 && sum.Duplicates[0] == (Duplicate{"same", "grid"}) && sum.Trials == 2 &&
			len(rec.results) == 2, "duplicates %v, %d trials, %d results", sum.Duplicates, sum.Trials, len(rec.results))
		for _, m := range rec.matrices {
			testkit.Equal(t, m.Name, "grid", "the matrix is called")
		}
	}
}

// A run that is told to stop ends after the running trial, which is recorded;
// the next run does the rest, and nothing twice.
func TestInterruptAndGoOn(t *testing.T) {
	sweep := testSweep(101, 102, 103, 104, 105, 106)
	rec := &memory{}
	ctx, cancel := context.WithCancel(t.Context())
	sum := testkit.Must(Run(ctx, sweep, rec, Options{Launch: testLauncher, Observe: func(e Event) {
		if e.Result != nil && len(rec.results) == 2 {
			cancel()
		}
	}}))
	testkit.Require(t, sum.Interrupted && len(rec.results) == 2,
		"interrupted %v, %d results", sum.Interrupted, len(rec.results))
	if sum := runTest(t, sweep, rec, Options{}); sum.Finished != 2 || sum.Measured[trial.OK] != 4 ||
		len(rec.results) != 6 {
		t.Errorf("second run: %d finished, measured %v, %d results", sum.Finished, sum.Measured, len(rec.results))
	}
}

// A matrix that is not accepted is reported by its name; the others are measured, and no worker
// is left behind.
func TestRefusedMatrixDoesNotStopTheSweep(t *testing.T) {
	sweep := testSweep(behave)
	refused := sweep.Matrices[0]
	refused.Name = "refused"
	sweep.Matrices = append([]configs.Matrix{refused}, sweep.Matrices...)
	var workers []*exec.Cmd
	launch := func() *exec.Cmd {
		workers = append(workers, testLauncher())
		return workers[len(workers)-1]
	}
	rec, other := &memory{}, errors.New("other content")
	sum := testkit.Must(Run(t.Context(), sweep, rec, Options{Launch: launch, Accept: func(m trial.Matrix) error {
		if m.Name == "refused" {
			return other
		}
		return nil
	}}))
	testkit.Check(t, len(sum.Failures) == 1 && sum.Failures[0].Matrix == "refused" &&
		errors.Is(sum.Failures[0].Err, other), "failures %v, want one of the refused matrix", sum.Failures)
	testkit.Equal(t, len(rec.results), 1, "results")
	for _, w := range workers {
		testkit.Check(t, w.ProcessState != nil, "a worker goes on after the run")
	}
}

// A run without a device ends at once, with its worker.
func TestDeviceThatDoesNotOpen(t *testing.T) {
	sweep := testSweep(behave)
	sweep.Device.Index = noDevice
	var started *exec.Cmd
	_, err := Run(t.Context(), sweep, &memory{}, Options{Launch: func() *exec.Cmd {
		started = testLauncher()
		return started
	}})
	testkit.Fails(t, err, "opening the device: there is no such device")
	testkit.Check(t, started.ProcessState != nil, "the worker goes on after the run")
	if _, _, _, err := Preview(t.Context(), sweep, nil, Options{Launch: testLauncher}); err == nil ||
		!strings.Contains(err.Error(), "there is no such device") {
		t.Errorf("error of a preview: %v", err)
	}
}

// A matrix that is gone when a new worker needs it is reported; what is measured
// stays, and the other matrices are measured.
func TestMatrixThatChangesDoesNotStopTheSweep(t *testing.T) {
	const text = "%%MatrixMarket matrix coordinate real general\n6 6 1\n1 1 "
	for name, change := range map[string]func(path string) error{
		"gone":  os.Remove,
		"other": func(path string) error { return os.WriteFile(path, []byte(text+"3\n"), 0o666) },
	} {
		path := filepath.Join(t.TempDir(), "a.mtx")
		testkit.Succeed(t, os.WriteFile(path, []byte(text+"2\n"), 0o666))
		sweep := testSweep(exitQuietly)
		sweep.Matrices = append([]configs.Matrix{{Name: "a", Path: path, Expand: true}}, sweep.Matrices...)
		sweep.Kernels[0].Grid.Values = []int{1, 2}
		rec := &memory{}
		changed := false
		sum := runTest(t, sweep, rec, Options{Observe: func(e Event) {
			if e.Result != nil && !changed {
				changed = true
				testkit.Succeed(t, change(path))
			}
		}})
		testkit.Check(t, len(sum.Failures) == 1 && sum.Failures[0].Matrix == "a" && !sum.Failures[0].Measured &&
			len(rec.results) == 3,
			"%s: failures %v, %d results, want one of matrix a, and 3", name, sum.Failures, len(rec.results))
	}
}

// A parent that was stopped beyond a trial's deadline takes the answer that came
// in the meantime.
func TestReplyBehindTheDeadline(t *testing.T) {
	c := testkit.Must(worker.Start(testLauncher))
	defer c.Close()
	testkit.Must(c.Do(t.Context(), worker.Request{Open: &worker.OpenRequest{}}, 0))
	testkit.Must(c.Do(t.Context(), worker.Request{Roof: true}, time.Nanosecond))
}

// The first good trial is measured again, at the same place of the order whether
// trials are started ahead or not, and its own result stays what it was.
func TestSentinels(t *testing.T) {
	for _, sweep := range []*configs.Sweep{testSweep(101, 102, 103, 104, 105), onGPU(testSweep(101, 102, 103, 104, 105))} {
		sweep.Protocol.Sentinel = 2
		rec := &memory{}
		sum := runTest(t, sweep, rec, Options{})
		testkit.Check(t, sum.Measured[trial.OK] == 5 && len(rec.results) == 5,
			"measured %v, recorded %d, want 5", sum.Measured, len(rec.results))
		testkit.Require(t, len(rec.sentinels) == 1, "%d sentinels, want 1", len(rec.sentinels))
		s, first, before := rec.sentinels[0], rec.results[0], rec.results[2]
		testkit.Check(t, s.ID == first.ID && s.Status == trial.OK && len(s.Samples) != 0 && !s.At.Before(before.At),
			"the sentinel is %+v, want %+v measured after %v", s, first.Trial, before.At)
	}
}

// A watcher is a recorder that counts results that are recorded while the next trial runs.
type watcher struct {
	memory
	run   *run
	ahead int
}

func (w *watcher) Record(ctx context.Context, r trial.Result) error {
	w.ahead += count(w.run.ahead != nil)
	return w.memory.Record(ctx, r)
}

// A GPU goes on with the next trial while a result is recorded. On a processor recording would
// disturb it.
func TestGPUDoesNotWaitForTheRecord(t *testing.T) {
	sweep := testSweep(101, 102, 103, 104)
	for backend, want := range map[string]int{"cuda": 3, "cpu": 0} {
		sweep.Kernels[0].Kernels[0] = map[string]string{"cuda": "csr_scalar", "cpu": "cpu_csr_rows"}[backend]
		w := &watcher{}
		w.run = newRun(sweep, w, Options{Launch: launcher(backend), Observe: func(Event) {}})
		testkit.Succeed(t, w.run.devices.measure(t.Context(), []*run{w.run}))
		w.run.close()
		testkit.Check(t, w.ahead == want && len(w.results) == 4,
			"%s: %d of %d results were recorded while the next trial ran", backend, w.ahead, len(w.results))
	}
}

// What was done on several devices adds up; a matrix that failed on each failed once.
func TestSummariesAddUp(t *testing.T) {
	gone, twice := Failure{Matrix: "gone", Err: errors.New("no such file")}, Duplicate{"same", "grid"}
	failed := trial.Result{Status: trial.Fault}
	one := Summary{Trials: 5, Finished: 3, OKBefore: 2, FailedBefore: 1, Measured: map[trial.Status]int{trial.OK: 2},
		Invalid: map[string]int{"block": 1}, Skipped: map[string]int{"empty": 4}, Failed: []trial.Result{failed},
		Failures: []Failure{gone}, Duplicates: []Duplicate{twice}, Breakdown: worker.TimeBreakdown{Trials: 2, Wall: time.Second},
		LeaderReruns: 8, NoiseReruns: 2}
	two := one
	two.Measured, two.Crowded = map[trial.Status]int{trial.OK: 1, trial.Fault: 1}, &Crowded{Launching: true}
	two.Failures = []Failure{{Matrix: "bad", Err: errors.New("no matrix")}, gone}
	two.Interrupted, two.OutOfTime = true, true
	want := Summary{Trials: 10, Finished: 6, OKBefore: 4, FailedBefore: 2,
		Measured: map[trial.Status]int{trial.OK: 3, trial.Fault: 1}, Invalid: map[string]int{"block": 2},
		Skipped: map[string]int{"empty": 8}, Failed: []trial.Result{failed, failed}, Duplicates: []Duplicate{twice},
		Breakdown: worker.TimeBreakdown{Trials: 4, Wall: 2 * time.Second}, Crowded: two.Crowded,
		LeaderReruns: 16, NoiseReruns: 4, Interrupted: true, OutOfTime: true}
	for _, order := range [][2]Summary{{one, two}, {two, one}} {
		var sum Summary
		sum.Add(order[0])
		sum.Add(order[1])
		testkit.Equal(t, len(sum.Failures), 2, "failures")
		sum.Failures = nil
		testkit.Check(t, reflect.DeepEqual(sum, want), "sum %+v\nwant %+v", sum, want)
	}
}

// A trial that fails in a worker where a kernel of the sweep's own has run is done again in another: that kernel
// may have left behind what ended it.
func TestOwnKernelsCostNoOther(t *testing.T) {
	for _, gpu := range []bool{false, true} {
		sweep := testSweep(101, 102, 103, 104, 105, 106)
		mine := kernels.Kernel{Name: "mine", Backend: "cpu", Format: kernels.CSR, Block: "any", Custom: true,
			Blocks: kernels.Range{Min: 1, Max: 1 << 30, Step: 1}}
		if gpu {
			sweep, mine.Backend = onGPU(sweep), "cuda"
		}
		space := sweep.Kernels[0]
		space.Kernels, space.Custom, space.Block = []string{"mine"}, &kernels.Custom{Kernel: mine, File: "mine.c"}, []int{leaveBehind}
		sweep.Kernels = append([]configs.Space{sweep.Kernels[0]}, space)
		rec := &memory{}
		testkit.Equal(t, runTest(t, sweep, rec, Options{}).Measured[trial.OK], 7, "GPU: %t", gpu)
	}
}
