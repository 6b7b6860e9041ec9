// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/sparse/fetch"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// The test binary is its own worker, with a backend whose kernels misbehave by
// block size.
func TestMain(m *testing.M) {
	if os.Getenv("SPMVTUNE_TEST_WORKER") != "" {
		open := func(d configs.Device) (kernels.Backend, error) {
			if _, err := os.Stat(os.Getenv("SPMVTUNE_TEST_FALLEN")); d.Index == noDevice ||
				(d.Index == fallsOff || d.Index == fallsLoading) && err == nil {
				return nil, errors.New("there is no such device")
			}
			return &brokenBackend{index: d.Index}, nil
		}
		requests, replies := worker.Pipes()
		if err := worker.Serve(requests, replies, open); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv("SPMVTUNE_TEST_PARENT") != "" {
		pauseWorker()
	}
	os.Setenv(cache.Env, "off") // tests leave the user's cache alone
	os.Exit(m.Run())
}

// Indices of devices: noDevice can't be opened, otherModel has another name, and fallsOff dies with its second
// trial and can't be opened any more. fallsLoading fails with its first matrix and can't be opened any more.
// roofless is never done with its bandwidth.
const (
	fallsOff = iota + 7
	otherModel
	noDevice
	fallsLoading
	roofless
)

// Ways to misbehave, as the block size of cpu_csr_rows.
const (
	behave = iota + 1
	giveWrongSum
	leaveRowUnwritten
	panicInKernel
	panicInThread
	exitQuietly
	hang
	exhaustMemory
	refuse
	failOnDevice
	printAndCrash
	workOnce
	diesOutside
	writeBeside
	tooFast
	crawl
	leaveBehind
	stopWorking
)

var leftBehind bool // whether a product has left something in this process that ends it later

type brokenBackend struct {
	p        *kernels.Problem
	index    int
	prepared int // how often
}

func (b *brokenBackend) Device() kernels.Device {
	d := kernels.Device{Backend: cmp.Or(os.Getenv("SPMVTUNE_TEST_WORKER"), "cpu"), Name: "test processor",
		Driver: "test", Units: 2, MaxBlock: 1 << 20,
		Properties: map[string]string{"uuid": fmt.Sprint("GPU-", b.index+1)}}
	if b.index == otherModel {
		d.Name = "other processor"
	}
	return d
}

// Sense works on what passes for a GPU.
func (b *brokenBackend) Sense() (kernels.Reading, error) {
	if b.Device().Backend == "cpu" {
		return kernels.Reading{}, errNoSensors
	}
	return testReading, nil
}
func (b *brokenBackend) Energy() float64        { return 0 }
func (b *brokenBackend) Source(k string) string { return "source of " + k }
func (b *brokenBackend) Roof() (kernels.Roof, error) {
	if b.index == roofless {
		time.Sleep(time.Hour)
	}
	return kernels.Roof{Read: 10, Copy: 9, Triad: 8}, nil
}
func (b *brokenBackend) Load(p *kernels.Problem) error {
	if b.index == fallsLoading {
		os.WriteFile(os.Getenv("SPMVTUNE_TEST_FALLEN"), nil, 0o666)
		return errors.New("unspecified launch failure")
	}
	b.p = p
	return nil
}
func (b *brokenBackend) Close() error { return nil }
func (b *brokenBackend) Prepare(c kernels.Config, _ kernels.Options) (kernels.Product, error) {
	if b.prepared++; b.index == fallsOff && b.prepared == 2 {
		os.WriteFile(os.Getenv("SPMVTUNE_TEST_FALLEN"), nil, 0o666)
		os.Exit(7)
	}
	if c.Block == refuse {
		return nil, &kernels.InvalidError{Reason: "this device can't"}
	}
	return &brokenProduct{p: b.p, block: c.Block, y: make([]float64, b.p.A.Rows)}, nil
}

type brokenProduct struct {
	p     *kernels.Problem
	block int
	runs  int
	y     []float64
}

func (p *brokenProduct) Info() kernels.ProductInfo {
	if p.block == tooFast { // 20 MB in a millisecond, where the roof is 10 GB/s
		return kernels.ProductInfo{BytesFormat: 20e6, BytesKernel: 20e6}
	}
	return kernels.ProductInfo{BytesFormat: 100, BytesKernel: 200,
		Properties: map[string]float64{"process": float64(os.Getpid())}}
}

func (p *brokenProduct) Sample(dst []float64, batch int, cold bool) error {
	for i := range dst {
		dst[i] = 1e-3 + float64(i%3)*1e-6
		switch {
		case p.block == crawl:
			dst[i] *= 10 + float64(i%2)
		case p.block >= valley:
			dst[i] *= 1 + 0.05*math.Abs(float64(p.block-valley-17))
		}
	}
	return p.Multiply(nil)
}

func (p *brokenProduct) Poison() error {
	for i := range p.y {
		p.y[i] = math.NaN()
	}
	return nil
}

func (p *brokenProduct) Result(y []float64) error {
	copy(y, p.y)
	if p.block == writeBeside {
		return &kernels.OverrunError{Array: "y"}
	}
	return nil
}

func (p *brokenProduct) Rows(rows []int, y []float64) error {
	for k, i := range rows {
		y[k] = p.y[i]
	}
	return nil
}

func (p *brokenProduct) Multiply(x []float64) error {
	if p.block == stopWorking && p.runs > 2 { // in the midst of the samples
		return nil
	}
	y := p.y
	if x == nil {
		x = p.p.X
	}
	for i := range y {
		cols, vals := p.p.A.Row(i)
		y[i] = 0
		for k, c := range cols {
			y[i] += vals[k] * x[c]
		}
	}
	p.runs++
	if leftBehind && p.block != leaveBehind {
		os.Exit(9)
	}
	switch p.block {
	case leaveBehind:
		leftBehind = true
	case workOnce: // as with a counter of work that is never set back
		if p.runs > 1 {
			clear(y)
		}
	case giveWrongSum:
		y[3] *= 1.001
	case leaveRowUnwritten:
		y[5] = math.NaN()
	case panicInKernel:
		panic("index out of range [7] with length 3")
	case panicInThread:
		go func() { panic("thread went astray") }()
		time.Sleep(time.Minute)
	case exitQuietly:
		os.Exit(7)
	case hang:
		select {}
	case exhaustMemory:
		if testkit.RaceDetector { // it can't live within a limit: say what the runtime says without it
			fmt.Fprintln(os.Stderr, "fatal error: runtime: cannot allocate memory: out of memory")
			os.Exit(2)
		}
		// As under a limit on the job's memory: the allocation itself fails.
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 1 << 30, Max: 1 << 30}); err != nil {
			return err
		}
		y[0] = float64(make([]byte, 1<<36)[len(y)])
	case failOnDevice:
		return errors.New("an illegal memory access was encountered")
	case diesOutside: // once the test has taken away the file
		file := os.Getenv("SPMVTUNE_TEST_ALIVE")
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			return err
		}
		for _, err := os.Stat(file); err == nil; _, err = os.Stat(file) {
			time.Sleep(time.Millisecond)
		}
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case printAndCrash:
		fmt.Println("library: device lost")
		os.Exit(134)
	}
	return nil
}

// A worker that is killed, and not by the system for its memory, is a fault. One that is
// killed after the run was asked to stop says nothing about its trial: who ends a
// job of a cluster kills all of its processes.
func TestWorkerKilledFromOutside(t *testing.T) {
	for name, asked := range map[string]bool{"alone": false, "with all of its job": true} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "alive")
			t.Setenv("SPMVTUNE_TEST_ALIVE", file)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				for ctx.Err() == nil {
					if _, err := os.Stat(file); err == nil {
						if asked {
							cancel()
						}
						os.Remove(file)
						return
					}
					time.Sleep(time.Millisecond)
				}
			}()
			rec := &memory{}
			sum := testkit.Must(Run(ctx, testSweep(diesOutside), rec, Options{Launch: testLauncher}))
			testkit.Check(t, sum.Interrupted == asked, "interrupted %v", sum.Interrupted)
			switch {
			case asked && len(rec.results) > 0:
				t.Errorf("the trial is recorded as %s: %s", rec.results[0].Status, rec.results[0].Message)
			case !asked && (len(rec.results) != 1 || rec.results[0].Status != trial.Fault):
				t.Errorf("results %+v", rec.results)
			}
		})
	}
}

// missingSweep is a sweep of two matrices that are to be downloaded, the second of which has a twin,
// and of one that is made.
func missingSweep(t *testing.T, answer http.HandlerFunc) *configs.Sweep {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	t.Setenv(cache.Env, t.TempDir())
	t.Setenv(fetch.EnvServers, server.URL)

	sweep := testSweep(behave)
	twin := sweep.Matrices[0]
	twin.Name, twin.SuiteSparse, twin.Args = "twin", "G/twin", map[string]any{"nx": int64(3), "ny": int64(4)}
	sweep.Matrices = []configs.Matrix{{Name: "alone", SuiteSparse: "G/alone", Expand: true}, twin, sweep.Matrices[0]}
	return sweep
}

// Where matrices can't be downloaded, a run reports by its name the one that has no twin, notes why it
// measures the twin of the other, and goes on.
func TestDownloadsThatFail(t *testing.T) {
	sweep := missingSweep(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	rec := &memory{}
	sum := runTest(t, sweep, rec, Options{})
	testkit.Check(t, len(sum.Failures) == 1 && sum.Failures[0].Matrix == "alone" &&
		errors.Is(sum.Failures[0].Err, fetch.ErrUnavailable), "failures %v, want one of alone", sum.Failures)
	notes := map[string]string{}
	for _, m := range rec.matrices {
		notes[m.Name] = m.Note
	}
	note, ok := notes["grid"]
	testkit.Check(t, len(notes) == 2 && ok && note == "" && strings.Contains(notes["twin (twin)"], "403"),
		"notes of the matrices %q", notes)
	testkit.Equal(t, sum.Measured[trial.OK], 2, "measured %v", sum.Measured)
}

// A download ends with the run.
func TestInterruptedDownload(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sweep := missingSweep(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	sum := testkit.Must(Run(ctx, sweep, &memory{}, Options{Launch: testLauncher}))
	testkit.Check(t, sum.Interrupted && len(sum.Failures) == 0 && sum.Trials == 0, "summary %+v", sum)
}

// A preview downloads nothing. It foresees the work on a missing matrix by its twin.
func TestPreviewOfMissingMatrices(t *testing.T) {
	sweep := missingSweep(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it asked for %s", r.URL) })
	dev, plans, failed, err := Preview(t.Context(), sweep, nil, Options{Launch: testLauncher})
	testkit.Require(t, err == nil && len(plans) == 3 && len(failed) == 0 && dev.Backend == "cpu",
		"%d plans, failures %v, device %+v, error %v", len(plans), failed, dev, err)
	alone, twin := plans[0], plans[1]
	testkit.Check(t, alone.Matrix.Name == "alone" && alone.Missing == "G/alone" &&
		alone.Matrix.Size() == (trial.Size{}) && alone.Trials == 0, "of the one without a twin: %+v", alone)
	testkit.Check(t, twin.Missing == "G/twin" && twin.Matrix.Features.Rows == 12 && twin.Matrix.Features.Cols == 12 &&
		twin.Trials == 1 && twin.Time > 0, "of the one with a twin: %+v", twin)
	here := plans[2]
	testkit.Check(t, here.Missing == "" && here.Trials == 1 && here.Time > 0, "of the one that is here: %+v", here)
}

// A trial that was cut short because it is slow counts for the leader reruns of its case, and is no sentinel, also
// where an earlier run measured it: a library's needs leader reruns for the ratios over it.
func TestSlowTrialsWhenResumed(t *testing.T) {
	trials := trialsOf(trial.Warm, "a b c")
	results := make([]trial.Result, len(trials))
	for i, one := range trials {
		results[i] = trial.Result{Trial: one, Status: trial.OK, Median: float64(10 - i), At: time.Unix(int64(i), 0)}
	}
	results[0].Stop = trial.StopSlow
	sweep := testSweep()
	sweep.Protocol.Finals, sweep.Protocol.Sentinel = 5, 1

	inRun := queueOf(1, &list{trials}, newLeaderReruns(5, 1, "", nil))
	for _, r := range results {
		for j := inRun.next(); j.sentinel; j = inRun.next() {
			inRun.told(trial.Result{Trial: j.Trial, Status: trial.OK, Sentinel: true})
		}
		inRun.told(r)
	}
	r := newRun(sweep, &memory{results: results}, Options{})
	r.whole = trials
	w := testkit.Must(r.workOn(t.Context(), Plan{Trials: trials}))

	for what, q := range map[string]*queue{"in a run": inRun, "resumed": w.queue} {
		var entered []string
		for _, place := range slices.Collect(maps.Values(q.sources[1].(*leaderReruns).ranking)) {
			for _, c := range place.trials {
				entered = append(entered, c.ID)
			}
		}
		if slices.Sort(entered); !slices.Equal(entered, []string{"a", "b", "c"}) {
			t.Errorf("%s, %v count for the finals", what, entered)
		}
		s := q.sentinels[trial.Warm]
		testkit.Check(t, s != nil && s.ID != "a", "%s, the sentinel is %+v", what, s)
	}
}
