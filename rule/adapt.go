package rule

import (
	"fmt"
	"math"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
)

const (
	// adaptPrior is how many matrices of the other device weigh as much as what was learned on the first.
	adaptPrior = 10
	// adaptSlower is how much slower than the choice a runner-up is taken to be, where that is not known.
	adaptSlower = 1.1
)

// Adapt makes of a rule that was learned elsewhere one for the devices of the observations: what a
// leaf and an ensemble expect of their configurations is weighed against what was measured, and times
// follow the new device. A few matrices do. Configurations that the rule does not name it can't choose.
func (r *Rule) Adapt(obs []Observation, opt Options) (*Rule, error) {
	adapted := &Rule{Version: Version, Sweep: r.Sweep, Products: r.Products}
	keys, groups := group(charged(obs, r.Products))
	for _, k := range keys {
		s := r.elsewhere(k)
		if s == nil {
			continue
		}
		t, _, err := newTable(groups[k], opt)
		if err != nil {
			return nil, fmt.Errorf("adapting a rule to %s: %w", k, err)
		}
		if len(t.names) > 0 {
			adapted.Selectors = append(adapted.Selectors, *s.adapted(k, t, indices(len(t.names))))
		}
	}

	if len(adapted.Selectors) == 0 {
		return nil, fmt.Errorf("adapting a rule: %w for any of its precisions and cache states", ErrNoData)
	}
	return adapted, nil
}

// elsewhere is the selector that serves a key of another device; nil: there is none.
func (r *Rule) elsewhere(k Key) *Selector {
	for _, k := range []Key{k, {Precision: k.Precision, Cache: k.Cache}, {Precision: k.Precision}} {
		if s, err := r.Find(k); err == nil {
			return s
		}
	}
	return nil
}

// adapted is s after it has seen some matrices of a table.
func (s *Selector) adapted(k Key, t *table, matrices []int) *Selector {
	c := *s
	c.Device, c.Cache, c.Hardware = k.Device, k.Cache, t.facts[0].Hardware
	faster := s.faster(t, matrices)
	c.Root, c.Sizes = s.Root.adapted(t, matrices, faster), s.Sizes.adapted(t, matrices, faster)
	if s.Ensemble != nil {
		c.Ensemble = s.Ensemble.adapted(t, matrices)
	}
	if s.Device != k.Device {
		c.Warnings = append(slices.Clone(s.Warnings), fmt.Sprintf("Learned on %s and adapted to %s by %s: its figures "+
			"for matrices held out are those of the former.", s.Device, k.Device, term.Matrices(len(matrices))))
	}
	return &c
}

// faster is the speed of the trees' choices on some matrices over that which was forecast, the median.
func (s *Selector) faster(t *table, matrices []int) float64 {
	var ratios []float64
	for _, m := range matrices {
		leaf, _ := s.Root.walk(&t.facts[m])
		ratios = append(ratios, leaf.faster(t, []int{m}, *leaf.Choice, 1)...)
	}
	if len(ratios) == 0 {
		return 1
	}
	return middle(ratios)
}

// faster are the speeds of a configuration on some matrices over those that a leaf forecasts, whose
// choice is slower by a factor.
func (n *Node) faster(t *table, matrices []int, c kernels.Config, slower float64) []float64 {
	var ratios []float64
	at, ok := t.place(c)
	for _, m := range matrices {
		if f := n.forecast(&t.facts[m]); ok && f != nil && t.seen[m][at].measured() {
			ratios = append(ratios, slower*f.Seconds/t.seen[m][at].Seconds)
		}
	}
	return ratios
}

// place is the number of a configuration of the table, or of the nearest one of its kernel.
func (t *table) place(c kernels.Config) (int, bool) {
	if i, ok := t.column[idOf(c)]; ok {
		return i, true
	}
	near, ok := Nearest(c, t.configs)
	return t.at(near), ok
}

// adapted orders the configurations of each leaf anew that has some of the matrices; n may be nil.
func (n *Node) adapted(t *table, matrices []int, faster float64) *Node {
	if n == nil {
		return nil
	}
	c := *n
	if !n.Leaf() {
		f, _ := lookup(n.Feature) // checked by Read
		var below, above []int
		for _, m := range matrices {
			if f.Value(&t.facts[m]) <= n.Threshold {
				below = append(below, m)
			} else {
				above = append(above, m)
			}
		}
		c.Below, c.Above = n.Below.adapted(t, below, faster), n.Above.adapted(t, above, faster)
		return &c
	}

	c.Speeds = slices.Clone(n.Speeds)
	if len(matrices) == 0 {
		for i := range c.Speeds {
			c.Speeds[i].GBPS *= faster
		}
		return &c
	}

	configs := append([]kernels.Config{*n.Choice}, n.Next...)
	slower, loss := make([]float64, len(configs)), make([]float64, len(configs))
	for i, config := range configs {
		slower[i] = 1
		if i > 0 {
			slower[i] = adaptSlower
			if i <= len(n.NextTimes) && n.NextTimes[i-1] > 0 {
				slower[i] = n.NextTimes[i-1]
			}
		}
		loss[i] = max(0, math.Log(slower[i])) // a runner-up's may be negative; the choice was made by more than it
		if at, ok := t.place(config); ok {
			sum := adaptPrior * loss[i]
			for _, m := range matrices {
				if t.facts[m].legal(config) {
					sum += t.loss[m][at]
				} else {
					sum += loss[i]
				}
			}
			loss[i] = sum / float64(adaptPrior+len(matrices))
		} else {
			loss[i] += boostMost // this device has not run it
		}
	}

	order := indices(len(configs))
	slices.SortStableFunc(order, func(a, b int) int { return cmpLoss(loss[a], loss[b]) })
	first := order[0]
	c.Choice, c.Next, c.NextTimes = &configs[first], nil, nil
	for _, i := range order[1:] {
		c.Next, c.NextTimes = append(c.Next, configs[i]), append(c.NextTimes, math.Exp(loss[i]-loss[first]))
	}
	if here := n.faster(t, matrices, configs[first], slower[first]); len(here) > 0 {
		faster = middle(here)
	}
	for i := range c.Speeds {
		c.Speeds[i].GBPS *= faster / slower[first]
	}
	return &c
}

// cmpLoss orders losses, those apart by rounding alike.
func cmpLoss(a, b float64) int {
	switch {
	case a < b-same:
		return -1
	case a > b+same:
		return 1
	}
	return 0
}

// adapted moves what the ensemble expects of each configuration towards what it lost.
func (e *Ensemble) adapted(t *table, matrices []int) *Ensemble {
	c := *e
	c.Base = slices.Clone(e.Base)
	if len(matrices) == 0 {
		return &c
	}
	for i, config := range e.Configs {
		at, ok := t.place(config)
		if !ok {
			c.Base[i] += lost(boostMost) // this device has not run it
			continue
		}
		off, n := 0.0, adaptPrior
		for _, m := range matrices {
			if e.unsure(&t.facts[m]) == "" && t.facts[m].legal(config) {
				off += lost(t.loss[m][at]) - e.lost(&t.facts[m])[i]
				n++
			}
		}
		c.Base[i] += off / float64(n)
	}
	return &c
}
