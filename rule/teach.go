package rule

import (
	"slices"

	"spmvtune/kernels"
)

// A lesson is everything that is learned from some matrices, to be used on others.
type lesson struct {
	tree     *Node // over all features
	sizes    *Node // over what the sizes give
	grown    *Node // tree before it was pruned
	pruned   string
	ensemble *Ensemble // nil: not asked for
	single   kernels.Config
	kernel   string // the best single kernel
}

// teach learns from the given matrices and uses no others.
func (t *table) teach(matrices []int, kernelLoss [][]float64, opt Options) *lesson {
	l := newLearner(t, opt, matrices)
	s := &lesson{
		single: t.configs[l.single(matrices)],
		kernel: t.kernels[l.chooseKernel(matrices, kernelLoss)],
	}

	grown := l.grow(matrices, opt.MaxDepth)
	s.grown = l.equipped(grown)
	s.tree, s.pruned = l.finish(grown)
	l.features = free
	s.sizes, _ = l.finish(l.grow(matrices, opt.MaxDepth))
	if opt.Ensemble {
		s.ensemble = l.boost(matrices)
	}

	return s
}

// finish prunes a tree, if trees are pruned, guards and equips its leaves, and says why it is a single leaf.
func (l *learner) finish(grown *branch) (*Node, string) {
	if !l.opt.Prune || grown.below == nil {
		return l.equipped(l.guard(grown, grown.matrices)), ""
	}
	p := l.penalty(grown.matrices, l.opt, l.features)
	tree := l.equipped(l.guard(grown.pruned(p.penalty), grown.matrices))
	if !tree.Leaf() {
		return tree, ""
	}
	return tree, p.reason(l.node(grown).Leaves())
}

// equipped is the tree with everything that its leaves know.
func (l *learner) equipped(b *branch) *Node {
	n := l.node(b)
	l.equip(n)
	return n
}

// partial reports whether a kernel that was tried elsewhere was not tried on matrix m.
func (t *table) partial(m int) bool { return slices.Contains(t.evidence[m], Absent) }

// judge says how far a lesson gets on matrix m.
func (t *table) judge(m int, s *lesson, kernelLoss [][]float64) Case {
	leaf, _ := s.tree.walk(&t.facts[m])
	sizes, _ := s.sizes.walk(&t.facts[m])
	grown, _ := s.grown.walk(&t.facts[m])
	picks := leaf.picks(&t.facts[m])
	choice := t.at(picks[0])
	bySizes := t.at(sizes.picks(&t.facts[m])[0])
	c := Case{
		Matrix:       t.names[m],
		Class:        t.classes[m],
		Nonzeros:     max(0, t.facts[m].Nonzeros),
		Choice:       t.configs[choice],
		Evidence:     t.evidence[m][choice],
		Partial:      t.partial(m),
		Fraction:     share(t.loss[m][choice]),
		Top3:         t.bestOf(m, picks),
		Sizes:        share(t.loss[m][bySizes]),
		Unpruned:     share(t.loss[m][t.at(grown.picks(&t.facts[m])[0])]),
		SingleConfig: share(t.loss[m][t.at(s.single)]),
		SingleKernel: share(kernelLoss[m][slices.Index(t.kernels, s.kernel)]),
		CuSPARSE:     t.tuned(m, cusparse),
		COOFinal:     t.paper(m, cooFinal),
		CSRFive:      t.paper(m, csrFive),

		Prepare:       t.prepare(m, choice),
		SizesPrepare:  t.prepare(m, bySizes),
		SinglePrepare: t.prepare(m, t.at(s.single)),
	}

	if s.ensemble != nil {
		c.Unsure = s.ensemble.unsure(&t.facts[m]) != ""
		c.Ensemble, c.EnsembleTop3 = c.Fraction, c.Top3
		if !c.Unsure {
			best := s.ensemble.best(&t.facts[m])
			c.Ensemble, c.EnsembleTop3 = t.fraction(m, &best[0]), t.bestOf(m, withTree(best, picks[0]))
		}
	}
	return c
}
