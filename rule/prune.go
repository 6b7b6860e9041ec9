package rule

import (
	"fmt"
	"math"

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
				x := l.charged(m, tree.at(t, m).choice)
				loss[i] += (x + opt.Tail*max(0, x-tail)) / float64(len(matrices))
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
