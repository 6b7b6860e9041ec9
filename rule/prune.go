package rule

import (
	"fmt"
	"math"
)

// folds is into how many parts keepsTree divides so many matrices: few are left
// out one by one, more of them in five parts. Around it goes a validation that
// leaves out each matrix, so that five parts are five times as many trees.
func folds(matrices int) int {
	if matrices <= few {
		return matrices
	}
	return 5
}

// pays is what decides between a tree and a single configuration: whether the
// tree loses less in total on matrices left out.
func pays(tree, single float64) bool { return tree < single-same }

// keepsTree decides whether a tree learned from these matrices is worth having:
// whether on matrices left out, in turn, it does better than always the best
// single configuration of the others. Nothing but these matrices is looked at,
// so that the decision can itself be judged on a matrix that is not among them
// (nested cross-validation; Varma and Simon, Bias in error estimation when using
// cross-validation for model selection, BMC Bioinformatics 7:91, 2006).
func (t *table) keepsTree(matrices []int, opt Options) bool {
	parts := folds(len(matrices))
	var tree, single float64
	for part := range parts {
		var in, out []int
		for i, m := range matrices {
			if i%parts == part {
				out = append(out, m)
			} else {
				in = append(in, m)
			}
		}
		if len(in) == 0 {
			return false
		}
		l := newLearner(t, opt, in)
		root := l.grow(in, opt.MaxDepth)
		always, _ := l.choose(in)
		for _, m := range out {
			leaf, _ := root.walk(&t.facts[m])
			tree += t.loss[m][t.column[leaf.Choice.String()]]
			single += t.loss[m][always]
		}
	}
	return pays(tree, single)
}

// prune replaces the tree by its root, a single configuration for all matrices,
// where the figures on matrices left out say that the tree is no better, and
// keeps the reason.
func (s *Selector) prune(single *Node) {
	v := &s.Validation
	if s.Root.Leaf() || v.Matrices == 0 {
		return
	}
	var tree, always float64
	for _, c := range v.Cases {
		tree -= math.Log(c.Unpruned)
		always -= math.Log(c.SingleConfig)
	}
	if pays(tree, always) {
		return
	}
	s.Pruned = fmt.Sprintf("On matrices left out, a tree with %s reached %s of the oracle and always the best single configuration %s: the tree was pruned to that configuration.",
		count(s.Root.Leaves(), "leaf", "leaves"), percent(v.Unpruned), percent(v.SingleConfig))
	s.Root = single
}
