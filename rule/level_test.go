// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// skewed depends on the deviation of the row length only: sizes say nothing of it.
func skewed(rng *rand.Rand, matrices int) []Observation {
	return world(rng, matrices, func(f sparse.Features) string {
		if f.RowStd > 2*f.RowMean {
			return "a"
		}
		return "b"
	})
}

func TestFeaturesAreComputedWhereTheyPay(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	obs := skewed(rng, 120)
	opt := DefaultOptions
	opt.Ensemble = true
	r := learn(t, obs, opt)
	k := Key{Precision: kernels.Float32}
	tree := treeOf(r)
	choose := func(f sparse.Features, want Wanted) Choice {
		t.Helper()
		return chosen(t, tree, f, want)
	}

	for range 200 {
		f := randomFeatures(rng)
		pays := choose(f, Wanted{}).Pays
		if pays == 0 {
			continue // in a leaf that happened to be right
		}

		// A product of the world takes a nanosecond per entry, features three: with a
		// third saved at most by as many matrices at most they can't pay at once.
		testkit.Check(t, pays >= 6, "features of %d entries pay from %d products", f.Nonzeros, pays)
		testkit.Equal(t, choose(f, Wanted{Products: pays - 1}).By, BySizes, "one product before features pay it goes by")

		testkit.Equal(t, choose(f, Wanted{Products: pays}).By, ByFeatures, "where features pay it goes by")
		testkit.Equal(t, chosen(t, r, f, Wanted{Products: pays - 1}).By, BySizes, "with too few products it goes by")
		if c := chosen(t, r, f, Wanted{Products: pays}); c.By == BySizes || c.Expected < 0.85 || c.Expected > 1 ||
			(c.By == ByEnsemble) != (c.Unsure == "") || c.Pays != pays {
			t.Errorf("with an ensemble it goes by %s, and expects %v of the oracle", c.By, c.Expected)
		}
	}

	// The ensemble's shortlist begins with its choice, and times rise. What the tree says is its reason.
	if c := chosen(t, r, featuresOf(obs, "m000"), Wanted{}); len(c.Path) == 0 || c.HeldOut() != r.Models[0].Validation.Figures || len(c.Shortlist) < 2 ||
		c.Shortlist[0].Config != c.Config || !(0 < c.Shortlist[0].Seconds && c.Shortlist[0].Seconds < c.Shortlist[1].Seconds) {
		t.Errorf("shortlist of the ensemble: %+v", c.Shortlist)
	}

	// Sizes say nothing here: who is given a choice by them is not to read the tree's figures.
	f := randomFeatures(rng)
	f.RowStd = 3 * f.RowMean
	whole, sizes := choose(f, Wanted{}), choose(f, Wanted{Products: 1})
	testkit.Equal(t, whole.HeldOut(), Summarise(r.Models[0].Validation.Cases, ByTree.Of), "figures of the tree")

	if sizes.By != BySizes || sizes.HeldOut().Mean > 0.9*whole.HeldOut().Mean {
		t.Errorf("by %s, with a mean of %v, where the tree has %v", sizes.By, sizes.HeldOut().Mean,
			whole.HeldOut().Mean)
	}
	nothing := sparse.UnknownFeatures()
	nothing.Rows, nothing.Cols, nothing.Nonzeros = f.Rows, f.Cols, f.Nonzeros
	nothing.RowMean, nothing.RowMax = f.RowMean, f.RowMax
	if c, err := r.Select(k, nothing, Wanted{}); err != nil || c.By == ByEnsemble ||
		c.Unsure != "row_p99_over_mean is not known of the matrix" {
		t.Errorf("of a matrix of which little is known the ensemble says %q, and %s choose (%v)", c.Unsure, c.By, err)
	}

	// A matrix far beyond all that it was taught it does not know: the tree and its guards choose.
	far := f
	far.RowMax *= 1e6
	c, err := r.Select(k, far, Wanted{})
	if err != nil || c.By != ByFeatures || c.Config != choose(far, Wanted{}).Config || !strings.HasPrefix(c.Unsure, "row_max_over_mean is ") {
		t.Errorf("far beyond, the ensemble says %q, and %s choose %v (%v)", c.Unsure, c.By, c.Config, err)
	}
}

func TestEvaluationOfOneMatrix(t *testing.T) {
	obs := duels(duel{rows(1), "a", 2})
	r := learn(t, obs, DefaultOptions)
	_, text := evaluated(t, r, obs, DefaultOptions)
	testkit.Says(t, "the evaluation", text, "a single matrix, 2 configurations: there is nothing to leave out")
	testkit.Lacks(t, "the evaluation", text, "left out,")
}

// Kernel a is the faster one, but takes a hundred products to prepare for.
func TestPreparationIsCharged(t *testing.T) {
	var obs []Observation
	for _, m := range []string{"m0", "m1", "m2"} {
		a, b := observe(m, rows(3), config("a", 32, 1), 1), observe(m, rows(3), config("b", 32, 1), 1.5)
		a.Prepare, a.Tied = 100, true
		obs = append(obs, a, b)
	}

	for products, want := range map[int]string{0: "a", 1: "b", 150: "b", 300: "a"} {
		opt := DefaultOptions
		opt.Products = products
		r := learn(t, obs, opt)
		testkit.Equal(t, r.Models[0].Root.Choice.Kernel, want, "for %d products it chooses", products)
		testkit.Equal(t, r.Products, products, "products")
	}

	testkit.EqualLists(t, []any{obs[0].Seconds, obs[0].Tied}, []any{1.0, true}, "learning changed what it was given")
}

// A choice by features has to pay for what reading them took on this matrix or, where that is
// not known, on those that the rule was learned from, and for more preparation.
func TestFeaturesPayForWhatWasMeasured(t *testing.T) {
	leaf := Node{Saved: 0.5, Pace: 1. / (1 << 30), Reading: 300, Prepare: 100}
	f := sparse.Features{Rows: 1 << 10, Nonzeros: 1<<20 - 1<<10} // a product takes 1/1024 s
	for reading, want := range map[float64]int{0: 800, 0.25: 712, 0.0625: 328} {
		testkit.Equal(t, leaf.pays(&Subject{Features: &f}, reading), want, "read in %v s, features pay from", reading)
	}
	leaf.Prepare = -1000
	testkit.Equal(t, leaf.pays(&Subject{Features: &f}, 0), 1, "with less preparation than by sizes, features pay from")

	obs := skewed(rand.New(rand.NewPCG(31, 32)), 120)
	for i := range obs {
		o := &obs[i]
		o.Reading = 50e-9 * float64(o.Features.Nonzeros)
		if o.Config.Kernel == "a" {
			o.Prepare = 1e-6 * float64(o.Features.Nonzeros)
		}
	}
	s := learn(t, obs, DefaultOptions).Models[0]
	more := 0.0 // preparation in the leaves, in products
	for _, n := range s.Sizes.Leaves() {
		testkit.Near(t, n.Reading, 50, 1, "products that reading takes in a leaf")
		more += n.Prepare * float64(len(n.Matrices))
	}
	want := 0.0
	for _, c := range s.Validation.Cases {
		if c.Prepare > c.SizesPrepare {
			want += 1000
		} else if c.Prepare < c.SizesPrepare {
			want -= 1000
		}
	}
	testkit.Check(t, want != 0 && math.Abs(more-want) <= 0.02*math.Abs(want),
		"choices by features take %v products more to prepare, want %v", more, want)
	for _, c := range s.Validation.Cases {
		nonzeros := 0
		for _, o := range obs {
			if o.Matrix == c.Matrix {
				nonzeros = o.Features.Nonzeros
			}
		}
		want := 0.0
		if c.Choice.Kernel == "a" {
			want = 1e-6 * float64(nonzeros)
		}
		testkit.Equal(t, c.Prepare, want, "%s: seconds of preparing for %s", c.Matrix, c.Choice.Kernel)
	}
}

func TestEvaluation(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	obs := skewed(rng, 60)
	r := learn(t, obs, DefaultOptions)
	e, _ := evaluated(t, r, obs, DefaultOptions)
	testkit.Equal(t, e.Choice.Mean, r.Models[0].Validation.Mean, "the mean")
	for _, c := range e.Missed {
		testkit.Check(t, c.Fraction < missed, "%s is listed at %v", c.Matrix, c.Fraction)
	}

	obs[7].Seconds = -1
	testkit.Fails(t, testkit.Err(Evaluate(r, obs, DefaultOptions)), "-1 seconds", "a time below 0")
}
