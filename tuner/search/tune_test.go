package search

import (
	"math"
	"slices"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

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
	if _, chance, worthy := s.(*tune).Open(); chance >= Least || worthy > 0 {
		t.Errorf("%d may still win, the best of them with %g", worthy, chance)
	}
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
		if best > slices.Min(times) || measured["csr_narrow"] > 3 {
			t.Errorf("seed %d: the best found takes %g s; measured %v", seed, best, measured)
		}
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
	if best > slices.Min(times) {
		t.Errorf("the best found takes %g s, want %g", best, slices.Min(times))
	}
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
	if _, _, worthy := s.(*tune).Open(); worthy != len(times)-5 {
		t.Errorf("%d of %d may be faster after 5 measurements", worthy, len(times))
	}
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
		if n := len(conduct(t, s, times, 0.01, 99)); n != len(times) {
			t.Errorf("seed %d: %d of %d are measured", seed, n, len(times))
		}
	}
}
