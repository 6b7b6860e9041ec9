// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// classed is a world whose classes differ in row length, as real ones do.
func classed(rng *rand.Rand, matrices int) []Observation {
	obs := world(rng, matrices, byRow)
	for i := range obs {
		obs[i].Class = fmt.Sprintf("class%d", int(2*math.Log(obs[i].Features.RowMean)))
	}
	return obs
}

func byRow(f sparse.Features) string {
	if f.RowMean < 30 {
		return "a"
	}
	return "b"
}

// A family is either what is learned from or what is judged.
func TestFoldsKeepFamiliesTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, obs := range [][]Observation{classed(rng, 80), messy(rng, 23), world(rng, 30, byRow)} {
		tab := tableOf(t, obs)
		all := lists.Indices(len(tab.names))
		for _, parts := range [][][]int{tab.families(all), tab.folds(all, toDecide), tab.folds(all, toJudge)} {
			seen := slices.Sorted(slices.Values(slices.Concat(parts...)))
			testkit.EqualLists(t, seen, all, "%d parts hold", len(parts))
			part := map[string]int{}

			for i, p := range parts {
				for _, m := range p {
					class := tab.classes[m]
					first, ok := part[class]
					testkit.Check(t, !ok || class == "" || first == i, "class %s is in parts %d and %d of %d", class, first, i, len(parts))
					part[class] = i
				}
			}
		}
	}
}

// Classes of the final test change nothing of what is learned or validated.
func TestTestClassesTeachNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	obs := classed(rng, 80)
	opt := DefaultOptions
	opt.Ensemble = true
	opt.Test = []string{"class3", "class9"}
	kept := slices.DeleteFunc(slices.Clone(obs), func(o Observation) bool { return slices.Contains(opt.Test, o.Class) })
	want, got := learn(t, kept, opt), learn(t, obs, opt)

	test := got.Models[0].Test
	if test.Matrices == 0 || test.Families != 2 || len(test.Cases) != test.Matrices {
		t.Fatalf("tested on %d matrices of %d families", test.Matrices, test.Families)
	}
	for _, c := range test.Cases {
		testkit.Check(t, slices.Contains(opt.Test, c.Class), "%s of %s is in the final test", c.Matrix, c.Class)
		choice := testkit.Must(got.Select(got.Models[0].Key, featuresOf(obs, c.Matrix), Wanted{}))
		testkit.Equal(t, choice.Config.String(), c.Choice.String(), "%s: the rule and its judgement choose", c.Matrix)
	}

	got.Models[0].Test = Validation{}
	testkit.Equal(t, written(t, got.WriteJSON), written(t, want.WriteJSON), "a rule and one that never saw the test classes")
	testkit.Check(t, test.Mean >= 0.97, "on classes of the final test it reaches %v", test.Mean)
}

// The tree over sizes splits on nothing else, and finds what is in them.
func TestSizesAreEnoughForWhatIsInThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	s := learn(t, world(rng, 100, byRow), DefaultOptions).Models[0]
	for name := range s.Sizes.used() {
		i := slices.IndexFunc(features, func(f Feature) bool { return f.Name == name })
		testkit.Check(t, i < free, "splits on %s", name)
	}

	if f := Summarise(s.Validation.Cases, OverSizes.Of); f.Mean < 0.97 {
		t.Errorf("reaches %v", f.Mean)
	}
	skew := learn(t, skewed(rng, 100), DefaultOptions).Models[0]
	if n := len(skew.Sizes.Leaves()); n > 4 || skew.Root.Leaf() {
		t.Errorf("of what is not in them it learned %d leaves, from all features %d", n, len(skew.Root.Leaves()))
	}
}

// An ensemble finds what a tree of a few splits can't say: a border across two features.
func TestEnsembleBeatsTheTreeOnASlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	opt := DefaultOptions
	opt.Ensemble, opt.MaxDepth = true, 2
	s := learn(t, world(rng, 80, func(f sparse.Features) string {
		if float64(f.Cols)/1e6+float64(f.Rows)/1e6 > 1 {
			return "a"
		}
		return "b"
	}), opt).Models[0]

	tree := Summarise(s.Validation.Cases, ByTree.Of)
	if s.Validation.Mean <= tree.Mean+0.01 || s.Validation.Mean < 0.93 {
		t.Errorf("ensemble %v, tree %v", s.Validation.Mean, tree.Mean)
	}
}

func TestBaselines(t *testing.T) {
	var obs []Observation
	for _, row := range []struct {
		kernel  string
		seconds float64
	}{{"csr_merge", 1}, {"cusparse_csr_alg1", 2}, {"cusparse_coo_alg1", 4}, {"coo_segscan_block",
		5}, {"coo_segscan_warp_chunk", 10},
		{"coo_segscan_warp_chunk_unroll", 8}, {"csr_pcsr", 16}, {"csr_light", 20}} {
		for m, mean := range []float64{5, 99, 100, 17.9, 18} {
			obs = append(obs, observe(fmt.Sprint("m", m), rows(mean), config(row.kernel, 32, 1), row.seconds))
		}
	}

	got := casesOf(learn(t, obs, DefaultOptions))
	for m, want := range map[string][2]float64{"m0": {0.125, 0.0625}, "m1": {0.125, 0.05}, "m2": {0.2, 0.05},
		"m3": {0.125, 0.0625}, "m4": {0.125, 0.05}} {
		c := got[m]
		if math.Abs(c.CuSPARSE-0.5) > 1e-9 || math.Abs(c.COOFinal-want[0]) > 1e-9 ||
			math.Abs(c.CSRFive-want[1]) > 1e-9 {
			t.Errorf("%s: cuSPARSE %v, coo-spmv-final %v, csr-five-algorithms %v; want 0.5 and %v", m, c.CuSPARSE,
				c.COOFinal, c.CSRFive, want)
		}
	}

	unmeasured := casesOf(learn(t, obs[:2], DefaultOptions))["m0"]
	testkit.EqualLists(t, []float64{unmeasured.CuSPARSE, unmeasured.COOFinal, unmeasured.CSRFive}, []float64{0, 0, 0}, "of what was not measured")
}

func TestPruningIsMinimalCostComplexity(t *testing.T) {
	leaf := func(loss float64) *Node { return &Node{loss: loss} }
	// Both splits together save 5; the lower alone saves 4.
	tree := &Node{loss: 9, Below: leaf(1), Above: &Node{loss: 7, Below: leaf(1), Above: leaf(2)}}
	count := func(penalty float64) int {
		_, _, leaves := tree.prune(penalty)
		return leaves
	}

	for penalty, want := range map[float64]int{0: 3, 2: 3, 2.6: 1, math.Inf(1): 1} {
		testkit.Equal(t, count(penalty), want, "leaves with penalty %v", penalty)
	}
}
