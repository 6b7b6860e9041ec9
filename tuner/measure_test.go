// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// A busy processor is told of once, with the figures of all trials of the matrix, where it is
// in the times. Of a GPU that replays graphs the worker tells nothing.
func TestCrowdedIsSaidOnce(t *testing.T) {
	free := trial.HostUse{Cores: 8, Others: 0.1, Own: 4}
	busy := trial.HostUse{Cores: 8, Others: 4, Own: 4}
	for _, tt := range []struct {
		name    string
		backend string
		launch  kernels.Launch
		trials  []trial.HostUse
		want    float64 // share that others take when it is told; 0: it is not
	}{
		{"a free processor", "cpu", kernels.Graph, []trial.HostUse{free, free}, 0},
		{"a busy one", "cpu", kernels.Graph, []trial.HostUse{free, busy, busy}, 4.1 / 16},
		{"too short to tell", "cpu", kernels.Graph, []trial.HostUse{{Cores: 0.5, Others: 0.4}}, 0},
		{"in short trials", "cpu", kernels.Graph, []trial.HostUse{{Cores: 1.5, Others: 0.3}, {Cores: 1.5, Others: 0.3}}, 0.2},
		{"with launches", "cuda", kernels.Stream, []trial.HostUse{busy, busy}, 0.5},
	} {
		sweep := testSweep(1)
		sweep.Protocol.Launch = tt.launch
		var said []Crowded
		r := newRun(sweep, &memory{}, Options{Observe: func(e Event) { said = append(said, *e.Crowded) }})
		r.planner.device.Backend = tt.backend
		for _, host := range tt.trials {
			r.watch(host)
		}
		switch {
		case tt.want == 0 && len(said) > 0:
			t.Errorf("%s: told of %+v", tt.name, said)
		case tt.want > 0 && (len(said) != 1 || math.Abs(said[0].OthersShare()-tt.want) > 1e-9 ||
			said[0].Launching != (tt.backend == "cuda") || r.sum.Crowded == nil):
			t.Errorf("%s: told of %+v, want a share of %g", tt.name, said, tt.want)
		}
	}
}

// What others did is recorded with each trial.
func TestWorkerReadsTheHost(t *testing.T) {
	var rec memory
	runTest(t, testSweep(101, 102), &rec, Options{})
	for _, r := range rec.results {
		testkit.Check(t, r.Host.Own > 0, "%s: the worker used %g s of the processor", r.Config, r.Host.Own)
	}
}

// What a trial takes is said of each, and where it went of all.
func TestEffort(t *testing.T) {
	rec := &memory{}
	sum := runTest(t, testSweep(101, 102, leaveRowUnwritten), rec, Options{})
	e := sum.Breakdown
	for name, part := range map[string]time.Duration{"verifying": e.Verify, "preparing": e.Prepare, "busy": e.Busy,
		"waiting": e.Wait, "loading": e.Load, "starting": e.Start, "the worker's own": e.Own} {
		testkit.Check(t, part > 0 && part < e.Wall, "%s took %v of %v", name, part, e.Wall)
	}
	testkit.Equal(t, e.Trials, 3, "the effort is %+v", e)
	for _, r := range rec.results {
		testkit.Check(t, (r.Seconds > 0 && r.Seconds < e.Wall.Seconds()),
			"%v, %s: %g s of %v", r.Config, r.Status, r.Seconds, e.Wall)
	}
}

// The parts of a run's time add up to what a clock outside says, also where a matrix's repeats and a crash take new
// processes. What a crashed trial took is not known.
func TestEffortAddsUp(t *testing.T) {
	best := math.Inf(1)
	for i := 0; i < 20 && best > 0.02; i++ { // the system may do something else in between, which nobody counts
		sweep := testSweep(101, 102, 103, 104, 105, 106)
		sweep.Matrices[0].Args = map[string]any{"nx": int64(300), "ny": int64(300)}
		sweep.Protocol.Finals, sweep.Protocol.Repeats = 1, 1
		start := time.Now()
		e := runTest(t, sweep, &memory{}, Options{}).Breakdown
		wall := time.Since(start)
		best = min(best, max(math.Abs(e.Rest().Seconds()), (wall-e.Wall).Seconds())/wall.Seconds())
	}
	testkit.Check(t, best <= 0.02, "%.3g of the time is not accounted for", best)
}

// The worker is asked to compare all rows itself until a trial of a kernel and precision has ended well, and again until a
// repeat run has.
func TestFirstIsCompared(t *testing.T) {
	r := newRun(testSweep(101), &memory{}, Options{})
	first := job{Trial: trial.Trial{Config: kernels.Config{Kernel: "csr_scalar", Precision: kernels.Float32, Block: 32}}}
	again, double, repeat := first, first, first
	again.Block, double.Precision, repeat.noise = 64, kernels.Float64, true
	for _, j := range []job{first, again, double, repeat} {
		testkit.Equal(t, r.request(j).Trial.Full, true, "%s before any has ended", j.Config)
	}
	r.compared[first.compared()] = true
	for _, test := range []struct {
		job
		full bool
	}{{first, false}, {again, false}, {double, true}, {repeat, true}} {
		testkit.Equal(t, r.request(test.job).Trial.Full, test.full, "%s, a repeat %t", test.Config, test.fresh())
	}
}

// BenchmarkTrial reports what asking a worker process for a trial, and keeping its
// result, takes beside what a backend does.
func BenchmarkTrial(b *testing.B) {
	const trials = 1000
	blocks := make([]int, trials)
	for i := range blocks {
		blocks[i] = 100 + i
	}
	var e worker.TimeBreakdown
	for b.Loop() {
		sum := testkit.Must(Run(b.Context(), quick(testSweep(blocks...)), &memory{}, Options{Launch: testLauncher}))
		e.Add(sum.Breakdown)
	}
	b.ReportMetric(float64((e.Own+e.Wait).Nanoseconds())/float64(e.Trials), "ns/trial")
}

func quick(s *configs.Sweep) *configs.Sweep {
	s.Protocol.Samples, s.Protocol.Sentinel = [2]int{6, 6}, 0
	return s
}

// A cold trial that is faster than memory says so in its row.
func TestColdAboveTheRoofIsWarnedOf(t *testing.T) {
	for _, tt := range []struct {
		cache   trial.Cache
		bytes   int64
		roof    float64
		warning bool
	}{
		{trial.Cold, 11e9, 10, true},
		{trial.Cold, 9e9, 10, false},
		{trial.Warm, 11e9, 10, false}, // from the caches, as it should
		{trial.Cold, 11e9, 0, false},  // the roof is not known
	} {
		res := trial.Result{Trial: trial.Trial{Cache: tt.cache}, Median: 1, BytesMin: tt.bytes}
		testkit.Equal(t, strings.Contains(aboveRoof(res, tt.roof), "above the roof"), tt.warning, "%+v", tt)
	}

	// In a run it is the roof that the run has measured.
	rec := &memory{}
	sweep := testSweep(behave, tooFast)
	sweep.Protocol.Cache = "cold"
	runTest(t, sweep, rec, Options{})
	for block, want := range map[int]bool{behave: false, tooFast: true} {
		warnings := strings.Join(rec.by(t, block).Warnings, ";")
		testkit.Equal(t, strings.Contains(warnings, "above the roof"), want, "block %d: warnings %q", block, warnings)
	}
}

// A processor that is not done with its bandwidth in time measures without it.
func TestRunWithoutRoof(t *testing.T) {
	defer func(before time.Duration) { roofTimeout = before }(roofTimeout)
	roofTimeout = time.Millisecond
	rec := &memory{}
	sweep := testSweep(behave)
	sweep.Device.Index = roofless
	var said []error
	runTest(t, sweep, rec, Options{Observe: func(e Event) {
		if e.Roofless != nil {
			said = append(said, e.Roofless)
		}
	}})
	testkit.Check(t, rec.by(t, behave).Status == trial.OK && rec.begun == 1 && rec.run.Roof == (kernels.Roof{}) &&
		len(said) == 1, "run %+v, begun %d times, said %q, results %+v", rec.run, rec.begun, said, rec.results)
}

// A bandwidth that is not wanted is not measured.
func TestRoofless(t *testing.T) {
	for _, roofless := range []bool{true, false} {
		rec := &memory{}
		runTest(t, testSweep(101), rec, Options{Roofless: roofless})
		testkit.Equal(t, rec.run.Roof == (kernels.Roof{}), roofless, "no roof")
	}
}

// What the sensors say comes from the worker to the record, with where it was; that
// they can't be read is said at the start, and hinders nothing.
func TestTelemetryIsRecorded(t *testing.T) {
	var said []string
	opt := Options{Node: "n7", Job: "12_3", Observe: func(e Event) {
		if e.Started != nil {
			said = append(said, e.Started.NoSensors)
		}
	}}
	gpu, cpu := &memory{}, &memory{}
	runTest(t, onGPU(testSweep(behave, giveWrongSum)), gpu, opt)
	runTest(t, testSweep(behave), cpu, opt)
	tel := gpu.by(t, behave).Telemetry
	testkit.Check(t, tel != nil && tel.SMClock == testReading.SMClock && tel.Reasons == testReading.Reasons,
		"the telemetry is %+v", tel)
	testkit.Equal(t, gpu.by(t, giveWrongSum).Telemetry, nil, "a wrong result has")
	r := cpu.by(t, behave)
	testkit.Check(t, r.Status == trial.OK && r.Telemetry == nil, "without sensors: %s, %+v", r.Status, r.Telemetry)
	testkit.EqualLists(t, said, []string{"", errNoSensors.Error()}, "at the start")
	testkit.Equal(t, gpu.run.Origin, (trial.Origin{Node: "n7", UUID: "GPU-1", Job: "12_3"}), "the origin")
}

var (
	testReading  = kernels.Reading{SMClock: 1980, Temperature: 50, Reasons: kernels.SWPowerCap, HasReasons: true}
	errNoSensors = errors.New("there are none to read")
)

// The best so far is that of the same matrix, precision and cache state, also where an
// earlier run measured it.
func TestSlowIsAgainstTheBestSoFar(t *testing.T) {
	for _, gpu := range []bool{false, true} {
		rec := &memory{}
		sweep := func(blocks ...int) *configs.Sweep {
			s := testSweep(blocks...)
			if gpu {
				s = onGPU(s)
			}
			s.Protocol.Slow, s.Protocol.Cache = 3, "both"
			s.Kernels[0].Precisions = []kernels.Precision{kernels.Float32, kernels.Float64}
			return s
		}
		only := sweep(101)
		only.Kernels[0].Precisions = only.Kernels[0].Precisions[:1]
		runTest(t, only, rec, Options{})
		runTest(t, sweep(101, crawl), rec, Options{})
		for _, r := range rec.results {
			first := slices.IndexFunc(rec.results, func(o trial.Result) bool { return caseOf(o.Trial) == caseOf(r.Trial) })
			slow := r.Block == crawl && rec.results[first].Block != crawl
			if r.Precision == kernels.Float32 && r.Block == crawl && !slow {
				t.Errorf("%v, %s: measured before what was recorded first", r.Config, r.Cache)
			}
			testkit.Equal(t, r.Stop == trial.StopSlow, slow, "%v, %s: stopped by %s after %d samples", r.Config, r.Cache, r.Stop, len(r.Samples))
		}
	}
}

// twoPhases is a sweep of two matrices for a GPU, with repeats.
func twoPhases() *configs.Sweep {
	sweep := onGPU(testSweep(101, 102, 103, 104, 105, 106))
	sweep.Protocol.Repeats = 3
	second := sweep.Matrices[0]
	second.Name, second.Args = "larger", map[string]any{"nx": int64(2000), "ny": int64(300)}
	sweep.Matrices = append(sweep.Matrices, second)
	return sweep
}

// Each phase of a matrix on a GPU has its process, which was started during the one before. What spares do, or that
// they fail, changes nothing of what is measured.
func TestSpares(t *testing.T) {
	for _, tt := range []struct {
		name, backend string
		fails         func(process int32) bool // whether a process ends at once
		processes     int32
	}{
		{"GPU", "cuda", func(int32) bool { return false }, 2},
		{"spare of repeats fails", "cuda", func(p int32) bool { return p == 2 }, 3},
		{"processor", "cpu", func(int32) bool { return false }, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var started atomic.Int32
			launch := launcher(tt.backend)
			sweep, rec := twoPhases(), &memory{}
			if tt.backend == "cpu" {
				sweep.Kernels[0].Kernels = []string{"cpu_csr_rows"}
			}
			sum := testkit.Must(Run(t.Context(), sweep, rec, Options{Launch: func() *exec.Cmd {
				if tt.fails(started.Add(1)) {
					return exec.Command("false")
				}
				return launch()
			}}))
			testkit.Check(t, len(sum.Failures) == 0 && sum.Measured[trial.OK] == 12 && sum.NoiseReruns == 6 &&
				len(rec.results) == 12, "summary %+v, %d results", sum, len(rec.results))
			for _, r := range rec.results {
				if _, told := r.Properties[Overlapped]; told && tt.backend == "cpu" {
					t.Error("something overlaps a trial on a processor")
				}
			}
			testkit.Equal(t, started.Load(), tt.processes, "processes were started")
		})
	}
}

// A trial that ran out of memory beside something else is measured again alone before that is said of it, and once.
func TestOutOfMemoryAlone(t *testing.T) {
	var started atomic.Int32
	rec := &memory{}
	sweep := onGPU(testSweep(exhaustMemory, 102, 103, 104))
	launch := launcher("cuda")
	sum := testkit.Must(Run(t.Context(), sweep, rec, Options{Launch: func() *exec.Cmd { started.Add(1); return launch() }}))
	testkit.Check(t, sum.Measured[trial.OOM] == 1 && sum.Measured[trial.OK] == 3 && len(rec.results) == 4,
		"measured %v, %d results", sum.Measured, len(rec.results))
	n := started.Load()
	testkit.Check(t, n >= 2 && n <= 3,
		"%d processes, want one and one after each time that memory ran out, twice at most", n)
}

// The coin of a trial is the same in each run of a sweep on a device, holds one of eight back, and differs by seed.
func TestCoin(t *testing.T) {
	toss := func(seed uint64, job string) (sides []bool, held int) {
		sweep := testSweep()
		sweep.Protocol.Seed = seed
		r := newRun(sweep, &memory{}, Options{Job: job})
		for i := range 8000 {
			sides = append(sides, r.waits(trial.Trial{ID: fmt.Sprint(i)}))
			if sides[i] {
				held++
			}
		}
		return sides, held
	}
	first, held := toss(1, "")
	again, _ := toss(1, "")
	seed, _ := toss(2, "")
	job, _ := toss(1, "7")
	testkit.Check(t, slices.Equal(first, again) && !slices.Equal(first, seed) && !slices.Equal(first, job),
		"the coin does not follow from seed and job alone")
	testkit.Check(t, held >= 850 && held <= 1150, "%d of 8000 trials are held back", held)
}

// pauseWorker is a parent with a paused worker, whose process it prints.
func pauseWorker() {
	signal.Ignore(syscall.SIGHUP) // as workers do, which inherit it here
	var cmd *exec.Cmd
	c, err := worker.Start(func() *exec.Cmd { cmd = testLauncher(); return cmd })
	if err != nil {
		panic(err)
	}
	c.Pause(true)
	fmt.Println(cmd.Process.Pid)
	select {}
}

// A worker that is paused while its parent is killed ends as well, also where a process of its session adopts it.
func TestPausedWorkerEndsWithItsParent(t *testing.T) {
	testkit.Succeed(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "SPMVTUNE_TEST_PARENT=1")
	out, err := parent.StdoutPipe()
	if err == nil {
		err = parent.Start()
	}
	testkit.Succeed(t, err)
	var pid int
	testkit.Must(fmt.Fscan(out, &pid))
	state := func() string {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, after, _ := strings.Cut(string(text), ") ")
		return after[:min(1, len(after))]
	}
	for state() != "T" {
		time.Sleep(time.Millisecond)
	}
	parent.Process.Kill()
	parent.Wait()
	for s := state(); s != "" && s != "Z"; s = state() {
		time.Sleep(time.Millisecond)
	}
}
