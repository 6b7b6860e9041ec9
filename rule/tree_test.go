package rule

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
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
	deep.Prune = false // so few matrices don't carry a tree; what is tested is how it is grown
	shallow := deep
	shallow.MaxDepth, shallow.MinLeaf = 1, 1
	twice := deep
	twice.MaxDepth = 2
	greedy := deep
	greedy.MinGain = 0.02
	free := deep

	free.MinGain = 0
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
		{"two splits on the path above", duels(
			duel{rows(1), "b", 9}, duel{rows(2), "b", 9}, duel{rows(3), "b", 9}, duel{rows(10), "a", 2},
			duel{rows(11), "a", 2}, duel{rows(12), "a", 2}, duel{rows(100), "b", 2}, duel{rows(101), "b", 2}),
			twice, "(row_mean ≤ 5: b, (row_mean ≤ 30: a, b))"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := oneLine(learn(t, tt.obs, tt.opt).Selectors[0].Root); got != tt.want {
				t.Errorf("learned %s, want %s", got, tt.want)
			}
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
	at := r.Selectors[0].Root.Threshold

	for _, tt := range []struct {
		mean float64
		want string
	}{{at, "a"}, {math.Nextafter(at, 99), "b"}, {0, "a"}, {1e300, "b"}} {
		c, err := r.Select(Key{Precision: kernels.Float32}, rows(tt.mean))
		if err != nil || c.Kernel != tt.want {
			t.Errorf("row length %v: %s, %v; want %s", tt.mean, c.Kernel, err, tt.want)
		}
	}

	if _, err := r.Select(Key{Precision: kernels.Float32}, rows(math.NaN())); err == nil ||
		!strings.Contains(err.Error(), "row_mean, which is not known") {
		t.Errorf("error for a row length of NaN is %v", err)
	}
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
	if v := r.Selectors[0].Validation; !got.Partial || v.Matrices != 0 || v.Partial != 3 || v.Mean != 0 {
		t.Errorf("where kernels were not tried is judged: %+v", v)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil ||
		!strings.Contains(text.String(), "3 of 3 matrices left out are not judged") || strings.Contains(text.String(), "mean") {
		t.Errorf("%v, the text is\n%s", err, &text)
	}
	if got.Choice.Kernel != "a" || got.Evidence != Absent || got.Fraction != 0.5 || got.SingleConfig != 0.5 ||
		got.SingleKernel != 0.5 {
		t.Errorf("m2 left out: %+v, want a, unknown and so charged with twice the time", got)
	}
}

// A configuration that is the fastest where it works, and fails now and then, is nobody's choice.
func TestWhatFailsIsNotChosen(t *testing.T) {
	var obs []Observation
	for m := range 40 {
		f := sparse.Features{Rows: 1000, Nonzeros: 1000 * (m + 1), RowMean: float64(m + 1)}
		fast := observe(fmt.Sprintf("m%02d", m), f, config("fast", 64, 1), 1)
		fast.Failed = m < 2
		obs = append(obs, fast, observe(fast.Matrix, f, config("sure", 64, 1), 2))
	}
	if got := learn(t, obs, DefaultOptions).Selectors[0].Root; !got.Leaf() || got.Choice.Kernel != "sure" {
		t.Errorf("%d leaves choose %v where two of 40 failed, want what never fails", got.Leaves(), got.Choice)
	}
}
