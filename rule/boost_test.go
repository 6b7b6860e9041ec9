// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

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
	opt.Ensemble, opt.prune = true, false
	r := learn(t, obs, opt)
	k, third := Key{Precision: kernels.Float32}, 0
	for i := range obs {
		f := *obs[i].Features
		boosted, tree := testkit.Must(r.Select(k, f, Wanted{})), testkit.Must(treeOf(r).Select(k, f, Wanted{}))
		testkit.Equal(t, boosted.By, ByEnsemble, "it goes by")
		at := slices.IndexFunc(boosted.Shortlist, func(r Ranked) bool { return r.Config == tree.Config })
		testkit.Check(t, at >= 0 && at < Shortlisted, "%s: the tree's choice has place %d", obs[i].Matrix, at+1)
		if at == Shortlisted-1 {
			third++
		}
	}
	testkit.Check(t, third != 0, "the tree's choice is nowhere third: no test")
}

// What a leaf adds for a configuration comes from the matrices on which it is legal: the others don't blur it.
func TestLeavesAverageWhereItIsLegal(t *testing.T) {
	obs := limitedWorld()
	tab := tableOf(t, obs)
	local := tab.at(limitedConfig())
	g := &booster{table: tab, predicts: []int{local}, left: make([][]float64, len(tab.names))}
	for m := range g.left {
		g.left[m] = []float64{0}
		if tab.fits[m][local] {
			g.left[m][0] = 1
		}
	}
	testkit.Near(t, g.leaf(lists.Indices(len(tab.names)))[0]*boosts, boostRate, 1e-9, "it adds")
	for m, left := range g.left {
		want := map[bool]float64{true: 1 - boostRate, false: 0}[tab.fits[m][local]]
		testkit.Near(t, left[0], want, 1e-9, "%s: left to explain", tab.names[m])
	}
}
