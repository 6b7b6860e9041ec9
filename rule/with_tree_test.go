package rule

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/kernels"
)

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
		boosted, err := r.SelectFor(k, f, Wanted{Accurate: true})
		tree, treeErr := r.SelectFor(k, f, Wanted{})
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
