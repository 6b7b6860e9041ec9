package tuner

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
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
		r.planner.device.Backend, r.name = tt.backend, "grid"
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
		if r.Host.Own <= 0 {
			t.Errorf("%s: the worker used %g s of the processor", r.Config, r.Host.Own)
		}
	}
}

// What a trial takes is said of each, and where it went of all.
func TestEffort(t *testing.T) {
	rec := &memory{}
	sum := runTest(t, testSweep(101, 102, leaveRowUnwritten), rec, Options{})
	e := sum.Breakdown
	for name, part := range map[string]time.Duration{"verifying": e.Verify, "preparing": e.Prepare, "busy": e.Busy,
		"waiting": e.Wait, "loading": e.Load, "starting": e.Start, "the worker's own": e.Own} {
		if part <= 0 || part >= e.Wall {
			t.Errorf("%s took %v of %v", name, part, e.Wall)
		}
	}
	testkit.Equal(t, e.Trials, 3, "the effort is %+v", e)
	for _, r := range rec.results {
		if !(r.Seconds > 0 && r.Seconds < e.Wall.Seconds()) {
			t.Errorf("%v, %s: %g s of %v", r.Config, r.Status, r.Seconds, e.Wall)
		}
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
	if best > 0.02 {
		t.Errorf("%.3g of the time is not accounted for", best)
	}
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
		if got := aboveRoof(res, tt.roof); strings.Contains(got, "above the roof") != tt.warning {
			t.Errorf("%+v: %q", tt, got)
		}
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
	if rec.by(t, behave).Status != trial.OK || rec.begun != 1 || rec.run.Roof != (kernels.Roof{}) || len(said) != 1 {
		t.Errorf("run %+v, begun %d times, said %q, results %+v", rec.run, rec.begun, said, rec.results)
	}
}

// A bandwidth that is known is not measured again.
func TestKnownRoof(t *testing.T) {
	rec, known := &memory{}, kernels.Roof{Read: 7}
	runTest(t, testSweep(101), rec, Options{Roof: func(d kernels.Device) (kernels.Roof, bool) { return known, d.Name != "" }})
	testkit.Equal(t, rec.run.Roof, known, "roof")
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
	if tel := gpu.by(t, behave).Telemetry; tel == nil || tel.SMClock != testReading.SMClock ||
		tel.Reasons != testReading.Reasons {
		t.Errorf("the telemetry is %+v", tel)
	}
	if tel := gpu.by(t, giveWrongSum).Telemetry; tel != nil {
		t.Errorf("a wrong result has %+v", *tel)
	}
	if r := cpu.by(t, behave); r.Status != trial.OK || r.Telemetry != nil {
		t.Errorf("without sensors: %s, %+v", r.Status, r.Telemetry)
	}
	if !slices.Equal(said, []string{"", errNoSensors.Error()}) {
		t.Errorf("at the start %q is said", said)
	}
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
			if got := r.Stop == trial.StopSlow; got != slow {
				t.Errorf("%v, %s: stopped by %s after %d samples", r.Config, r.Cache, r.Stop, len(r.Samples))
			}
		}
	}
}
