package rule

import (
	"maps"
	"math"
	"slices"
	"strconv"
)

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
		var beyond []int
		for _, m := range all {
			if v[m] > at {
				beyond = append(beyond, m)
			}
		}

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
	// 0.072, not 0.07200000000000001
	up, _ := strconv.ParseFloat(strconv.FormatFloat(math.Ceil(x/unit)*unit, 'e', 1, 64), 64)
	return max(x, up)
}
