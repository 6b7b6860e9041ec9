// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/spmvtune/internal/base/lists"
)

// same is the difference of total losses below which two of them are equal: far
// above the rounding of sums, far below what can be measured.
const same = 1e-9

// tail is the loss from which on a choice is one of the worst: 0.75 of the oracle.
var tail = -math.Log(missed)

// leafShare is how many leaves of the fewest matrices a corpus can be divided into.
const leafShare = 50

// failureShare is which part of the matrices a configuration may fail on, where it is known to be legal, and
// still be chosen: one in so many, and one at least. Of what fails more often, no feature tells where it does.
const failureShare = 50

// A learner grows trees on some of the matrices of a table. It does not see the others.
type learner struct {
	*table
	opt      Options
	cost     [][]float64 // what it minimises, by matrix and configuration; nil for the matrices that it does not see
	features int         // number of features that it may split on: the first ones
	start    []float64   // per configuration 0, or +Inf if it can't be chosen
	open     []bool      // what an ensemble can choose: also what matrices have to be asked about
	sure     int         // of the configurations that are legal on any matrix the best single one; -1: there is none
	adjacent [][]int
	sum      []float64 // scratch
	left     []float64
}

// newLearner returns a learner for the given matrices. What can be chosen are the configurations that
// were measured on at least one of those on which they are legal, and hardly ever failed there.
func newLearner(t *table, opt Options, matrices []int) *learner {
	use, failed, legal := make([]bool, len(t.configs)), make([]int, len(t.configs)), make([]int, len(t.configs))
	tried := make([]bool, len(t.configs))
	for _, m := range matrices {
		for c, e := range t.evidence[m] {
			tried[c] = tried[c] || e == Measured && !slices.Contains(opt.Without, t.configs[c].Kernel)
			if !t.fits[m][c] {
				continue
			}
			legal[c]++
			use[c] = use[c] || e == Measured && !slices.Contains(opt.Without, t.configs[c].Kernel)
			if e == Failed {
				failed[c]++
			}
		}
	}
	sure := slices.Clone(use)
	for c, n := range failed {
		sure[c] = use[c] && n <= max(1, legal[c]/failureShare)
	}
	if slices.Contains(sure, true) {
		use = sure
	}

	// In a large corpus, a leaf of a few matrices belongs to one family.
	opt.minLeaf = max(opt.minLeaf, len(matrices)/leafShare)
	l := &learner{
		table: t, opt: opt, features: shape,
		start:    make([]float64, len(use)),
		adjacent: neighbours(t.configs, use),
		sum:      make([]float64, len(use)),
		left:     make([]float64, len(use)),
		cost:     make([][]float64, len(t.names)),
	}
	for _, m := range matrices {
		l.cost[m] = lists.Of(t.loss[m], weighted)
	}

	for c, used := range use {
		if !used {
			l.start[c] = math.Inf(1)
		}
		l.open = append(l.open, used || t.limited[c] && tried[c])
	}
	l.sure = l.best(matrices)
	for _, m := range matrices {
		for c := range l.cost[m] {
			if !t.fits[m][c] {
				l.cost[m][c] = weighted(l.charged(m, c))
			}
		}
	}
	return l
}

// weighted is what a loss costs. One beyond that of 0.75 of the oracle costs half as much again: the worst choices weigh
// more than the mean.
func weighted(loss float64) float64 { return loss + max(0, loss-tail)/2 }

// best chooses among the configurations that are legal on any matrix.
func (l *learner) best(matrices []int) int {
	some := *l
	some.start = slices.Clone(l.start)
	for c, limited := range l.limited {
		if limited {
			some.start[c] = math.Inf(1)
		}
	}
	if !slices.Contains(some.start, 0) {
		return -1
	}
	choice, _ := some.choose(matrices)
	return choice
}

// single is the best single configuration, legal on any matrix if there is one.
func (l *learner) single(matrices []int) int {
	if l.sure >= 0 {
		return l.sure
	}
	choice, _ := l.choose(matrices)
	return choice
}

// charged is what a choice loses on a matrix: where it is not legal, what the best single configuration does.
// A leaf's runners-up can only be better.
func (l *learner) charged(m, c int) float64 {
	if !l.fits[m][c] && l.sure >= 0 {
		c = l.sure
	}
	return l.loss[m][c]
}

// grow returns the tree for the given matrices, with at most depth splits on a path.
func (l *learner) grow(matrices []int, depth int) *Node {
	choice, least := l.choose(matrices)
	n := &Node{matrices: matrices, choice: choice,
		loss: lists.Sum(matrices, func(m int) float64 { return l.cost[m][choice] })}

	if depth > 0 {
		if s, ok := l.split(matrices, least); ok {
			n.Feature, n.Threshold = features[s.feature].Name, s.threshold
			below, above := l.part(matrices, s.feature, s.threshold)
			n.Below, n.Above = l.grow(below, depth-1), l.grow(above, depth-1)
		}
	}

	return n
}

// equip completes the leaves of a tree, but for those that are. A leaf says how fast its choice was on its matrices, and
// what else is good there, with its time over that of the choice.
func (l *learner) equip(root *Node) *Node {
	for _, leaf := range root.Leaves() {
		if leaf.Choice != nil {
			continue
		}
		choice, loss := l.configs[leaf.choice], 0.0
		leaf.Choice = &choice
		for _, m := range leaf.matrices {
			leaf.Matrices = append(leaf.Matrices, l.names[m])
			loss += l.charged(m, leaf.choice)
			o, bytes := l.seen[m][leaf.choice], Traffic(l.facts[m].Features, choice.Precision)
			if o.measured() && bytes > 0 {
				leaf.Speeds = append(leaf.Speeds, Speed{bytes, bytes / o.Seconds / 1e9})
			}
		}
		leaf.Fraction = math.Exp(-loss / float64(len(leaf.matrices)))
		slices.SortFunc(leaf.Speeds, func(a, b Speed) int {
			return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.GBPS, b.GBPS))
		})
		for _, c := range l.next(leaf.matrices, leaf.choice) {
			leaf.Next = append(leaf.Next, l.configs[c])
			leaf.NextTimes = append(leaf.NextTimes, l.slower(leaf.matrices, c, leaf.choice))
		}
	}
	return root
}

// choose returns the most robust of the configurations with nearly the least
// mean loss, and the least total loss itself. Near ties are decided by the
// smaller worst loss, then by the smaller mean loss of the neighbours, then by
// the order of the configurations.
func (l *learner) choose(matrices []int) (choice int, least float64) {
	sum := l.total(matrices)
	least = slices.Min(sum)

	n := float64(len(matrices))
	limit := least + l.opt.minGain/2*n + same
	choice = -1
	var worst, around float64

	for c, s := range sum {
		if s > limit {
			continue
		}
		w := 0.0
		for _, m := range matrices {
			w = max(w, l.cost[m][c])
		}

		a := s / n
		if near := l.adjacent[c]; len(near) > 0 {
			a = 0
			for _, d := range near {
				a += sum[d] / n / float64(len(near))
			}
		}

		if choice < 0 || w < worst-same || w <= worst+same && a < around-same {
			choice, worst, around = c, w, a
		}
	}

	return choice, least
}

// total sums the losses of each configuration over the matrices; it is +Inf for a configuration
// that can't be chosen. The result is valid until the next call.
func (l *learner) total(matrices []int) []float64 {
	copy(l.sum, l.start)
	for _, m := range matrices {
		floats.Add(l.sum, l.cost[m])
	}
	return l.sum
}

// A split sends the matrices whose feature does not exceed the threshold below,
// the others above.
type split struct {
	feature   int
	threshold float64
	gap       float64 // ratio of the values next to the threshold, infinite over 0
	total     float64 // loss, with the best configuration on each side
}

// rising gives the matrices of a node by rising value of a feature, in a list that is used again.
func (t *table) rising(matrices []int) func(feature int) []int {
	in, list := make([]bool, len(t.names)), make([]int, 0, len(matrices))
	for _, m := range matrices {
		in[m] = true
	}
	return func(feature int) []int {
		list = list[:0]
		for _, m := range t.order[feature] {
			if in[m] {
				list = append(list, m)
			}
		}
		return list
	}
}

// split finds the split with the least total loss, if it saves enough over
// least, the loss without one. Of equally good splits it takes the feature that
// stands first, and of a feature the threshold in the widest gap.
//
// Each feature takes one pass over its matrices in rising order. It sums the loss of each
// configuration on the left; the loss on the right is the rest of the total. This takes
// O(features · matrices · configurations).
func (l *learner) split(matrices []int, least float64) (best split, ok bool) {
	best.total = least - max(l.opt.minGain*float64(len(matrices)), 2*same)
	if len(matrices) < 2*l.opt.minLeaf || least <= same {
		return best, false
	}
	sum, rising := l.total(matrices), l.rising(matrices)
	for f := range l.features {
		sorted, v := rising(f), l.values[f]
		if v[sorted[0]] == v[sorted[len(sorted)-1]] {
			continue
		}
		copy(l.left, l.start)

		for i, m := range sorted[:len(sorted)-l.opt.minLeaf] {
			below, above := advance(l.left, sum, l.cost[m])
			if below > best.total+same {
				break // more matrices on the left only cost more
			}
			low, high := v[m], v[sorted[i+1]]
			if i+1 < l.opt.minLeaf || low == high {
				continue
			}

			s := split{f, threshold(low, high), high / low, below + above}
			if s.total < best.total-same || s.total <= best.total+same &&
				(!ok || s.feature == best.feature && s.gap > best.gap) {
				best, ok = s, true
			}
		}
	}

	return best, ok
}

// advance adds the losses of one matrix to the left side, and returns the least
// total loss of a configuration on the left and on the right.
func advance(left, sum, loss []float64) (below, above float64) {
	below, above = math.Inf(1), math.Inf(1)
	left, sum = left[:len(loss)], sum[:len(loss)]
	for c, x := range loss {
		x += left[c]
		left[c] = x
		if x < below {
			below = x
		}

		if r := sum[c] - x; r < above { // never for Inf − Inf, which is NaN
			above = r
		}
	}

	return below, above
}

// part divides matrices by a feature, keeping their order.
func (t *table) part(matrices []int, feature int, at float64) (below, above []int) {
	for _, m := range matrices {
		if t.values[feature][m] <= at {
			below = append(below, m)
		} else {
			above = append(above, m)
		}
	}
	return below, above
}

// threshold returns a number between low and high, low ≤ t < high, that people
// can read: with as few significant digits as keep it within the middle half of
// the gap, so that matrices much like either side stay on that side.
//
// If both are positive, the middle is that of their logarithms, because features span orders of
// magnitude: the middle between 1,000 and 1,000,000 rows is about 30,000.
func threshold(low, high float64) float64 {
	at := func(share float64) float64 { return low + (high-low)*share }
	if low > 0 {
		at = func(share float64) float64 { return low * math.Pow(high/low, share) }
	}
	for n := range 17 {
		t := digits(at(0.5), n+1)
		if t >= at(0.25) && t <= at(0.75) && low <= t && t < high {
			return t
		}
	}

	return low // no number lies between them
}
