package rule

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/kernels"
)

// boosterOf returns a booster for one configuration. All features of a matrix have its value.
func boosterOf(values, left []float64) (*booster, []int) {
	t := &table{values: slices.Repeat([][]float64{values}, len(features))}
	g := &booster{table: t, features: []int{0, 1, 2}, rng: rand.New(rand.NewPCG(1, 1))}
	for _, x := range left {
		g.left = append(g.left, []float64{x})
	}
	return g, indices(len(values))
}

// A split of an ensemble's tree explains most of what is left, by hand.
func TestBoostSplits(t *testing.T) {
	ten := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	step := func(ones, n int) []float64 {
		return append(slices.Repeat([]float64{1}, ones), make([]float64, n-ones)...)
	}
	for _, tt := range []struct {
		name         string
		values, left []float64
		low, high    float64 // next to the threshold; both 0 for no split
	}{
		{"a step", ten, step(5, 10), 4, 5},
		{"another", ten, step(6, 10), 5, 6},
		{"a step down and up", ten, []float64{1, 1, 1, 1, -1, -1, -1, -1, -1, -1}, 3, 4},
		{"a step that leaves too few below", ten, step(3, 10), 3, 4},
		{"a step that leaves too few above", ten, step(7, 10), 5, 6},
		{"in any order", []float64{9, 0, 8, 1, 7, 2, 6, 3, 5, 4}, []float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 4, 5},
		{"nothing to explain", ten, step(10, 10), 0, 0},
		{"as few as can be", ten[:8], step(4, 8), 3, 4},
		{"too few", ten[:7], step(4, 7), 0, 0},
		{"equal values stay together", []float64{0, 1, 2, 3, 4, 4, 6, 7, 8, 9, 10, 11}, step(5, 12), 4, 6},
		{"all are equal", make([]float64, 10), step(5, 10), 0, 0},
	} {
		g, all := boosterOf(tt.values, tt.left)
		_, at, ok := g.split(all, g.sum(all))
		if ok != (tt.high > 0) || ok && at != threshold(tt.low, tt.high) {
			t.Errorf("%s: split at %v, %v; want between %v and %v", tt.name, at, ok, tt.low, tt.high)
		}
	}
}

// A tenth of the mean of what is left is added, a quarter of it by each of four sums.
func TestBoostLeaf(t *testing.T) {
	g, all := boosterOf(make([]float64, 4), []float64{0.3, 0.9, 0.5, 0.7})
	tree := g.grow(all)
	if got := float64(tree.leaf(make([]float64, 3))[0]) * float64(tree.Scale); math.Abs(got-0.015) > 1e-6 {
		t.Fatalf("%v, want 0.015", got)
	}
	for m, want := range []float64{0.24, 0.84, 0.44, 0.64} {
		if got := g.left[m][0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("of matrix %d is left %v, want %v", m, got, want)
		}
	}
}

// A tree takes each matrix where it belongs: of sixteen steps, each gets a leaf of its own.
func TestBoostDepth(t *testing.T) {
	var values, left []float64
	for i := range 160 {
		values, left = append(values, float64(i)), append(left, float64(i/10))
	}
	g, all := boosterOf(values, left)
	tree := g.grow(all)
	for i, x := range values {
		want := boostRate / boosts * float64(i/10)
		if got := float64(tree.leaf([]float64{x, x, x})[0]) * float64(tree.Scale); math.Abs(got-want) > 2e-3 {
			t.Errorf("matrix %d gets %v, want %v", i, got, want)
		}
	}
}

// The portfolio takes what helps most first, nothing that does not help, and at least one.
func TestPortfolio(t *testing.T) {
	half, bad, never := math.Log(2), boostMost, math.Inf(1)
	for _, tt := range []struct {
		name    string
		loss    [][]float64 // by matrix and configuration
		start   []float64
		want    []int
		limited []bool // configurations that are not legal on the first matrix
	}{
		{"best first", [][]float64{{bad, 0, half}, {0, bad, half}, {bad, 0, half}}, []float64{0, 0, 0}, []int{1, 0}, nil},
		{"what is good everywhere", [][]float64{{bad, 0, 0.1}, {0, bad, 0.1}}, []float64{0, 0, 0}, []int{2, 0, 1}, nil},
		{"not what can't be chosen", [][]float64{{0, half}, {0, half}}, []float64{never, 0}, []int{1}, nil},
		{"nothing helps", [][]float64{{bad, bad, bad}}, []float64{never, 0, 0}, []int{1}, nil},
		{"helps too little", [][]float64{{0, 1e-3}, {1e-5, 0}, {0, 1}}, []float64{0, 0}, []int{0}, nil},
		{"legal on any matrix first", [][]float64{{0, half}, {0, half}}, []float64{0, 0}, []int{1, 0}, []bool{true, false}},
		{"no help where it is not legal", [][]float64{{0, half}, {half, half}}, []float64{0, 0}, []int{1}, []bool{true, false}},
	} {
		l := &learner{table: &table{loss: tt.loss, limited: tt.limited}, start: tt.start}
		for m := range tt.loss {
			l.fits = append(l.fits, make([]bool, len(tt.start)))
			for c := range tt.start {
				l.fits[m][c] = tt.limited == nil || !tt.limited[c] || m > 0
			}
		}
		if tt.limited == nil {
			l.limited = make([]bool, len(tt.start))
		}
		if got := l.portfolio(indices(len(tt.loss))); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Where single precision has no number between two values, a boosted tree does not split there: one
// side would be empty.
func TestSplitNeedsANumberBetween(t *testing.T) {
	const ulp = 1.0 / (1 << 23)
	g := &booster{table: &table{values: [][]float64{make([]float64, 2*boostLeaf)}}, features: []int{0},
		left: make([][]float64, 2*boostLeaf), rng: rand.New(rand.NewPCG(1, 2))}
	for m := range g.left {
		g.values[0][m], g.left[m] = 1+0.4*ulp, []float64{-1}
		if m >= boostLeaf {
			g.values[0][m], g.left[m] = 1+0.6*ulp, []float64{1}
		}
	}
	if _, at, ok := g.split(indices(2*boostLeaf), []float64{0}); ok {
		t.Errorf("splits at %v, where nothing lies between %v and %v", at, 1+0.4*ulp, 1+0.6*ulp)
	}
}

// The tree's choice is third of the list, where the ensemble does not name it before.
func TestWithTree(t *testing.T) {
	a, b, c, d := config("a", 32, 1), config("b", 32, 1), config("c", 32, 1), config("d", 32, 1)
	for _, tt := range []struct {
		list, want []kernels.Config
		choice     kernels.Config
	}{
		{[]kernels.Config{a, b, c}, []kernels.Config{a, b, d, c}, d},
		{[]kernels.Config{a, b, c}, []kernels.Config{a, b, c}, b},
		{[]kernels.Config{a, b, c, d}, []kernels.Config{a, b, d, c}, d},
		{[]kernels.Config{a}, []kernels.Config{a, d}, d},
	} {
		before := slices.Clone(tt.list)
		if got := withTree(tt.list, tt.choice); !slices.Equal(got, tt.want) || !slices.Equal(tt.list, before) {
			t.Errorf("%v and %v: %v, want %v", before, tt.choice, got, tt.want)
		}
	}
}

// The shortlist of an ensemble has the tree's choice among its first three.
func TestShortlistOfEnsembleHasTheTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	obs := messy(rng, 60)
	for i := range obs {
		obs[i].Config.Grid, obs[i].Failed = 1, false
		obs[i].Seconds = max(obs[i].Seconds, 1e-3)
		obs[i].Low, obs[i].High = 0, 0
	}
	opt := DefaultOptions
	opt.Ensemble, opt.Prune = true, false
	r := learn(t, obs, opt)
	k, third := Key{Precision: kernels.Float32}, 0
	for i := range obs {
		f := *obs[i].Features
		boosted, err := r.Select(k, f, Wanted{Accurate: true})
		tree, treeErr := r.Select(k, f, Wanted{})
		if err != nil || treeErr != nil || boosted.By != ByEnsemble {
			t.Fatalf("by %s (%v, %v)", boosted.By, err, treeErr)
		}
		at := slices.IndexFunc(boosted.Shortlist, func(r Ranked) bool { return r.Config == tree.Config })
		if at < 0 || at >= Shortlisted {
			t.Errorf("%s: the tree's choice has place %d", obs[i].Matrix, at+1)
		}
		if at == Shortlisted-1 {
			third++
		}
	}
	if third == 0 {
		t.Error("the tree's choice is nowhere third: no test")
	}
}
