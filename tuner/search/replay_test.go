// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// grid is a made-up record: 60 configurations of two kernels, some of which failed.
func grid() *Grid {
	g := &Grid{Case: trial.Case{Device: "d", Matrix: "m", Precision: kernels.Float32, Cache: trial.Cold},
		Cost: Cost{Warmup: 2, Flush: 1e-4}}
	for i := range 60 {
		t := trial.Result{Trial: trial.Trial{Config: kernels.Config{Kernel: []string{"a", "b"}[i%2],
			Precision: kernels.Float32, Block: 32 << (i / 2 % 6), Grid: 100 << (i / 12)}}}
		if i%10 != 3 {
			t.Status, t.Batch = trial.OK, 1
			t.Median = 1e-3 * (1 + 0.1*math.Abs(float64(i-20)))
			for range 9 {
				t.Samples = append(t.Samples, t.Median)
			}
		}
		g.Trials = append(g.Trials, t)
	}
	return g
}

// What a trial costs is the time of its products and flushes, no more.
func TestCost(t *testing.T) {
	r := &trial.Result{Status: trial.OK, Median: 2, Samples: []float64{3, 1, 2}, Batch: 10}
	c := Cost{Warmup: 2, Flush: 0.5}
	// Two products to warm up and two to verify, 30 in samples, five flushes.
	testkit.Equal(t, c.Of(r, 3), 4*2+60+2.5, "all samples")
	testkit.Equal(t, c.partial(r, 1), 3*2+30+1, "a partial measurement")
	hopeless := trial.Result{Status: trial.OK, Stop: trial.StopSlow, Median: 1, Samples: []float64{1}, Batch: 1}
	testkit.Equal(t, c.Of(&hopeless, 1), 2.5, "a hopeless trial") // its product, and the one that verified it
	testkit.Equal(t, c.Of(&trial.Result{}, 0), 0, "what was not measured")
}

// A search over everything costs what the grid has cost, and ends with the best.
func TestRunOfEverything(t *testing.T) {
	g := grid()
	for _, name := range []string{"random"} {
		paths := testkit.Must(Replay(t.Context(), g, name, 3))
		for _, p := range paths {
			end := p.End()
			if end.Steps != 60 || end.Loss != 0 || math.Abs(end.Seconds-g.Exhaustive()) > 1e-9 || p.Short != 0 {
				t.Errorf("%s: %+v of %g s", name, end, g.Exhaustive())
			}
			at, ok := p.Within(0.05)
			testkit.Check(t, ok && at.Loss <= 0.05 && at.Steps <= end.Steps, "%s: within 5%% from %+v on", name, at)
		}
	}
}

// Adaptive searches cost less. Steps that want more samples than there are, are counted.
func TestRunOfRacing(t *testing.T) {
	g := grid()
	for i := range g.Trials {
		if len(g.Trials[i].Samples) > 2 {
			g.Trials[i].Samples = g.Trials[i].Samples[:2]
		}
	}
	paths := testkit.Must(Replay(t.Context(), g, "racing", 4))
	short := 0
	for _, p := range paths {
		end := p.End()
		testkit.Check(t, end.Loss <= 0.1, "ended at %+v", end)
		short += p.Short
	}
	testkit.Check(t, short != 0, "no partial measurement wanted five samples of two")
	testkit.Fails(t, testkit.Err(Replay(t.Context(), g, "gird", 1)), "", "no error for a strategy that there is not")
}

// What a search is judged by is the state from which on it stays near the best.
func TestWithin(t *testing.T) {
	p := Path{Points: []Point{{1, 1, 0.5}, {2, 2, 0}, {3, 3, 0.04}, {4, 4, 0.01}}}
	for _, c := range []struct {
		fraction float64
		steps    int
	}{{1, 1}, {0.1, 2}, {0.04, 2}, {0.02, 4}, {0.001, 0}} {
		at, ok := p.Within(c.fraction)
		testkit.Check(t, at.Steps == c.steps && ok == (c.steps > 0),
			"within %g: %+v %v, want step %d", c.fraction, at, ok, c.steps)
	}
}

// What can't be told from the best is as good; what ended with its first products is not.
func TestLosses(t *testing.T) {
	g := &Grid{Trials: []trial.Result{
		{Status: trial.OK, Median: 1, WithinLow: 0.9, WithinHigh: 1.2, Samples: []float64{1}},
		{Status: trial.OK, Median: 1.3, WithinLow: 1, WithinHigh: 1.4, Samples: []float64{1.3}},
		{Status: trial.OK, Median: 1.3, WithinLow: 1.1, WithinHigh: 1.4, Samples: []float64{1.3}},
		{Status: trial.OK, Median: 1.1, Stop: trial.StopSlow, Samples: []float64{1.1}},
	}}
	near := func(got, want []float64) bool {
		return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	}
	if got, want := g.losses(), []float64{0, 0, 0.3, 0.1}; !near(got, want) {
		t.Errorf("losses %v, want %v", got, want)
	}
	g.Intervals = []trial.Interval{{Low: 0.5, High: 1.3}, {Low: 0.9, High: 1.4}, {Low: 1, High: 1.4}, {}}
	if got, want := g.losses(), []float64{0, 0, 0, 0.1}; !near(got, want) {
		t.Errorf("losses %v with intervals of their own, want %v", got, want)
	}
}

// A verdict is no finer than the intervals of the trials near the best.
func TestTold(t *testing.T) {
	g := &Grid{Trials: []trial.Result{
		{Status: trial.OK, Median: 1, WithinLow: 0.99, WithinHigh: 1.2, Samples: []float64{1}},
		{Status: trial.OK, Median: 1.1, WithinLow: 1, WithinHigh: 1.4, Samples: []float64{1.1}},
		{Status: trial.OK, Median: 1.2, WithinLow: 1, WithinHigh: 1.4, Samples: []float64{1.2}},
		{Status: trial.OK, Median: 3, WithinLow: 1, WithinHigh: 4, Samples: []float64{3}}, // far from the best
		{Status: trial.OK, Median: 1.1, Stop: trial.StopSlow, Samples: []float64{1.1}},
	}}
	testkit.Check(t, math.Abs(g.Told()-0.1) <= 1e-9, "told from %g, want 0.1", g.Told())
	g.Intervals = []trial.Interval{{Low: 0.5}, {Low: 0.5}, {Low: 0.5}, {Low: 0.5}, {Low: 0.5}}
	testkit.Check(t, math.Abs(g.Told()-1.2) <= 1e-9, "told from %g by intervals of another run, want 1.2", g.Told())
	g.Intervals = []trial.Interval{{Low: 3}, {Low: 3}, {Low: 3}, {Low: 3}, {Low: 3}}
	testkit.Check(t, g.Told() == 0, "told from %g where another run is slower, want 0", g.Told())
}

// Hopeless trials lose with the few samples that they have, and count as no gap of the record.
func TestHopelessTrialsLose(t *testing.T) {
	g := grid()
	for i := range g.Trials {
		if r := &g.Trials[i]; r.Status == trial.OK && math.Abs(float64(i-20)) > 12 {
			r.Stop, r.Samples = trial.StopSlow, r.Samples[:1]
		}
	}
	for _, strategy := range []string{"racing", "local"} {
		paths := testkit.Must(Replay(t.Context(), g, strategy, 5))
		for _, p := range paths {
			if p.Short != 0 || p.End().Loss > 0.1 {
				t.Errorf("%s: %d steps wanted more samples, and it ended at %+v", strategy, p.Short, p.End())
			}
		}
	}
}

// promised is a space of three kernels, of which one is the library's, with times that an expectation gives but for
// a factor of each kernel.
func promised(factors map[string]float64) (*Space, []float64) {
	var configs []kernels.Config
	var times []float64
	var expected []Expectation
	for k, name := range []string{"csr_narrow", "sell_hot", "cusparse_csr_alg1"} {
		for block := 32; block <= 1024; block *= 2 {
			if name == "cusparse_csr_alg1" && block > 32 {
				continue
			}
			configs = append(configs, kernels.Config{Kernel: name, Precision: kernels.Float32, Block: block, Grid: 128})
			e := 1e-4 * (1 + 0.2*float64(k) + 0.1*math.Abs(math.Log2(float64(block))-7))
			expected = append(expected, Expectation{e, 0.3})
			times = append(times, e*factors[name])
		}
	}
	space := NewSpace(configs)
	space.Expected = expected
	return space, times
}

// What is expected decides what comes first: the best, the library, the best of the other kernels. Where expectations
// are sure and hold, nothing else is measured; and it is known that nothing else may win.
func TestTuneBelievesExpectations(t *testing.T) {
	space, times := promised(map[string]float64{"csr_narrow": 1, "sell_hot": 1, "cusparse_csr_alg1": 1})
	for i := range space.Expected {
		space.Expected[i].Spread = 0.02
	}
	s, _ := New(Tune, space, 1)
	var order []string
	for _, f := range conduct(t, s, times, 0.001, 99) {
		order = append(order, space.Configs[f.Step.Config].String())
	}
	want := []string{"csr_narrow float32 block 128 grid 128", "cusparse_csr_alg1 float32 block 32 grid 128",
		"sell_hot float32 block 128 grid 128"}
	testkit.EqualLists(t, order, want, "measured")
	_, chance, worthy := s.(*tune).Open()
	testkit.Check(t, chance < Least && worthy <= 0, "%d may still win, the best of them with %g", worthy, chance)
}

// Where a kernel is slower than expected, so are its other configurations thought to be: the search goes on with
// another kernel, finds its best and leaves most of the first one out.
func TestTuneCorrectsExpectations(t *testing.T) {
	space, times := promised(map[string]float64{"csr_narrow": 3, "sell_hot": 1, "cusparse_csr_alg1": 3})
	for seed := range uint64(5) {
		s, _ := New(Tune, space, seed)
		measured := map[string]int{}
		best := math.Inf(1)
		for _, f := range conduct(t, s, times, 0.01, 99) {
			measured[space.Configs[f.Step.Config].Kernel]++
			best = min(best, times[f.Step.Config])
		}
		testkit.Check(t, best <= slices.Min(times) && measured["csr_narrow"] <= 3,
			"seed %d: the best found takes %g s; measured %v", seed, best, measured)
	}
}

// What nothing is expected of among expectations is thought as fast as the slower half, and may win.
func TestTuneTriesWhatIsUnknown(t *testing.T) {
	space, times := promised(map[string]float64{"csr_narrow": 1, "sell_hot": 0.3, "cusparse_csr_alg1": 1})
	for i, c := range space.Configs {
		if c.Kernel == "sell_hot" {
			space.Expected[i] = Expectation{}
		}
	}
	s, _ := New(Tune, space, 1)
	best := math.Inf(1)
	for _, f := range conduct(t, s, times, 0.01, 99) {
		best = min(best, times[f.Step.Config])
	}
	testkit.Check(t, best <= slices.Min(times), "the best found takes %g s, want %g", best, slices.Min(times))
}

// Where nothing is expected, whatever is not measured of the first ones may be faster, whatever the chances.
func TestTuneCutShort(t *testing.T) {
	space, times := promised(map[string]float64{"csr_narrow": 1, "sell_hot": 40, "cusparse_csr_alg1": 40})
	space.Expected = nil
	s, _ := New(Tune, space, 1)
	for range 5 {
		step, _ := s.Ask()
		s.Tell(step, trial.Result{Status: trial.OK, Median: times[step.Config]})
	}
	_, _, worthy := s.(*tune).Open()
	testkit.Equal(t, worthy, len(times)-5, "of %d, what may be faster after 5 measurements", len(times))
}

// Where nothing is expected, the most promising are measured in any case, though all of a kernel look slow by its first.
func TestTuneWithoutExpectations(t *testing.T) {
	space, times := promised(map[string]float64{"csr_narrow": 1, "sell_hot": 40, "cusparse_csr_alg1": 1})
	space.Expected = nil
	for i, c := range space.Configs {
		if c.Kernel == "sell_hot" && c.Block == 1024 {
			times[i] /= 80
		}
	}
	for seed := range uint64(5) {
		s, _ := New(Tune, space, seed)
		testkit.Equal(t, len(conduct(t, s, times, 0.01, 99)), len(times), "seed %d", seed)
	}
}
