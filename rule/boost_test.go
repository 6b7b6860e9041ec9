package rule

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/kernels"
)

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
