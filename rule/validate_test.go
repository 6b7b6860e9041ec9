// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

func casesOf(r *Rule) map[string]Case {
	m := make(map[string]Case)
	for _, c := range r.Models[0].Validation.Cases {
		m[c.Matrix] = c
	}
	return m
}

func TestFractionsAreFractions(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		opt := DefaultOptions
		opt.minLeaf, opt.MaxDepth = 1+rng.IntN(3), rng.IntN(6)
		s := learn(t, messy(rng, 2+rng.IntN(40)), opt).Models[0]
		fraction := func(what string, x float64) {
			t.Helper()
			testkit.Require(t, x > 0 && x <= 1, "seed %d: %s is %v", seed, what, x)
		}

		for _, c := range s.Validation.Cases {
			fraction("fraction", c.Fraction)
			fraction("single configuration", c.SingleConfig)
			fraction("single kernel", c.SingleKernel)
		}

		v := s.Validation
		fraction("mean", v.Mean)
		fraction("worst", v.Worst)
		if v.Worst > v.Mean || v.Cases[0].Fraction != v.Worst || v.Cases[0].Matrix != v.WorstMatrix {
			t.Fatalf("seed %d: worst %v on %s, mean %v, first case %+v", seed, v.Worst, v.WorstMatrix, v.Mean,
				v.Cases[0])
		}

		var named []string
		for _, n := range s.Root.Leaves() {
			fraction("leaf", n.Fraction)
			if len(n.Matrices) < opt.minLeaf && n != s.Root {
				t.Fatalf("seed %d: leaf of %d matrices, least %d", seed, len(n.Matrices), opt.minLeaf)
			}
			named = append(named, n.Matrices...)
		}
		slices.Sort(named)
		if len(slices.Compact(named)) != len(v.Cases) { // beyond a guard some are named again
			t.Fatalf("seed %d: leaves name %d matrices of %d", seed, len(named), len(v.Cases))
		}
	}
}

// Three matrices, by hand: without m2 kernel a is best, without the others b.
func TestValidationByHand(t *testing.T) {
	f := sparse.Features{Rows: 1, Nonzeros: 1, RowMean: 1}
	var obs []Observation
	for _, row := range []struct {
		matrix    string
		a, b1, b2 float64
	}{
		{"m0", 1, 2, 1.25},
		{"m1", 2, 1, 4},
		{"m2", 4, 1, 2},
	} {
		obs = append(obs,
			observe(row.matrix, f, config("a", 32, 1), row.a),
			observe(row.matrix, f, config("b", 32, 1), row.b1),
			observe(row.matrix, f, config("b", 64, 1), row.b2))
	}

	v := learn(t, obs, DefaultOptions).Models[0].Validation
	got := make(map[string][3]float64)
	for _, c := range v.Cases {
		got[c.Matrix] = [3]float64{c.Fraction, c.SingleConfig, c.SingleKernel}
	}

	// m2 left out: a costs log 2 and b1 log 2 in total, with the same worst case; b1's
	// neighbour b2 costs log 1.25 + log 4, a has none and stands for itself.
	// Kernel b tuned costs log 1.25 in total, kernel a log 2.
	want := map[string][3]float64{
		"m0": {0.5, 0.5, 1 / 1.25},
		"m1": {1, 1, 1},
		"m2": {0.25, 0.25, 1},
	}

	// m1 left out: a costs log 4, b1 log 2.
	for m, w := range want {
		for i := range w {
			if math.Abs(got[m][i]-w[i]) > 1e-12 {
				t.Errorf("%s: tree, single configuration, single kernel are %v, want %v", m, got[m], w)
				break
			}
		}
	}

	if want := math.Cbrt(0.125); math.Abs(v.Mean-want) > 1e-12 || v.Worst != 0.25 || v.WorstMatrix != "m2" ||
		math.Abs(v.Within5-1.0/3) > 1e-12 {
		t.Errorf("mean %v (want %v), worst %v on %s, within 5%% %v", v.Mean, want, v.Worst, v.WorstMatrix, v.Within5)
	}
}

func TestWithinFivePercent(t *testing.T) {
	var cases []Case
	for _, fraction := range []float64{1, 0.95, 0.949, 0.92, 0} { // the last is not known
		cases = append(cases, Case{Fraction: fraction})
	}
	f := Summarise(cases, Learned.Of)
	testkit.Equal(t, f.Within5, 0.5, "the part within 5%%")
	testkit.Equal(t, f.Matrices, 4, "matrices")
}

// Reading the features took 4 ms. The rule's choice takes 1 ms, that of sizes alone 2 ms: the
// features cost two such products, and half of each is saved, so they pay after four. Where
// preparing for the choice takes 10 ms and for the other 2 ms, that is four products more, so
// they pay after twelve. A matrix that was read in no known time says nothing.
func TestPaybackByHand(t *testing.T) {
	f := sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 999_000, RowMean: 999}
	o, unread := observe("m", f, config("a", 64, 2), 1e-3), observe("n", f, config("a", 64, 2), 1e-3)
	o.Reading = 4e-3
	table := tableOf(t, []Observation{o, unread})
	for _, tt := range []struct{ prepare, sizes, more, products float64 }{{0, 0, 0, 4}, {10e-3, 2e-3, 4, 12}} {
		list := table.payback([]Case{
			{Matrix: "m", Fraction: 1, Sizes: 0.5, Prepare: tt.prepare, SizesPrepare: tt.sizes},
			{Matrix: "n", Fraction: 1, Sizes: 0.5},
		})
		testkit.Equal(t, len(list), 1, "paybacks")
		p := list[0]
		if near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }; p.Nonzeros != 100_000 ||
			p.Matrices != 1 || !near(p.Features, 2) || !near(p.Prepare, tt.more) || !near(p.Saved, 0.5) ||
			!near(p.Products, tt.products) {
			t.Errorf("%+v, want 2 products' time and %v, half of one saved by each, paid for by %v", p, tt.more,
				tt.products)
		}
	}
}

// Where families are alike, as many times are inside of their intervals as is promised;
// where each is of a size and a speed of its own, fewer are, and the evaluation shows it.
func TestCoverage(t *testing.T) {
	for _, tt := range []struct {
		name              string
		within, between   float64 // scatter of log speed
		atLeast, atMost   float64
		offMost, offLeast float64
	}{
		{"alike", 0.2, 0, 0.7, 0.9, 1.3, 1.05},
		{"each its own", 0.01, 1, 0, 0.4, 10, 1.3},
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		var obs []Observation
		for family := range 20 {
			speed := math.Exp(tt.between * rng.NormFloat64())
			for i := range 12 {
				rows := 1000*(family+1) + rng.IntN(100)
				f := sparse.Features{Rows: rows, Cols: rows, Nonzeros: 5 * rows, RowMean: 5, RowMax: 5, ColsUsed: rows}
				seconds := Traffic(&f, "float32") / 1e9 / speed * math.Exp(tt.within*rng.NormFloat64())
				o := observe(fmt.Sprintf("m%02d-%02d", family, i), f, config("a", 64, 0), seconds)
				o.Class = fmt.Sprint("class", family)
				obs = append(obs, o)
			}
		}

		r := learn(t, obs, DefaultOptions)
		e, _ := evaluated(t, r, obs, DefaultOptions)
		c := e.Times
		testkit.Check(t, c.Matrices == 240 && c.Forecast == 240 && math.Abs(c.Nominal-0.8) <= 1e-9,
			"%s: %+v, want forecasts of 240 matrices at 80%%", tt.name, c)
		if c.Inside < tt.atLeast || c.Inside > tt.atMost || c.Off < tt.offLeast || c.Off > tt.offMost {
			t.Errorf("%s: inside %.2f, off by %.2f; want %v to %v, and %v to %v", tt.name, c.Inside, c.Off, tt.atLeast,
				tt.atMost, tt.offLeast, tt.offMost)
		}
	}
}

// another is the same world on another device, on matrices of other names: kernel b is five times as
// slow as it was, and everything else twice as fast.
func another(rng *rand.Rand, matrices int, best func(sparse.Features) string) []Observation {
	obs := world(rng, matrices, best)
	for i := range obs {
		o := &obs[i]
		o.Device, o.Hardware, o.Matrix = "other", Hardware{Cache: 1 << 20, Warps: 64}, "new-"+o.Matrix
		factor := 0.5
		if o.Config.Kernel == "b" {
			factor = 2.5
		}
		o.Seconds, o.Low, o.High = o.Seconds*factor, o.Low*factor, o.High*factor
	}
	return obs
}

// A rule is not judged on matrices that it was learned from.
func TestEvaluateOnLeavesOutWhatTaught(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	obs := world(rng, 30, func(sparse.Features) string { return "a" })
	r := learn(t, obs, DefaultOptions)
	testkit.Is(t, testkit.Err(r.EvaluateOn(obs)), ErrNoData, "judged on its own matrices")

	more := append(obs, another(rng, 9, func(sparse.Features) string { return "a" })...)
	for i := range more {
		more[i].Device = "lab"
	}
	list := testkit.Must(r.EvaluateOn(more[:len(obs)+36]))
	testkit.Equal(t, list[0].Taught, 30, "observations left out")
	testkit.Equal(t, len(list[0].Cases), 1, "matrices judged")
	namesake := *more[len(obs)].Features
	namesake.Nonzeros = obs[0].Features.Nonzeros + 1
	for i := range more[len(obs) : len(obs)+36] {
		o := &more[len(obs)+i]
		o.Matrix, o.Features = obs[0].Matrix, &namesake
	}
	list = testkit.Must(r.EvaluateOn(more[len(obs) : len(obs)+36]))
	testkit.Equal(t, len(list[0].Cases), 1, "the matrix that has only the name of a taught one")
}

// As many matrices, classes and configurations as the shipped corpus has, in one
// precision, with everything that learn does.
func BenchmarkLearnAndEvaluate(b *testing.B) {
	rng := rand.New(rand.NewPCG(41, 42))
	obs := corpus(rng, 430)
	obs = slices.DeleteFunc(obs, func(o Observation) bool { return o.Config.Block > 64 && o.Config.Grid > 2 })
	for i := range obs {
		obs[i].Class = fmt.Sprint("class", obs[i].Features.Cols%23)
	}

	opt := DefaultOptions
	opt.Ensemble = true
	for b.Loop() {
		r := testkit.Must(Learn(b.Context(), obs, opt))
		testkit.Must(Evaluate(r, obs, opt))
	}
}
