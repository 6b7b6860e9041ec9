package search

import (
	"cmp"
	"math"
	"slices"
)

// model looks at what a surrogate, fitted to the looks so far, expects to gain the most
// from (SMAC: Hutter, Hoos and Leyton-Brown, LION 5, 2011). The surrogate is a forest of
// regression trees on the log of the time over kernel, block, grid and parameters; the
// criterion is the expected improvement of the log (Jones, Schonlau and Welch, Journal
// of Global Optimization 13, 1998). It starts with a random configuration of each kernel
// and ends, when no improvement worth a look is expected any more, as a race does.
type model struct {
	*book
	grower   grower
	begun    bool
	hopeless int // proposals in a row that expected nothing
	decision
}

const (
	// worthwhile is the improvement of the log of the time that is still looked for.
	worthwhile = 0.005
	// refit is the share of new looks after which the surrogate is fitted again.
	refit = 0.2
	// patience is how many surrogates in a row must expect nothing for the search to end.
	patience = 3
)

func newModel(space *Space, seed uint64) Strategy {
	b := newBook(space, seed)
	m := &model{book: b, grower: grower{space: space, rng: b.rng}, decision: decision{book: b}}
	return &search{book: b, more: m.more}
}

func (m *model) more() []Step {
	b := m.book
	if !m.begun {
		m.begun = true
		return lookSteps(b.start(), 1)
	}
	if m.hopeless < patience {
		if next := m.propose(); len(next) > 0 {
			return lookSteps(next, 1)
		}
		m.hopeless = patience
	}
	return m.decision.more()
}

// propose gives the configurations that promise the most, none if it is not worth it.
func (m *model) propose() []int {
	b := m.book
	var configs []int
	var values []float64
	for i, e := range b.known {
		if e.samples > 0 && !math.IsInf(e.log, 1) {
			configs, values = append(configs, i), append(values, e.log)
		}
	}
	if len(configs) == 0 {
		return nil
	}
	f := m.grower.grow(configs, values)
	least := b.known[b.best()].log
	type promise struct {
		config int
		gain   float64
	}
	var list []promise
	for i := range b.known {
		if !b.seen(i) {
			mean, variance := f.predict(b.space, i)
			if gain := improvement(least, mean, math.Sqrt(variance)); gain > worthwhile {
				list = append(list, promise{i, gain})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b promise) int { return cmp.Compare(b.gain, a.gain) })
	var next []int
	for _, p := range list[:min(len(list), max(1, int(refit*float64(len(configs)))))] {
		next = append(next, p.config)
	}
	if len(next) > 0 {
		m.hopeless = 0
	} else {
		m.hopeless++
	}
	for _, other := range b.unseen(b.rng.Perm(len(b.known))) {
		if !slices.Contains(next, other) { // one at random, as SMAC does, whatever is expected
			return append(next, other)
		}
	}
	return next
}

// improvement is by how much a normal variable is expected to be below least.
func improvement(least, mean, sigma float64) float64 {
	if sigma == 0 {
		return max(least-mean, 0)
	}
	z := (least - mean) / sigma
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return (least-mean)*0.5*math.Erfc(-z/math.Sqrt2) + sigma*density
}
