// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	boosts     = 2 // number of sums that are averaged
	boostTrees = 160
	boostLeaf  = 4   // fewest matrices in a leaf
	boostRate  = 0.1 // share of a leaf that is added
	boostShare = 3   // a split looks at every third feature
	boostTail  = 0.2 // weight of the logarithm
	boostMost  = 4.0 // largest logarithm that counts: 55 times slower
	portfolio  = 28  // most configurations to choose from
)

// lost is what a loss costs: the share of the oracle's speed that is lost and, so that a choice
// that is fifty times slower is worse than one that is five times slower, a part of the logarithm.
func lost(loss float64) float64 { return 1 - share(loss) + boostTail*min(loss, boostMost) }

// expected is the share of the oracle's speed that is left where so much is lost: the inverse.
func expected(cost float64) float64 {
	low, high := 0.0, boostMost
	for range 50 {
		if middle := (low + high) / 2; lost(middle) < cost {
			low = middle
		} else {
			high = middle
		}
	}
	return share(low)
}

// boost learns an ensemble from matrices. Where a configuration is not legal it says nothing.
func (l *learner) boost(matrices []int) *Ensemble {
	configs := l.portfolio(matrices)
	e := &Ensemble{Base: make([]float64, len(configs)), Times: l.times(matrices, configs)}
	start := make([][]float64, len(l.names))
	for _, m := range matrices {
		start[m] = slower(e.Times, &l.facts[m])
	}
	usable := l.boostable()
	for _, f := range usable {
		e.Features = append(e.Features, features[f].Name)
		low, high := math.Inf(1), math.Inf(-1)
		for _, m := range matrices {
			low, high = min(low, l.values[f][m]), max(high, l.values[f][m])
		}
		e.Low, e.High = append(e.Low, low), append(e.High, high)
	}
	for i, c := range configs {
		e.Configs = append(e.Configs, l.configs[c])
		n := 0.0
		for _, m := range matrices {
			if l.takes[m][c] {
				e.Base[i] += lost(l.loss[m][c]) - start[m][i]
				n++
			}
		}
		e.Base[i] /= max(1, n)
	}

	for n := range boosts {
		left := make([][]float64, len(l.names)) // what is not explained yet, by matrix and configuration
		for _, m := range matrices {
			left[m] = make([]float64, len(configs))
			for i, c := range configs {
				if l.takes[m][c] {
					left[m][i] = lost(l.loss[m][c]) - start[m][i] - e.Base[i]
				}
			}
		}

		g := &booster{table: l.table, predicts: configs, features: usable, left: left,
			rng: rand.New(rand.NewPCG(uint64(n+1), uint64(len(matrices))))}
		for range boostTrees {
			e.Trees = append(e.Trees, g.grow(matrices))
		}
	}

	return e
}

// boostable lists the features that an ensemble splits on. Sizes are relative to the device, if something of it
// is known.
func (t *table) boostable() []int {
	var list []int
	for f := range features[:others] {
		size := slices.Contains([]string{"nonzeros", "rows", "cols", "empty_rows"}, features[f].Name)
		if known := t.facts[0].Hardware != (Hardware{}); !t.missing[f] && !(known && size) {
			list = append(list, f)
		}
	}
	return list
}

// portfolio chooses, one after the other, the configurations that lower the mean of what
// the best of them loses most. The first is legal on any matrix, if there is such a one.
func (l *learner) portfolio(matrices []int) []int {
	best := make(map[int]float64, len(matrices))
	for _, m := range matrices {
		best[m] = lost(boostMost)
	}
	var chosen []int

	for len(chosen) < portfolio {
		next, most := -1, 1e-4*float64(len(matrices))
		for c, open := range l.open {
			if !open || len(chosen) == 0 && l.limited[c] && l.sure >= 0 {
				continue
			}
			gain := 0.0
			for _, m := range matrices {
				if l.takes[m][c] {
					gain += max(0, best[m]-lost(l.loss[m][c]))
				}
			}

			if gain > most+same || len(chosen) == 0 && next < 0 {
				next, most = c, max(gain, most)
			}
		}

		if next < 0 {
			break
		}
		chosen = append(chosen, next)
		for _, m := range matrices {
			if l.takes[m][next] {
				best[m] = min(best[m], lost(l.loss[m][next]))
			}
		}
	}

	return chosen
}

// A booster grows the trees of an ensemble.
type booster struct {
	*table
	predicts []int // numbers of the configurations
	features []int // numbers of those that it may split on
	left     [][]float64
	rng      *rand.Rand
}

// grow returns a tree and subtracts its predictions from the residuals.
func (g *booster) grow(matrices []int) Boost {
	var b Boost
	var add [boostLeaves][]float64
	g.node(&b, &add, 0, matrices)
	largest := 0.0
	for _, leaf := range add {
		largest = max(largest, floats.Norm(leaf, math.Inf(1)))
	}

	b.Scale = float32(largest / math.MaxInt8)
	for i, leaf := range add {
		b.Add[i] = make([]int8, len(g.left[matrices[0]]))
		for c, x := range leaf {
			if b.Scale > 0 {
				b.Add[i][c] = int8(math.Round(max(-math.MaxInt8, min(x/float64(b.Scale), math.MaxInt8))))
			}
		}
	}
	return b
}

// node grows what is below split or leaf i of a tree.
func (g *booster) node(b *Boost, add *[boostLeaves][]float64, i int, matrices []int) {
	if i >= boostSplits {
		add[i-boostSplits] = g.leaf(matrices)
		return
	}
	b.Threshold[i] = math.MaxFloat32
	f, at, ok := g.split(matrices, g.sum(matrices))
	if !ok {
		g.node(b, add, 2*i+1, matrices)
		return
	}

	b.Feature[i], b.Threshold[i] = uint8(f), float32(at)
	below, above := g.part(matrices, g.features[f], at)
	g.node(b, add, 2*i+1, below)
	g.node(b, add, 2*i+2, above)
}

// leaf gives what a leaf adds, and subtracts it from the residuals: of each configuration a share of the mean over the
// matrices on which it is legal, as if there were boostLeaf of them at least.
func (g *booster) leaf(matrices []int) []float64 {
	sum := g.sum(matrices)
	for i := range sum {
		legal := 0
		for _, m := range matrices {
			if g.takes[m][g.predicts[i]] {
				legal++
			}
		}
		sum[i] *= boostRate / float64(max(legal, boostLeaf))
	}
	for _, m := range matrices {
		for i, x := range sum {
			if g.takes[m][g.predicts[i]] {
				g.left[m][i] -= x
			}
		}
	}
	floats.Scale(1.0/boosts, sum)
	return sum
}

func (g *booster) sum(matrices []int) []float64 {
	sum := make([]float64, len(g.left[matrices[0]]))
	for _, m := range matrices {
		floats.Add(sum, g.left[m])
	}
	return sum
}

// split finds the split that explains most: the largest sum of squared means of both
// sides, weighted by their sizes.
func (g *booster) split(matrices []int, sum []float64) (feature int, at float64, ok bool) {
	n := len(matrices)
	if n < 2*boostLeaf {
		return 0, 0, false
	}
	most := 0.0
	for _, x := range sum {
		most += x * x
	}

	most = most/float64(n) + same
	below := make([]float64, len(sum))
	rising := g.rising(matrices)
	for _, f := range g.rng.Perm(len(g.features))[:max(1, len(g.features)/boostShare)] {
		v := g.values[g.features[f]]
		sorted := rising(g.features[f])
		clear(below)
		for i, m := range sorted[:n-boostLeaf] {
			floats.Add(below, g.left[m])
			low, high := v[m], v[sorted[i+1]]
			if i+1 < boostLeaf || float32(low) == float32(high) {
				continue
			}

			var b, a float64
			for c, x := range below {
				b += x * x
				a += (sum[c] - x) * (sum[c] - x)
			}

			gain := b/float64(i+1) + a/float64(n-i-1)
			if gain <= most+same {
				continue
			}
			if x := float64(float32(threshold(low, high))); low <= x && x < high { // a forest keeps single precision
				feature, at, most, ok = f, x, gain, true
			}
		}
	}

	return feature, at, ok
}
