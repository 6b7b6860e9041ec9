package rule

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	boosts     = 3 // number of sums that are averaged
	boostTrees = 80
	boostDepth = 3
	boostLeaf  = 4   // fewest matrices in a leaf
	boostRate  = 0.1 // share of a leaf that is added
	boostShare = 3   // a split looks at every third feature
	portfolio  = 16  // most configurations to choose from
)

// lost is the share of the oracle's speed that is lost.
func lost(loss float64) float64 { return 1 - share(loss) }

// boost learns an ensemble from matrices. start is +Inf for what can't be chosen.
func (t *table) boost(matrices []int, start []float64) *Ensemble {
	configs := t.portfolio(matrices, start)
	e := &Ensemble{Base: make([]float64, len(configs))}
	for i, c := range configs {
		e.Configs = append(e.Configs, t.configs[c])
		for _, m := range matrices {
			e.Base[i] += lost(t.loss[m][c]) / float64(len(matrices))
		}
	}

	for n := range boosts {
		left := make([][]float64, len(t.names)) // what is not explained yet, by matrix and configuration
		for _, m := range matrices {
			left[m] = make([]float64, len(configs))
			for i, c := range configs {
				left[m][i] = lost(t.loss[m][c]) - e.Base[i]
			}
		}

		g := &booster{table: t, left: left, rng: rand.New(rand.NewPCG(uint64(n+1), uint64(len(matrices))))}
		for range boostTrees {
			e.Trees = append(e.Trees, g.grow(matrices, boostDepth))
		}
	}

	return e
}

// portfolio chooses, one after the other, the configurations that lower the mean of what
// the best of them loses most.
func (t *table) portfolio(matrices []int, start []float64) []int {
	best := make(map[int]float64, len(matrices))
	for _, m := range matrices {
		best[m] = 1
	}
	var chosen []int

	for len(chosen) < portfolio {
		next, most := -1, 1e-4*float64(len(matrices))
		for c, s := range start {
			if s != 0 {
				continue
			}
			gain := 0.0
			for _, m := range matrices {
				gain += max(0, best[m]-lost(t.loss[m][c]))
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
			best[m] = min(best[m], lost(t.loss[m][next]))
		}
	}

	return chosen
}

// A booster grows the trees of an ensemble.
type booster struct {
	*table
	left [][]float64
	rng  *rand.Rand
}

// grow returns a tree and subtracts its predictions from the residuals.
func (g *booster) grow(matrices []int, depth int) *Boost {
	sum := g.sum(matrices)
	if f, at, ok := g.split(matrices, sum); ok && depth > 0 {
		var below, above []int
		for _, m := range matrices {
			if g.values[f][m] <= at {
				below = append(below, m)
			} else {
				above = append(above, m)
			}
		}

		return &Boost{Feature: features[f].Name, Threshold: at, Below: g.grow(below, depth-1),
			Above: g.grow(above, depth-1)}
	}

	n := float64(len(matrices))
	leaf := &Boost{Add: make([]float64, len(sum))}
	for i := range sum {
		sum[i] *= boostRate / n
		// Five digits are far below what can be measured, and keep the rule's file small.
		leaf.Add[i] = math.Round(sum[i]/boosts*1e5) / 1e5
	}

	for _, m := range matrices {
		for i, x := range sum {
			g.left[m][i] -= x
		}
	}
	return leaf
}

func (g *booster) sum(matrices []int) []float64 {
	sum := make([]float64, len(g.left[matrices[0]]))
	for _, m := range matrices {
		for i, x := range g.left[m] {
			sum[i] += x
		}
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
	for _, f := range g.rng.Perm(len(features))[:len(features)/boostShare] {
		v := g.values[f]
		sorted := slices.Clone(matrices)
		slices.SortStableFunc(sorted, func(a, b int) int {
			switch {
			case v[a] < v[b]:
				return -1
			case v[a] > v[b]:
				return 1
			}
			return 0
		})

		clear(below)
		for i, m := range sorted[:n-boostLeaf] {
			for c, x := range g.left[m] {
				below[c] += x
			}
			low, high := v[m], v[sorted[i+1]]
			if i+1 < boostLeaf || low == high {
				continue
			}

			var b, a float64
			for c, x := range below {
				b += x * x
				a += (sum[c] - x) * (sum[c] - x)
			}

			if gain := b/float64(i+1) + a/float64(n-i-1); gain > most+same {
				feature, at, most, ok = f, threshold(low, high), gain, true
			}
		}
	}

	return feature, at, ok
}
