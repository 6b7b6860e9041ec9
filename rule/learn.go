// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
)

// Learn returns a rule with one tree for each device, precision and cache state
// among the observations, each validated by leaving out one family at a time, and
// judged on the classes of Options.Test, which teach it nothing.
// The order of the observations doesn't matter. Keys without any measurement
// are left out; if that are all, the error is ErrNoData.
func Learn(ctx context.Context, obs []Observation, opt Options) (*Rule, error) {
	if err := opt.Check(); err != nil {
		return nil, fmt.Errorf("learning a rule: %w", err)
	}
	named := slices.DeleteFunc(Distinct(obs, func(o Observation) string { return o.Sweep }),
		func(name string) bool { return name == "" })
	r := &Rule{Version: Version, Sweep: strings.Join(named, ", "), Products: opt.Products}
	obs = charged(obs, opt.Products)
	keys, groups := group(obs)

	for _, k := range keys {
		teaching := opt.teaching(groups[k])
		t, unmeasured, err := newTable(teaching)
		if err != nil {
			return nil, fmt.Errorf("learning a rule for %s: %w", k, err)
		}

		if len(t.names) == 0 {
			continue
		}
		if !slices.ContainsFunc(t.kernels, func(name string) bool { return !slices.Contains(opt.Without, name) }) {
			return nil, fmt.Errorf("learning a rule for %s: no kernel is left to choose: all are left out", k)
		}
		v, err := validate(ctx, t, opt)
		if err != nil {
			return nil, fmt.Errorf("learning a rule for %s: %w", k, err)
		}
		s := t.teach(lists.Indices(len(t.names)), opt)
		s.Key, s.Hardware, s.Configs, s.Validation = k, t.facts[0].Hardware, len(t.configs), v
		s.price(t)
		s.Sources = s.sources(teaching)
		s.Warnings, s.Noise = warnings(t, s, unmeasured), t.noise()
		if len(teaching) < len(groups[k]) {
			if s.Test, err = finalTest(groups[k], t, s); err != nil {
				return nil, fmt.Errorf("testing the rule for %s: %w", k, err)
			}
		}
		r.Models = append(r.Models, *s)
	}

	if len(r.Models) == 0 {
		return nil, fmt.Errorf("learning a rule: %w", ErrNoData)
	}
	return r, nil
}

// teaching are the observations of classes that are not kept for the final test.
func (o Options) teaching(obs []*Observation) []*Observation {
	return slices.DeleteFunc(slices.Clone(obs), func(of *Observation) bool { return slices.Contains(o.Test, of.Class) })
}

// finalTest judges what was learned from t on the matrices of obs that are not in t.
func finalTest(obs []*Observation, t *table, learned *Model) (Validation, error) {
	all, _, err := newTable(obs)
	if err != nil {
		return Validation{}, err
	}
	var cases []Case
	classes := make(map[string]bool)
	for m, name := range all.names {
		if _, taught := slices.BinarySearch(t.names, name); !taught {
			cases = append(cases, all.judge(m, learned))
			classes[all.classes[m]] = true // which it has: it was chosen by it
		}
	}
	v := all.sumUp(cases)
	v.Families, v.Parts = len(classes), len(classes)
	return v, nil
}

// String gives k as users read it: "NVIDIA H100, float32, cold cache".
func (k Key) String() string {
	s := k.Device + ", " + string(k.Precision)
	if k.Cache != "" {
		s += ", " + string(k.Cache) + " cache"
	}
	return s
}

// describe gives a configuration without the precision, which the key has:
// "cpu_sell, block 8, grid 2".
func describe(c kernels.Config) string {
	return strings.Join(append([]string{c.Kernel}, c.Settings()...), ", ")
}

// teach learns from the given matrices and uses no others.
func (t *table) teach(matrices []int, opt Options) *Model {
	l := newLearner(t, opt, matrices)
	s := &Model{Single: t.configs[l.single(matrices)], SingleKernel: t.kernels[l.chooseKernel(matrices)]}
	s.Root, s.Pruned = l.finish(l.grow(matrices, opt.MaxDepth))
	l.features = free
	s.Sizes, _ = l.finish(l.grow(matrices, opt.MaxDepth))
	if opt.Ensemble {
		s.Ensemble = l.boost(matrices)
	}
	return s
}

// finish prunes a tree, if trees are pruned, guards and equips its leaves, and says why it is a single leaf.
func (l *learner) finish(grown *Node) (*Node, string) {
	if !l.opt.prune || grown.Leaf() {
		return l.equip(l.guard(grown, grown.matrices)), ""
	}
	tree := l.equip(l.guard(grown.pruned(l.penalty(grown.matrices, l.opt, l.features)), grown.matrices))
	if !tree.Leaf() {
		return tree, ""
	}
	return tree, fmt.Sprintf("A tree with %s was pruned to a single configuration, which is about as good on families left out.",
		term.Count(len(grown.Leaves()), "leaf", "leaves"))
}

// judge says how far what was learned gets on matrix m.
func (t *table) judge(m int, s *Model) Case {
	leaf, _ := s.Sizes.walk(&t.facts[m])
	c := t.ask(m, s)
	c.said, _ = s.choose(&t.facts[m], Wanted{}) // nothing, where a feature is not known
	choice, bySizes, single := t.at(c.Choice), t.at(leaf.picks(&t.facts[m])[0]), t.at(s.Single)
	c.Evidence, c.Partial = t.evidence[m][choice], slices.Contains(t.evidence[m], Absent)
	c.Sizes = share(t.loss[m][bySizes])
	c.SingleConfig = share(t.loss[m][single])
	c.SingleKernel = share(t.tuned[m][slices.Index(t.kernels, s.SingleKernel)])
	c.COOFinal, c.CSRFive = t.paper(m, cooFinal), t.paper(m, csrFive)
	c.Prepare, c.SizesPrepare, c.SinglePrepare = t.prepare(m, choice), t.prepare(m, bySizes), t.prepare(m, single)
	return c
}

// ask says how far a model gets on matrix m of a table that may lack what it chooses: then the nearest
// configuration of the kernel counts, or the next choice.
func (t *table) ask(m int, s *Model) Case {
	on := &t.facts[m]
	leaf, _ := s.Root.walk(on)
	picks := leaf.picks(on)
	c := Case{Matrix: t.names[m], Class: t.classes[m], Choice: picks[0], Nonzeros: max(0, on.Nonzeros),
		CuSPARSE: t.fastest(m, cusparse)}
	c.Fraction, c.Top3 = t.reached(m, picks)
	if e := s.Ensemble; e != nil {
		c.Tree, c.TreeTop3, c.Written = c.Fraction, c.Top3, c.Fraction
		if c.Unsure = e.unsure(on) != ""; !c.Unsure {
			order, _ := e.rank(on, 0)
			list := withTree(e.named(order), picks[0])
			c.Choice = list[0]
			c.Fraction, c.Top3 = t.reached(m, list)
			order, _ = e.rank(&Subject{Features: on.Features, Hardware: on.Hardware}, 1)
			c.Written, _ = t.reached(m, e.named(order))
		}
	}
	return c
}

// reached are the fractions of the oracle that the first configuration of a shortlist and the best of its first few
// reach on matrix m, of those that the table has.
func (t *table) reached(m int, list []kernels.Config) (first, best float64) {
	n := 0
	for _, c := range list {
		at, ok := t.place(c)
		if !ok || n == Shortlisted {
			continue
		}
		if n++; n == 1 {
			first = share(t.loss[m][at])
		}
		best = max(best, share(t.loss[m][at]))
	}
	return first, best
}

// Options steer learning. Start from DefaultOptions.
type Options struct {
	// MaxDepth is the most splits on a path from the root to a leaf, a guard not counted.
	MaxDepth int
	// Ensemble says whether an ensemble is also learned.
	Ensemble bool
	// Products is how many products are done with a matrix: preparing it for a kernel is shared
	// out over them. 0: enough that it does not matter.
	Products int
	// Test are the classes whose matrices teach nothing: the rule is judged on them.
	Test []string
	// Without are kernels that are not chosen, but are part of the oracle: what a rule loses that was learned before
	// there were these.
	Without []string

	// minLeaf is the fewest matrices in a leaf; from a large corpus, a fiftieth of them.
	minLeaf int
	// minGain is the least that a split must save: the decrease of the mean loss
	// (log time) over the matrices of the node that it splits. Configurations whose
	// mean loss in a leaf is within half of it are near ties.
	minGain float64
	// prune says whether a tree is pruned, as far as its result on families left out does not
	// get worse.
	prune bool
}

// DefaultOptions give trees that people can read: at most 32 leaves, and
// their guards.
var DefaultOptions = Options{
	MaxDepth: 5,
	minLeaf:  2,
	minGain:  0.01,
	prune:    true,
}

// maxDepth bounds MaxDepth and the trees that Read accepts.
const maxDepth = 32

// Check says which option is outside its bounds.
func (o Options) Check() error {
	switch {
	case o.MaxDepth < 0 || o.MaxDepth > maxDepth:
		return fmt.Errorf("depth bound %d is outside 0 to %d", o.MaxDepth, maxDepth)
	case o.Products < 0:
		return fmt.Errorf("number of products is %d: must be 0 or more", o.Products)
	}
	return nil
}
