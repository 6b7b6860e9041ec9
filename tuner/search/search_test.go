// SPDX-License-Identifier: Apache-2.0

package search

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// landscape is a space with times: kernels whose best block and grid differ, and one
// that is far too slow.
func landscape() (*Space, []float64) {
	var configs []kernels.Config
	var times []float64
	for k, name := range []string{"a", "b", "c", "slow"} {
		for block := 32; block <= 1024; block *= 2 {
			for grid := 128; grid <= 4096; grid *= 2 {
				for _, unroll := range []string{"1", "2", "4"} {
					configs = append(configs, kernels.Config{Kernel: name, Precision: kernels.Float32, Block: block, Grid: grid,
						Params: kernels.Params("unroll=" + unroll)})
					t := 1 + 0.1*float64(k) + 0.2*math.Abs(math.Log2(float64(block))-6-float64(k)) +
						0.1*math.Abs(math.Log2(float64(grid))-10)
					if unroll == "2" {
						t *= 0.9
					}
					if name == "slow" {
						t *= 30
					}
					times = append(times, t*1e-4)
				}
			}
		}
	}
	return NewSpace(configs), times
}

// told is a step with its result.
type told struct {
	Step
	trial.Result
}

// conduct runs a search with samples that scatter by a fraction, and returns its steps.
// Times of 0 stand for what can't be measured.
func conduct(t *testing.T, s Strategy, times []float64, scatter float64, most int) []told {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	var found []told
	for len(found) < most {
		step, more := s.Ask()
		if !more {
			return found
		}
		testkit.Require(t, step.Config >= 0 && step.Config < len(times) && step.Samples[0] <= step.Samples[1],
			"step %+v", step)
		f := told{Step: step, Result: trial.Result{Status: trial.Invalid}}
		if times[step.Config] > 0 {
			f.Status = trial.OK
			n := step.Samples[1]
			if n == 0 {
				n = 20
			}
			for range n {
				f.Result.Samples = append(f.Result.Samples, times[step.Config]*math.Exp(scatter*rng.NormFloat64()))
			}
			f.Median = stat.Median(slices.Sorted(slices.Values(f.Result.Samples)))
		}
		s.Tell(f.Step, f.Result)
		found = append(found, f)
	}
	t.Fatalf("no end after %d steps", most)
	return nil
}

// Every strategy comes to a configuration near the best, measured under the protocol,
// and those that adapt do so without measuring everything. Walks may end in a valley
// that is not the deepest.
func TestStrategiesFindTheBest(t *testing.T) {
	space, times := landscape()
	for _, name := range Replayable() {
		for seed := range uint64(5) {
			s := testkit.Must(New(name, space, seed))
			found := conduct(t, s, times, 0.01, 3*len(times))
			best, whole := -1, 0
			for _, f := range found {
				if f.Status == trial.OK && !f.Step.Partial() {
					whole++
					if best < 0 || times[f.Step.Config] < times[best] {
						best = f.Step.Config
					}
				}
			}
			allowed := 1.05
			if name == "local" {
				allowed = 1.3
			}
			if best < 0 || times[best] > allowed*slices.Min(times) {
				t.Errorf("%s, seed %d: the best found is %v", name, seed, space.Configs[max(best, 0)])
			}
			adaptive := whole < len(times)/4
			testkit.Check(t, adaptive == Adaptive(name),
				"%s, seed %d: %d of %d configurations measured under the protocol", name, seed, whole, len(times))
		}
	}
}

// No step is asked for twice, also where samples scatter so that nothing is clear: the
// second would be a trial that is recorded already.
func TestStepsAreDifferent(t *testing.T) {
	space, times := landscape()
	for _, name := range Replayable() {
		for _, scatter := range []float64{0, 0.01, 0.2} {
			s, _ := New(name, space, 1)
			steps := map[Step]bool{}
			found := conduct(t, s, times, scatter, 3*len(times))
			for _, f := range found {
				testkit.Check(t, !steps[f.Step], "%s, scatter %g: %+v is asked for twice", name, scatter, f.Step)
				steps[f.Step] = true
			}
			if len(found) > Most(name, len(times)) {
				t.Errorf("%s, scatter %g: %d steps, at most %d", name, scatter, len(found), Most(name, len(times)))
			}
		}
	}
}

// The same seed and the same findings give the same steps.
func TestStrategiesAreDeterministic(t *testing.T) {
	space, times := landscape()
	for _, name := range Replayable() {
		steps := func(seed uint64) []Step {
			s, _ := New(name, space, seed)
			var list []Step
			for _, f := range conduct(t, s, times, 0.05, 3*len(times)) {
				list = append(list, f.Step)
			}
			return list
		}
		testkit.EqualLists(t, steps(1), steps(1), "%s: other steps for the same seed", name)
		testkit.Check(t, !slices.Equal(steps(1), steps(2)), "%s: the same steps for another seed", name)
	}
}

// Configurations that can't be measured are not asked for again, and a search of nothing
// else ends.
func TestStrategiesEndWhereNothingCanBeMeasured(t *testing.T) {
	space, times := landscape()
	none := make([]float64, len(times))
	half := slices.Clone(times)
	for i := range half {
		if i%2 == 0 {
			half[i] = 0
		}
	}
	for _, name := range Replayable() {
		s, _ := New(name, space, 1)
		asked := map[int]int{}
		for _, f := range conduct(t, s, none, 0, 3*len(times)) {
			if asked[f.Step.Config]++; asked[f.Step.Config] > 1 {
				t.Fatalf("%s: asked again for what failed", name)
			}
		}
		s, _ = New(name, space, 1)
		conduct(t, s, half, 0.01, 3*len(times))
		for _, small := range []*Space{NewSpace(nil), NewSpace(space.Configs[:1])} {
			s, _ = New(name, small, 1)
			testkit.Equal(t, len(conduct(t, s, times[:len(small.Configs)], 0.01, 10)) > 0, len(small.Configs) > 0, "%s", name)
		}
	}
	testkit.Fails(t, testkit.Err(New("gird", space, 1)), "", "no error for a strategy that there is not")
}

var regen = flag.Bool("regen", false, "write the table of strategies into the documentation")

// The documentation has every strategy, as the registry says.
func TestDocumentation(t *testing.T) {
	var table strings.Builder
	for _, k := range Strategies {
		adaptive := map[bool]string{true: "yes", false: "no"}[k.Adaptive]
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", k.Name, adaptive, k.Help)
	}
	testkit.Section(t, "../../docs/searching.md", "| strategy | adaptive | what it measures |\n|---|---|---|\n", "\n\n",
		strings.TrimSuffix(table.String(), "\n"), *regen)
}

// Help fits a line of `spmvtune help config`.
func TestHelp(t *testing.T) {
	for _, k := range Strategies {
		testkit.Check(t, len(k.Help) != 0 && len(k.Help) <= 70 && !strings.Contains(k.Help, "\n"),
			"the help of %s is %q", k.Name, k.Help)
	}
}

// Neighbours with the same kernel differ in one choice by one step of those that the
// constraints left over; and neighbourhood is mutual.
func TestAdjacent(t *testing.T) {
	config := func(block, grid int, unroll string) kernels.Config {
		return kernels.Config{Kernel: "a", Precision: kernels.Float32, Block: block, Grid: grid,
			Params: kernels.Params("unroll=" + unroll)}
	}
	space := NewSpace([]kernels.Config{
		config(64, 8, "1"),   // 0
		config(256, 8, "1"),  // 1: 128 is left out
		config(512, 8, "1"),  // 2
		config(64, 16, "1"),  // 3
		config(64, 8, "16"),  // 4
		config(64, 8, "2"),   // 5
		config(100, 99, "2"), // 6: alone on all axes
		{Kernel: "b", Precision: kernels.Float32},
	})
	want := [][]int{{1, 3, 5}, {0, 2}, {1}, {0}, {5}, {0, 4}, nil, nil}
	for i := range 6 {
		got := slices.Sorted(slices.Values(space.Adjacent(i)))
		got = slices.DeleteFunc(got, func(c int) bool { return c == 6 })
		testkit.EqualLists(t, got, want[i], "%v: neighbours", space.Configs[i])
	}
	if len(space.Adjacent(6)) != 1 || len(space.Adjacent(7)) != 0 {
		t.Errorf("of those alone: %v and %v", space.Adjacent(6), space.Adjacent(7))
	}
	if got := space.Neighbours(0); !slices.Contains(got, 7) || len(got) != len(space.Adjacent(0))+1 {
		t.Errorf("neighbours in other kernels: %v", got)
	}
	for i := range space.Configs {
		for _, j := range space.Adjacent(i) {
			testkit.Check(t, slices.Contains(space.Adjacent(j), i), "%d is a neighbour of %d, but not the other way round", j, i)
		}
	}
}

// Parameters that are no numbers have an order, too.
func TestWords(t *testing.T) {
	var configs []kernels.Config
	for _, w := range []string{"warp", "block", "thread"} {
		configs = append(configs, kernels.Config{Kernel: "a", Params: kernels.Params("long_row=" + w)})
	}
	space := NewSpace(configs)
	testkit.Equal(t, len(space.Adjacent(0))+len(space.Adjacent(1))+len(space.Adjacent(2)), 4, "three values in a row have")
}
