// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

func TestPlantedRulesAreFound(t *testing.T) {
	tests := []struct {
		name     string
		rule     func(sparse.Features) string
		features []string // that the tree splits on
		leaves   int
	}{
		{"row length", func(f sparse.Features) string {
			if f.RowMean <= 20 {
				return "a"
			}
			return "b"
		}, []string{"row_mean"}, 2},
		{"row length, then skew", func(f sparse.Features) string {
			switch {
			case f.RowMean > 60:
				return "b"
			case float64(f.RowMax)/f.RowMean > 15:
				return "c"
			}
			return "a"
		}, []string{"row_mean", "row_max_over_mean"}, 3},
		{"band between two thresholds", func(f sparse.Features) string {
			if f.Rows > 300_000 && f.Rows <= 700_000 {
				return "a"
			}
			return "c"
		}, []string{"rows"}, 3},
		{"nothing", func(sparse.Features) string { return "b" }, nil, 1},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			s := learn(t, world(rng, 150, tt.rule), DefaultOptions).Models[0]
			testkit.Equal(t, len(s.Root.Leaves()), tt.leaves, "leaves")

			used := s.Root.used()
			testkit.Equal(t, len(used), len(tt.features), "tree splits on %v, want %v: features", used, tt.features)
			for _, f := range tt.features {
				testkit.Check(t, used[f], "tree splits on %v, not on %s", used, f)
			}

			v := s.Validation
			testkit.Check(t, v.Mean >= 0.98, "mean fraction of the oracle on matrices left out is %v", v.Mean)
			wrong := 0

			for range 1000 {
				f := randomFeatures(rng)
				leaf, _ := s.Root.walk(&Subject{Features: &f})
				if leaf.Choice.Kernel != tt.rule(f) {
					wrong++
				}

				testkit.EqualLists(t, []int{leaf.Choice.Block, leaf.Choice.Grid}, []int{64, 2}, "block and grid")
			}

			testkit.Check(t, wrong <= 60, "the wrong kernel for %d of 1000 new matrices", wrong)
		})
	}
}

// A rule that followed labels would split here: the winners differ by matrix, but
// by less than can be measured.
func TestTiesRecommendNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		slower float64
		width  float64 // of the intervals, each side
		leaves int
		noise  string
	}{
		{"too near to split for", 1.008, 0.0001, 1, ""},
		{"intervals overlap", 1.05, 0.04, 2, ""},
		{"intervals do not overlap", 1.05, 0.01, 2, ""},
		{"overlap, but far slower", 1.6, 0.4, 2, "On 12 of 12 matrices the fastest can't be told from configurations that were " +
			"measured up to 1.60 times as slow: measure on a quieter machine."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var obs []Observation
			for m := range 12 {
				f := sparse.Features{Rows: 10, Nonzeros: 10 * (m + 1), RowMean: float64(m + 1)}
				for k, kernel := range []string{"a", "b"} {
					o := observe(fmt.Sprint("m", m), f, config(kernel, 0, 0), 1)
					if (k == 0) == (m < 6) {
						o.Seconds = tt.slower
					}
					o.Low, o.High = o.Seconds*(1-tt.width), o.Seconds*(1+tt.width)
					obs = append(obs, o)
				}
			}

			s := learn(t, obs, DefaultOptions).Models[0]
			testkit.Equal(t, len(s.Root.Leaves()), tt.leaves, "leaves")
			testkit.Equal(t, s.Noise, tt.noise, "noise")
			testkit.Near(t, s.Validation.SingleConfig, 1/tt.slower, 0.25, "the better of two kernels counts as")
		})
	}
}

// The mean of the first is a little better, but it is bad on one matrix.
func TestNearTiesGoToTheRobustChoice(t *testing.T) {
	f := sparse.Features{Rows: 1, Nonzeros: 1, RowMean: 1}
	var obs []Observation
	for _, row := range []struct {
		c       kernels.Config
		seconds []float64
	}{
		{config("a", 32, 1), []float64{1, 1, 1, 1.20}},          // mean log 0.046, worst 20%
		{config("b", 32, 1), []float64{1.05, 1.05, 1.05, 1.05}}, // mean log 0.049, worst 5%
		{config("c", 32, 1), []float64{1.3, 1.3, 1.3, 1}},
	} {
		for m, s := range row.seconds {
			obs = append(obs, observe(fmt.Sprint("m", m), f, row.c, s))
		}
	}

	testkit.Equal(t, learn(t, obs, DefaultOptions).Models[0].Root.Choice.Kernel, "b", "chose what has the better worst case")

	obs = nil
	for block, seconds := range map[int]float64{32: 1, 64: 1.2, 128: 1.2, 256: 1.2, 512: 1.02, 768: 1, 1024: 1.02} {
		obs = append(obs, observe("m", f, config("a", block, 1), seconds))
	}
	testkit.Equal(t, learn(t, obs, DefaultOptions).Models[0].Root.Choice.Block, 768, "chose the block that has good neighbours")
}

func TestThinData(t *testing.T) {
	f := sparse.Features{Rows: 4, Nonzeros: 8, RowMean: 2}
	t.Run("single matrix", func(t *testing.T) {
		r := learn(t, []Observation{observe("only", f, config("a", 32, 1), 2),
			observe("only", f, config("b", 32, 1), 1)}, DefaultOptions)
		s := r.Models[0]
		testkit.Equal(t, s.Root.Choice.Kernel, "b", "chose")
		testkit.Equal(t, s.Validation.Matrices, 0, "matrices it was validated on")

		testkit.Says(t, "the text", written(t, r.WriteText), "a single matrix: the rule", "Not validated")
	})

	t.Run("no measurement", func(t *testing.T) {
		failed := observe("m", f, config("a", 32, 1), 0)
		failed.Failed = true
		for _, obs := range [][]Observation{nil, {failed}} {
			testkit.Is(t, testkit.Err(Learn(context.Background(), obs, DefaultOptions)), ErrNoData, "no measurement")
		}
	})

	t.Run("matrix that nothing ran on", func(t *testing.T) {
		failed := observe("broken", f, config("b", 32, 1), 0)
		failed.Failed = true
		s := learn(t, []Observation{observe("m", f, config("a", 32, 1), 1), failed}, DefaultOptions).Models[0]
		if s.Root.Choice.Kernel != "a" || len(s.Root.Matrices) != 1 ||
			!strings.Contains(strings.Join(s.Warnings, "\n"), "broken") {
			t.Errorf("learned %+v from %v, warnings %q", s.Root.Choice, s.Root.Matrices, s.Warnings)
		}
	})

	t.Run("classes", func(t *testing.T) {
		var obs []Observation
		for m, class := range []string{"grid", "road", "road"} {
			o := observe(fmt.Sprint("m", m), f, config("a", 32, 1), 1)
			o.Class = class
			obs = append(obs, o)
		}

		text := strings.Join(learn(t, obs, DefaultOptions).Models[0].Warnings, "\n")
		testkit.Says(t, "warnings", text, "only 3 matrices", "single matrix: grid.")

		testkit.Lacks(t, "warnings, though classes were given and left out whole", text, "have no class", "relatives in")
		for i := range obs {
			obs[i].Class = "road"
		}

		text = strings.Join(learn(t, obs, DefaultOptions).Models[0].Warnings, "\n")
		testkit.Says(t, "warnings", text, "All matrices are of class road: leaving one out leaves its relatives in.")
	})

	t.Run("no classes", func(t *testing.T) {
		var obs []Observation
		for m := range 100 { // as a sweep gives them: each matrix is a class of its own
			o := observe(fmt.Sprintf("matrix-%03d", m), f, config("a", 32, 1), 1)
			o.Class = o.Matrix
			obs = append(obs, o)
		}

		text := strings.Join(learn(t, obs, DefaultOptions).Models[0].Warnings, "\n")
		if !strings.Contains(text, "100 of 100 matrices have no class: set class = ") ||
			strings.Contains(text, "matrix-0") || len(text) > 300 {
			t.Errorf("warnings:\n%s", text)
		}
	})
}

func TestBadObservationsAreRefused(t *testing.T) {
	good := observe("m", sparse.Features{Rows: 1}, config("a", 32, 1), 1)
	for _, tt := range []struct {
		change func(*Observation)
		want   string
	}{
		{func(o *Observation) { o.Seconds = 0 }, "is not a time"},
		{func(o *Observation) { o.Low = 2 }, "is not an interval"},
		{func(o *Observation) { o.Features = &sparse.Features{Rows: 2} }, `two different matrices are named "m"`},
		{func(o *Observation) { o.Features = nil }, "its features are not known"},
		{func(o *Observation) { o.Matrix = "" }, "must be named"},
	} {
		bad := good
		tt.change(&bad)
		_, err := Learn(context.Background(), []Observation{good, bad}, DefaultOptions)
		testkit.Fails(t, err, tt.want)
	}

	opt := DefaultOptions
	opt.Products = -1
	testkit.Fails(t, testkit.Err(Learn(context.Background(), []Observation{good}, opt)), "must be 0 or more")
}

func TestOneTreePerKey(t *testing.T) {
	f := sparse.Features{Rows: 1, Nonzeros: 1, RowMean: 1}
	var obs []Observation
	add := func(device string, cache trial.Cache, p kernels.Precision, best string) {
		for _, kernel := range []string{"a", "b"} {
			o := observe("m", f, config(kernel, 32, 1), 2)
			o.Device, o.Cache, o.Config.Precision = device, cache, p
			if kernel == best {
				o.Seconds, o.Low, o.High = 1, 1, 1
			}
			obs = append(obs, o)
		}
	}

	add("gpu", "warm", kernels.Float32, "a")
	add("gpu", "cold", kernels.Float32, "b")
	add("gpu", "cold", kernels.Float64, "a")
	add("cpu", "cold", kernels.Float32, "a")
	r := learn(t, obs, DefaultOptions)

	for k, want := range map[Key]string{
		{"gpu", kernels.Float32, "warm"}: "a", {"gpu", kernels.Float32, "cold"}: "b",
		{"gpu", kernels.Float64, "cold"}: "a", {"cpu", kernels.Float32, "cold"}: "a",
	} {
		if c, err := r.Select(k, f, Wanted{}); err != nil || c.Kernel != want || c.Precision != k.Precision {
			t.Errorf("%s: chose %v, %v: want %s", k, c.Config, err, want)
		}
	}
}

func TestOrderOfObservationsDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	obs := messy(rng, 30)
	bytesOf := func(obs []Observation) string {
		t.Helper()
		r := learn(t, obs, DefaultOptions)
		return written(t, r.WriteJSON) + written(t, r.WriteText)
	}

	want := bytesOf(obs)
	for range 5 {
		rng.Shuffle(len(obs), func(i, j int) { obs[i], obs[j] = obs[j], obs[i] })
		testkit.Equal(t, bytesOf(obs), want, "another order of the observations")
	}
}

func TestLearningCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Learn(ctx, messy(rand.New(rand.NewPCG(3, 4)), 30), DefaultOptions)
	testkit.Is(t, err, context.Canceled, "interrupted")
}

// A rule without the kernel that is best chooses others, and is judged against what that kernel reaches.
func TestWithout(t *testing.T) {
	obs := world(rand.New(rand.NewPCG(8, 2)), 20, func(sparse.Features) string { return "b" })
	opt := DefaultOptions
	opt.Ensemble = true
	if v := learn(t, obs, opt).Models[0].Validation; v.Mean < 0.99 {
		t.Fatalf("with all kernels it reaches %v", v.Mean)
	}
	opt.Without = []string{"b"}
	s := learn(t, obs, opt).Models[0]
	if v := s.Validation; v.Mean < 0.65 || v.Mean > 0.68 || s.SingleKernel == "b" { // 1.5 times slower
		t.Errorf("without the best it reaches %v, and the best single kernel is %s; want two thirds", v.Mean, s.SingleKernel)
	}
	f := Summarise(s.Validation.Cases, ByTree.Of)
	testkit.Check(t, f.Mean >= 0.65 && f.Mean <= 0.68, "without the best the tree reaches %v", f.Mean)
	for _, c := range s.Ensemble.Configs {
		testkit.Check(t, c.Kernel != "b", "the ensemble may choose %s", c)
	}
	opt.Without = []string{"a", "b", "c"}
	testkit.Fails(t, testkit.Err(Learn(t.Context(), obs, opt)), "no kernel is left", "without any kernel")
}

// A countdown is a context that ends once it has been listened to so many times.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   int
}

func (c *countdown) Done() <-chan struct{} {
	if c.left--; c.left <= 0 {
		c.cancel()
	}
	return c.Context.Done()
}

// Whenever learning is interrupted, it says so, or has ended.
func TestInterruptedLearningSaysSo(t *testing.T) {
	obs := world(rand.New(rand.NewPCG(5, 6)), 12, func(sparse.Features) string { return "a" })
	for i := range obs {
		obs[i].Class = "class" + obs[i].Matrix[3:]
	}
	learn := func(n int) (r *Rule, interrupted bool, left int, err error) {
		c := &countdown{left: n}
		c.Context, c.cancel = context.WithCancel(t.Context())
		defer c.cancel()
		r, err = Learn(c, obs, DefaultOptions)
		return r, c.Context.Err() != nil, c.left, err
	}
	const many = 1 << 30
	whole, _, left, err := learn(many)
	testkit.Succeed(t, err)
	all := many - left
	for n := 1; n <= all; n += 1 + (all-n)/4 {
		r, interrupted, _, err := learn(n)
		if !interrupted || err == nil && !reflect.DeepEqual(r, whole) {
			t.Errorf("interrupted at step %d of %d: %v, %+v, error %v", n, all, interrupted, r, err)
		}
	}
}
