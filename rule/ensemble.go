package rule

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// An Ensemble predicts which share of the oracle's speed each of a few configurations loses, 1
// − its fraction, as a sum of small trees, and chooses the least. The trees are grown one after
// the other on what the sum so far gets wrong (gradient boosting: J. Friedman, Greedy function
// approximation: a gradient boosting machine, Annals of Statistics 29(5), 2001), with squared
// error over all configurations at once, so that a leaf holds a number for each. Three such
// sums, each with other features for its splits, are averaged (L. Breiman, Bagging predictors,
// Machine Learning 24, 1996).
//
// Note: the trees of a rule minimise logarithms. Squared losses would depend only on hopeless
// configurations, twenty or a thousand times slower; a share is at most 1.
//
// It is for comparison, and for users who want the last few percent. Nobody can read it.
type Ensemble struct {
	Configs []kernels.Config `json:"configs"`
	Base    []float64        `json:"base"` // mean share that each loses
	Trees   []*Boost         `json:"trees"`
}

// A Boost is a node of an ensemble's tree: a split, or a leaf with the term that it adds for
// each configuration.
type Boost struct {
	Feature   string    `json:"feature,omitempty"`
	Threshold float64   `json:"threshold,omitempty"`
	Below     *Boost    `json:"below,omitempty"` // feature ≤ threshold
	Above     *Boost    `json:"above,omitempty"`
	Add       []float64 `json:"add,omitempty"`
}

// lost predicts which share of the oracle's speed each configuration loses.
func (e *Ensemble) lost(f *sparse.Features) []float64 {
	sum := slices.Clone(e.Base)
	for _, b := range e.Trees {
		leaf, _ := b.follow(f)
		for i, x := range leaf.Add {
			sum[i] += x
		}
	}
	return sum
}

// unknown names a feature that a tree needs and that is not known, or "" if all are known.
func (e *Ensemble) unknown(f *sparse.Features) string {
	for _, b := range e.Trees {
		if _, unknown := b.follow(f); unknown != "" {
			return unknown
		}
	}
	return ""
}

// follow goes to the leaf for a matrix, and names a feature on the way that is not known
// of it.
func (b *Boost) follow(f *sparse.Features) (leaf *Boost, unknown string) {
	for b.Add == nil {
		feature, _ := lookup(b.Feature) // checked by Read
		v := feature.Value(f)
		if math.IsNaN(v) {
			unknown = b.Feature
		}

		if v <= b.Threshold {
			b = b.Below
		} else {
			b = b.Above
		}
	}

	return b, unknown
}

// rank orders the configurations by their predicted losses, which it also returns.
func (e *Ensemble) rank(f *sparse.Features) (order []int, lost []float64) {
	lost = e.lost(f)
	order = indices(len(lost))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lost[a], lost[b]) })
	return order, lost
}

// best lists the configurations, those first that are expected to lose least.
func (e *Ensemble) best(f *sparse.Features) []kernels.Config {
	order, _ := e.rank(f)
	list := make([]kernels.Config, len(order))
	for i, c := range order {
		list[i] = e.Configs[c]
	}
	return list
}
