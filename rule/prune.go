package rule

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"spmvtune/internal/base/term"
)

// penalties are the costs of a leaf, in mean log time, by which a tree may be pruned: none, and
// from less than a measurement can resolve up to a cost that leaves a single leaf.
var penalties = []float64{0, 0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, math.Inf(1)}

// slack is how much more a simpler tree may lose, in mean log time on families left out.
const slack = 0.003

// pruned returns the subtree with the least loss plus penalty for each leaf, where loss
// is the mean over all matrices of the whole tree (minimal cost-complexity pruning:
// Breiman et al. 1984, Sec. 3.3). Of equally good ones it is the smallest.
func (b *branch) pruned(penalty float64) *branch {
	p, _, _ := b.prune(penalty * float64(len(b.matrices)))
	return p
}

func (b *branch) prune(penalty float64) (p *branch, loss float64, leaves int) {
	leaf := *b
	leaf.below, leaf.above = nil, nil
	if b.below == nil {
		return &leaf, b.loss, 1
	}

	tree := *b
	var below, above float64
	var n, m int
	tree.below, below, n = b.below.prune(penalty)
	tree.above, above, m = b.above.prune(penalty)
	loss, leaves = below+above, n+m
	if math.IsInf(penalty, 1) || b.loss <= loss+penalty*float64(leaves-1)+same {
		return &leaf, b.loss, 1
	}

	return &tree, loss, leaves
}

// A pruning says how far a tree is pruned, and why.
type pruning struct {
	penalty float64
	// tree and single are the mean losses, on families left out, of the best tree and of a leaf.
	tree, single float64
}

// penalty returns the penalty by which trees of these matrices are pruned: the largest one that
// loses hardly more than the best on families left out. Only these matrices are used, so that
// the decision can itself be judged on others (nested cross-validation; Varma and
// Simon, Bias in error estimation when using cross-validation for model selection, BMC
// Bioinformatics 7:91, 2006).
func (t *table) penalty(matrices []int, opt Options, features int) pruning {
	loss := make([]float64, len(penalties))
	for _, out := range t.folds(matrices, toDecide) {
		in := without(matrices, out)
		if len(in) == 0 {
			return pruning{penalty: math.Inf(1)}
		}
		l := newLearner(t, opt, in)
		l.features = features
		grown := l.grow(in, opt.MaxDepth)

		for i, p := range penalties {
			tree := l.guard(grown.pruned(p), in)
			for _, m := range out {
				loss[i] += opt.weighted(l.charged(m, tree.at(t, m).choice)) / float64(len(matrices))
			}
		}
	}

	last := len(penalties) - 1
	best := last
	for i, x := range loss {
		if x < loss[best] {
			best = i
		}
	}

	chosen := best
	for i := best; i <= last; i++ {
		if loss[i] <= loss[best]+slack+same {
			chosen = i
		}
	}
	return pruning{penalties[chosen], loss[best], loss[last]}
}

// at returns the leaf of a matrix of the table.
func (b *branch) at(t *table, m int) *branch {
	for b.below != nil {
		if t.values[b.feature][m] <= b.threshold {
			b = b.below
		} else {
			b = b.above
		}
	}
	return b
}

// reason says why a tree became a single leaf.
func (p pruning) reason(leaves int) string {
	return fmt.Sprintf("A tree with %s was pruned to a single configuration: on families left out trees reached %s "+
		"of the oracle at best, and always the best single configuration %s.",
		term.Count(leaves, "leaf", "leaves"), term.Percent(math.Exp(-p.tree)), term.Percent(math.Exp(-p.single)))
}

// guarded are the features that a guard may test: the length of the longest row, absolute and
// relative to the others. They make a kernel not a little slower, but a hundred times slower.
var guarded = []string{"row_max", "row_max_over_mean", "row_max_share"}

const (
	guardBeyond = 2   // times the largest value in a leaf is where its guard begins
	guardLoss   = 0.5 // least mean loss beyond it that a guard must save: 1.6 times the time
	guardFrom   = 20  // fewest matrices that say something about others
)

// guard puts a test above each leaf whose choice is known to fail beyond the leaf's matrices.
// Matrices anywhere in the tree whose longest row is much longer than any of the leaf's decide:
// their losses say whether there is a test, and what is chosen beyond it. The matrices that the
// tree was learned from go where they went; others, of a kind that was not met, meet a choice
// that is known to bear them.
func (l *learner) guard(b *branch, all []int) *branch {
	if len(all) < guardFrom {
		return b
	}
	return l.guardWithin(b, all, map[int]float64{})
}

// guardWithin guards the leaves of a branch that no matrix reaches with more of a feature than
// most says, where it says something.
func (l *learner) guardWithin(b *branch, all []int, most map[int]float64) *branch {
	if b.below != nil {
		tree := *b
		within := maps.Clone(most)
		within[b.feature] = b.threshold
		tree.below, tree.above = l.guardWithin(b.below, all, within), l.guardWithin(b.above, all, most)
		return &tree
	}

	best := b
	saved := guardLoss
	for f := range features[:l.features] {
		if !slices.Contains(guarded, features[f].Name) {
			continue
		}
		v := l.values[f]
		largest := 0.0
		for _, m := range b.matrices {
			largest = max(largest, v[m])
		}

		at := roundedUp(largest * guardBeyond)
		if bound, ok := most[f]; ok && at >= bound {
			continue // nothing would pass it
		}
		_, beyond := l.part(all, f, at)
		if len(beyond) < l.opt.MinLeaf {
			continue
		}
		choice, _ := l.choose(beyond)
		var with, without float64

		for _, m := range beyond {
			with += l.cost[m][choice]
			without += l.cost[m][b.choice]
		}
		if s := (without - with) / float64(len(beyond)); s > saved+same {
			saved = s
			above := &branch{matrices: beyond, choice: choice, loss: with}
			best = &branch{matrices: b.matrices, choice: b.choice, loss: b.loss,
				split: split{feature: f, threshold: at}, below: b, above: above}
		}
	}

	return best
}

// roundedUp gives a number that people can read: the next one of two digits.
func roundedUp(x float64) float64 {
	if x <= 0 {
		return x
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return max(x, digits(math.Ceil(x/unit)*unit, 2)) // 0.072, not 0.07200000000000001
}
