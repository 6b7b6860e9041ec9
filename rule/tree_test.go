// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// Each matrix is faster with a or with b by a factor, or the same with both.
type duel struct {
	features sparse.Features
	best     string // a, b or both
	factor   float64
}

func rows(mean float64) sparse.Features { return sparse.Features{RowMean: mean} }

func duels(all ...duel) []Observation {
	var obs []Observation
	for i, d := range all {
		for _, kernel := range []string{"a", "b"} {
			seconds := 1.0
			if d.best != kernel && d.best != "both" {
				seconds = d.factor
			}
			obs = append(obs, observe(fmt.Sprintf("m%02d", i), d.features, config(kernel, 0, 0), seconds))
		}
	}

	return obs
}

func TestSplits(t *testing.T) {
	deep := DefaultOptions
	deep.prune = false // so few matrices don't carry a tree; what is tested is how it is grown
	shallow := deep
	shallow.MaxDepth, shallow.minLeaf = 1, 1
	twice := deep
	twice.MaxDepth = 2
	greedy := deep
	greedy.minGain = 0.02
	free := deep

	free.minGain = 0
	small := duels( // the split saves log(1.06)/4 = 0.0146 a matrix
		duel{rows(1), "a", 2}, duel{rows(2), "a", 2}, duel{rows(3), "a", 2}, duel{rows(4), "a", 2}, duel{rows(5), "a",
			2}, duel{rows(6), "a", 2},
		duel{rows(20), "b", 1.06}, duel{rows(21), "b", 1.06})
	skewed := func(mean float64, longest int) sparse.Features {
		return sparse.Features{RowMean: mean, RowMax: longest}
	}

	for _, tt := range []struct {
		name string
		obs  []Observation
		opt  Options
		want string // the tree in one line
	}{
		{"equal values stay together", duels(
			duel{rows(1), "a", 2}, duel{rows(1), "a", 2}, duel{rows(1), "a", 2}, duel{rows(2), "a", 2},
			duel{rows(2), "b", 2}, duel{rows(2), "b", 2}, duel{rows(3), "b", 2}, duel{rows(3), "b", 2}),
			shallow, "(row_mean ≤ 1.4: a, b)"},
		{"a split that saves too little", small, greedy, "a"},
		{"a split that saves enough", small, deep, "(row_mean ≤ 10: a, b)"},
		{"a split that saves nothing", duels(
			duel{rows(1), "both", 1}, duel{rows(2), "both", 1}, duel{rows(30), "both", 1}, duel{rows(31), "both", 1}),
			free, "a"},
		{"the widest gap", duels(
			duel{rows(1), "a", 2}, duel{rows(2), "a", 2}, duel{rows(3), "both", 2}, duel{rows(100), "b",
				2}, duel{rows(101), "b", 2}),
			deep, "(row_mean ≤ 20: a, b)"},
		{"the first of equally good features", duels(
			duel{skewed(1, 10), "a", 2}, duel{skewed(2, 10), "a", 2}, duel{skewed(3, 9000), "b",
				2}, duel{skewed(4, 9000), "b", 2}),
			deep, "(row_mean ≤ 2.4: a, b)"},
		{"one matrix is not enough for a leaf", duels(
			duel{rows(1), "a", 2}, duel{rows(2), "a", 2}, duel{rows(3), "a", 2}, duel{rows(100), "b", 9}),
			deep, "(row_mean ≤ 2.4: a, b)"},
		{"one matrix is enough, if asked for", duels(
			duel{rows(1), "a", 2}, duel{rows(1), "a", 2}, duel{rows(1), "a", 2}, duel{rows(9), "b", 2}),
			shallow, "(row_mean ≤ 3: a, b)"},
		{"two splits on the path below", duels(
			duel{rows(1), "b", 2}, duel{rows(2), "b", 2}, duel{rows(10), "a", 2}, duel{rows(11), "a", 2},
			duel{rows(12), "a", 2}, duel{rows(100), "b", 9}, duel{rows(101), "b", 9}, duel{rows(102), "b", 9}),
			twice, "(row_mean ≤ 30: (row_mean ≤ 4: b, a), b)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Equal(t, oneLine(learn(t, tt.obs, tt.opt).Models[0].Root), tt.want, "learned")
		})
	}
}

func oneLine(n *Node) string {
	if n.Leaf() {
		return n.Choice.Kernel
	}
	return fmt.Sprintf("(%s: %s, %s)", condition(n.Feature, n.Threshold, "", false), oneLine(n.Below), oneLine(n.Above))
}

// The threshold itself belongs below.
func TestTheThresholdIsBelow(t *testing.T) {
	r := learn(t, duels(duel{rows(1), "a", 2}, duel{rows(2), "a", 2}, duel{rows(3), "a", 2}, duel{rows(50), "b", 2},
		duel{rows(51), "b", 2},
		duel{rows(52), "b", 2}), DefaultOptions)
	at := r.Models[0].Root.Threshold

	for _, tt := range []struct {
		mean float64
		want string
	}{{at, "a"}, {math.Nextafter(at, 99), "b"}, {0, "a"}, {1e300, "b"}} {
		c := testkit.Must(r.Select(Key{Precision: kernels.Float32}, rows(tt.mean), Wanted{}))
		testkit.Equal(t, c.Kernel, tt.want, "row length %v", tt.mean)
	}

	_, err := r.Select(Key{Precision: kernels.Float32}, rows(math.NaN()), Wanted{})
	testkit.Fails(t, err, "row_mean, which is not known", "a row length of NaN")
}

// Kernels a and b fail on one matrix each; c was tried on the third only. Without
// that one, c is nothing but a name, and must not look better than a failure.
func TestUnknownKernelsAreNotChosen(t *testing.T) {
	f := sparse.Features{Rows: 1}
	failed := func(matrix, kernel string) Observation {
		o := observe(matrix, f, config(kernel, 0, 0), 0)
		o.Failed = true
		return o
	}
	obs := []Observation{
		observe("m0", f, config("a", 0, 0), 1), failed("m0", "b"),
		failed("m1", "a"), observe("m1", f, config("b", 0, 0), 1),
		observe("m2", f, config("c", 0, 0), 1),
	}

	r := learn(t, obs, DefaultOptions)
	got := casesOf(r)["m2"]
	v := r.Models[0].Validation
	testkit.EqualLists(t, []any{got.Partial, v.Matrices, v.Partial, v.Mean}, []any{true, 0, 3, 0.0}, "where kernels were not tried")
	text := written(t, r.WriteText)
	testkit.Says(t, "the text", text, "3 of 3 matrices left out are not judged")
	testkit.Lacks(t, "the text", text, "mean")
	testkit.EqualLists(t, []any{got.Choice.Kernel, got.Evidence, got.Fraction, got.SingleConfig, got.SingleKernel},
		[]any{"a", Absent, 0.5, 0.5, 0.5}, "m2 left out: a, unknown and so charged with twice the time")
}

func TestThresholds(t *testing.T) {
	for _, tt := range []struct{ low, high, want float64 }{
		{2.1, 9, 4},
		{4.98, 5.02, 5},
		{1, 2, 1.4},
		{4_996_000, 4_996_001, 4_996_000.5},
		{0.3, math.Nextafter(0.3, 1), 0.3},
	} {
		testkit.Equal(t, threshold(tt.low, tt.high), tt.want, "between %v and %v", tt.low, tt.high)
	}
}

// unlucky has four matrices on which a tree can be grown that leaving one out
// shows to be worse than always b.
func unlucky() []Observation {
	return duels(duel{rows(1), "a", 1.2}, duel{rows(2), "a", 1.2}, duel{rows(3), "b", 3}, duel{rows(4), "b", 3},
		duel{rows(5), "b", 3},
		duel{rows(6), "a", 1.2}, duel{rows(7), "b", 3})
}

func TestTreeThatDoesNotPayIsPruned(t *testing.T) {
	grown := DefaultOptions
	grown.prune = false
	tree := learn(t, unlucky(), grown).Models[0]
	if tree.Root.Leaf() || tree.Validation.Mean > tree.Validation.SingleConfig {
		t.Fatalf("%d leaves reach %v, a single configuration %v: the test proves nothing",
			len(tree.Root.Leaves()), tree.Validation.Mean, tree.Validation.SingleConfig)
	}

	r := learn(t, unlucky(), DefaultOptions)
	s := r.Models[0]
	testkit.EqualLists(t, []any{s.Root.Leaf(), s.Root.Choice.String(), len(s.Root.Matrices)}, []any{true, s.Single.String(), 7}, "the rule")

	text := written(t, r.WriteText)
	testkit.Says(t, "the text", strings.Join(strings.Fields(text), " "), "was pruned to a single configuration",
		term.Percent(s.Validation.SingleConfig))

	back, err := Read(strings.NewReader(written(t, r.WriteJSON)))
	if err != nil || back.Models[0].Pruned == "" || back.Models[0].Pruned != s.Pruned {
		t.Errorf("read back %+v, %v: want the reason %q", back, err, s.Pruned)
	}
}

// The figure of each matrix left out is that of the rule which Learn gives
// without its family, pruning included.
func TestValidationJudgesWhatIsLearned(t *testing.T) {
	worlds := map[string][]Observation{}
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 11))
		obs := messy(rng, 30)
		if seed%2 == 0 { // something to find
			obs = world(rng, 40, byRow)
			for i := range obs {
				obs[i].Class = string(rune('a' + obs[i].Features.Cols%7))
			}
		}
		worlds[string(rune('a'+seed))] = obs
	}

	pruned, kept := 0, 0
	for name, obs := range worlds {
		s := learn(t, obs, DefaultOptions).Models[0]
		without := map[string]*Rule{}
		for _, c := range s.Validation.Cases {
			others := slices.DeleteFunc(slices.Clone(obs), func(o Observation) bool { return o.Class == c.Class })
			r := without[c.Class]
			if r == nil {
				r = learn(t, others, DefaultOptions)
				without[c.Class] = r
			}

			got := testkit.Must(r.Select(s.Key, featuresOf(obs, c.Matrix), Wanted{}))
			testkit.Equal(t, got.Config.String(), c.Choice.String(), "%s: without %s the rule and the validation choose", name, c.Matrix)

			switch {
			case r.Models[0].Pruned != "":
				pruned++
			case !r.Models[0].Root.Leaf():
				kept++
			}
		}
	}

	testkit.Check(t, pruned != 0 && kept != 0, "%d trees were pruned, %d kept: the test proves nothing", pruned, kept)
}

func featuresOf(obs []Observation, matrix string) sparse.Features {
	i := slices.IndexFunc(obs, func(o Observation) bool { return o.Matrix == matrix })
	return *obs[i].Features
}

// A choice that is known to fail where a row is long is not kept for a matrix whose
// longest row is far beyond all that its leaf has seen, though another feature sent it there.
func TestGuards(t *testing.T) {
	var obs []Observation
	for i := range 24 {
		f := sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 3000, RowMean: 3, RowMax: 10}
		even, robust := 1.0, 2.0
		if i >= 12 { // few rows, one of them long
			f.Rows, f.Nonzeros, f.RowMax = 100, 300, 5000
			even = 50
		}

		name := fmt.Sprintf("m%02d", i)
		obs = append(obs, observe(name, f, config("even", 0, 0), even),
			observe(name, f, config("robust", 0, 0), robust))
	}

	opt := DefaultOptions
	opt.prune = false
	r := learn(t, obs, opt)
	for _, tt := range []struct {
		rows, longest int
		want          string
	}{{1000, 10, "even"}, {1000, 19, "even"}, {1000, 5000, "robust"}, {100, 5000, "robust"}} {
		f := sparse.Features{Rows: tt.rows, Cols: 1000, Nonzeros: 3 * tt.rows, RowMean: 3, RowMax: tt.longest}
		c := testkit.Must(r.Select(Key{Precision: "float32"}, f, Wanted{}))
		testkit.Equal(t, c.Kernel, tt.want, "%d rows, the longest of %d", tt.rows, tt.longest)
	}
}

// A guard's number has two digits, and is not below what it was made from.
func TestRoundedUp(t *testing.T) {
	for _, tt := range []struct{ x, want float64 }{
		{0, 0}, {0.0712, 0.072}, {0.07, 0.07}, {1.01, 1.1}, {20, 20}, {99.5, 100}, {123, 130}, {1000, 1000}, {45678, 46000},
		{math.Nextafter(20, 30), 21},
	} {
		testkit.Equal(t, roundedUp(tt.x), tt.want, "%v becomes", tt.x)
	}
}
