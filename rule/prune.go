// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"math"
	"slices"
)

// penalties are the costs of a leaf, in mean log time, by which a tree may be pruned: none, and
// from less than a measurement can resolve up to a cost that leaves a single leaf.
var penalties = []float64{0, 0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, math.Inf(1)}

// slack is how much more a simpler tree may lose, in mean log time on families left out.
const slack = 0.003

// pruned returns the subtree with the least loss plus penalty for each leaf, where loss
// is the mean over all matrices of the whole tree (minimal cost-complexity pruning:
// Breiman et al. 1984, Sec. 3.3). Of equally good ones it is the smallest.
func (n *Node) pruned(penalty float64) *Node {
	p, _, _ := n.prune(penalty * float64(len(n.matrices)))
	return p
}

func (n *Node) prune(penalty float64) (p *Node, loss float64, leaves int) {
	if n.Leaf() {
		return n, n.loss, 1
	}
	tree := *n
	var below, above float64
	var some, others int
	tree.Below, below, some = n.Below.prune(penalty)
	tree.Above, above, others = n.Above.prune(penalty)
	loss, leaves = below+above, some+others
	if math.IsInf(penalty, 1) || n.loss <= loss+penalty*float64(leaves-1)+same {
		return &Node{matrices: n.matrices, choice: n.choice, loss: n.loss}, n.loss, 1
	}
	return &tree, loss, leaves
}

// penalty returns the penalty by which trees of these matrices are pruned: the largest one that
// loses hardly more than the best on families left out. Only these matrices are used, so that
// the decision can itself be judged on others (nested cross-validation; Varma and
// Simon, Bias in error estimation when using cross-validation for model selection, BMC
// Bioinformatics 7:91, 2006).
func (t *table) penalty(matrices []int, opt Options, features int) float64 {
	loss := make([]float64, len(penalties))
	for _, out := range t.folds(matrices, toDecide) {
		in := without(matrices, out)
		if len(in) == 0 {
			return math.Inf(1)
		}
		l := newLearner(t, opt, in)
		l.features = features
		grown := l.grow(in, opt.MaxDepth)

		for i, p := range penalties {
			tree := l.guard(grown.pruned(p), in)
			for _, m := range out {
				leaf, _ := tree.walk(&t.facts[m])
				loss[i] += weighted(l.charged(m, leaf.choice)) / float64(len(matrices))
			}
		}
	}

	chosen, least := len(penalties)-1, slices.Min(loss)
	for loss[chosen] > least+slack+same {
		chosen--
	}
	return penalties[chosen]
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
func (l *learner) guard(n *Node, all []int) *Node {
	if len(all) < guardFrom {
		return n
	}
	return l.guardWithin(n, all, map[string]float64{})
}

// guardWithin guards the leaves of a tree that no matrix reaches with more of a feature than
// most says, where it says something.
func (l *learner) guardWithin(n *Node, all []int, most map[string]float64) *Node {
	if !n.Leaf() {
		tree := *n
		within := maps.Clone(most)
		within[n.Feature] = n.Threshold
		tree.Below, tree.Above = l.guardWithin(n.Below, all, within), l.guardWithin(n.Above, all, most)
		return &tree
	}

	best := n
	saved := guardLoss
	for f, feature := range features[:l.features] {
		if !slices.Contains(guarded, feature.Name) {
			continue
		}
		v := l.values[f]
		largest := 0.0
		for _, m := range n.matrices {
			largest = max(largest, v[m])
		}

		at := roundedUp(largest * guardBeyond)
		if bound, ok := most[feature.Name]; ok && at >= bound {
			continue // nothing would pass it
		}
		_, beyond := l.part(all, f, at)
		if len(beyond) < l.opt.minLeaf {
			continue
		}
		choice, _ := l.choose(beyond)
		var with, without float64

		for _, m := range beyond {
			with += l.cost[m][choice]
			without += l.cost[m][n.choice]
		}
		if s := (without - with) / float64(len(beyond)); s > saved+same {
			saved = s
			best = &Node{Feature: feature.Name, Threshold: at, Below: n,
				Above: &Node{matrices: beyond, choice: choice, loss: with}}
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
