package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// A forest predicts a value from the place of a configuration: the mean over regression
// trees that were each grown on a bootstrap sample, with some axes left out at each split
// at random (Breiman, Machine Learning 45, 2001). How far the trees disagree is how
// unsure it is.
type forest []tree

// trees is how many trees a forest has. SMAC has ten.
const trees = 10

// grow fits a forest to values of configurations.
func (g *grower) grow(configs []int, values []float64) forest {
	f := make(forest, trees)
	rows := make([]row, len(configs))
	for t := range f {
		for i := range rows {
			j := g.rng.IntN(len(configs))
			rows[i] = row{configs[j], values[j]}
		}
		g.tree = nil
		g.node(rows)
		f[t] = g.tree
	}
	return f
}

// predict gives the mean and the variance of the prediction: that between the trees
// and within their leaves (the law of total variance; Hutter, Xu, Hoos and
// Leyton-Brown, Artificial Intelligence 206, 2014, 4.3.2).
func (f forest) predict(s *Space, config int) (mean, variance float64) {
	var sum, squares, within float64
	for _, t := range f {
		n := t.leaf(s, config)
		sum += n.mean
		squares += n.mean * n.mean
		within += n.variance
	}
	k := float64(len(f))
	mean = sum / k
	return mean, max(squares/k-mean*mean, 0) + within/k
}

// A tree is a list of nodes; the first is its root.
type tree []node

// A node splits along an axis, or is a leaf.
type node struct {
	axis           int    // leafAxis, kernelAxis or an axis of the space
	cut            int16  // along an axis: up to this rank goes left
	left           []bool // by kernel: these go left
	low, high      int32  // children
	mean, variance float64
}

const (
	leafAxis   = -1
	kernelAxis = -2
)

func (n *node) goesLeft(s *Space, config int) bool {
	if n.axis == kernelAxis {
		return n.left[s.kernel[config]]
	}
	return s.ranks[config][n.axis] <= n.cut
}

func (t tree) leaf(s *Space, config int) *node {
	n := &t[0]
	for n.axis != leafAxis {
		if n.goesLeft(s, config) {
			n = &t[n.low]
		} else {
			n = &t[n.high]
		}
	}
	return n
}

// A row is a value of a configuration.
type row struct {
	config int
	value  float64
}

// A grower grows trees, one after the other.
type grower struct {
	space *Space
	rng   *rand.Rand
	tree  tree
	bins  []bin // of an axis, or of the kernels
}

// A bin sums up the rows at one place of an axis.
type bin struct {
	n   int
	sum float64
	id  int // of the kernel
}

// smallest is how many values a node has at least that is split.
const smallest = 3

// node adds the node of some rows, with all below it, and returns its index. It brings
// the rows into another order.
func (g *grower) node(rows []row) int32 {
	at := int32(len(g.tree))
	n := node{axis: leafAxis}
	n.mean, n.variance = moments(rows)
	g.tree = append(g.tree, n)
	if len(rows) < smallest || n.variance < 1e-12 || !g.split(&n, rows) {
		return at
	}
	middle := 0
	for i, r := range rows {
		if n.goesLeft(g.space, r.config) {
			rows[i], rows[middle] = rows[middle], r
			middle++
		}
	}
	n.low = g.node(rows[:middle])
	n.high = g.node(rows[middle:])
	g.tree[at] = n
	return at
}

func moments(rows []row) (mean, variance float64) {
	for _, r := range rows {
		mean += r.value
	}
	mean /= float64(len(rows))
	for _, r := range rows {
		variance += (r.value - mean) * (r.value - mean)
	}
	return mean, variance / float64(len(rows))
}

// considered is the share of the axes that a split looks at, as SMAC does.
const considered = 5.0 / 6

// split finds the split that leaves the least variance and reports whether there is one.
func (g *grower) split(n *node, rows []row) bool {
	least := math.Inf(1)
	for axis := kernelAxis; axis < len(g.space.values); axis++ {
		if axis == leafAxis || g.rng.Float64() >= considered {
			continue
		}
		g.fill(axis, rows)
		first, last, score := g.cut(n.mean)
		if score >= least {
			continue
		}
		least, n.axis = score, axis
		if axis == kernelAxis {
			n.left = make([]bool, len(g.space.kernels))
			for _, b := range g.bins[:first+1] {
				n.left[b.id] = true
			}
			continue
		}
		// Anywhere between the two, since nothing is known of there.
		n.cut = int16(first + g.rng.IntN(last-first))
	}
	return n.axis != leafAxis
}

// fill sorts rows into bins along an axis.
func (g *grower) fill(axis int, rows []row) {
	size := len(g.space.kernels)
	if axis != kernelAxis {
		size = len(g.space.values[axis])
	}
	g.bins = slices.Grow(g.bins[:0], size)[:size]
	clear(g.bins)
	for _, r := range rows {
		i := g.space.kernel[r.config]
		if axis != kernelAxis {
			i = int(g.space.ranks[r.config][axis])
		}
		g.bins[i].n++
		g.bins[i].sum += r.value
	}
	if axis == kernelAxis {
		for i := range g.bins {
			g.bins[i].id = i
		}
		g.bins = slices.DeleteFunc(g.bins, func(b bin) bool { return b.n == 0 })
		sortByMean(g.bins)
	}
}

// cut finds the best place to cut the bins: after first, before last, with none that
// has rows between. The score is the sum of squares about both means, less a constant.
func (g *grower) cut(mean float64) (first, last int, score float64) {
	score = math.Inf(1)
	var all, left bin
	for _, b := range g.bins {
		all.n += b.n
		all.sum += b.sum - float64(b.n)*mean
	}
	before := -1
	for i, b := range g.bins {
		if b.n == 0 {
			continue
		}
		if before >= 0 {
			right := all.sum - left.sum
			if s := -left.sum*left.sum/float64(left.n) - right*right/float64(all.n-left.n); s < score {
				first, last, score = before, i, s
			}
		}
		left.n += b.n
		left.sum += b.sum - float64(b.n)*mean
		before = i
	}
	return first, last, score
}

// sortByMean orders the bins of kernels by their means: the best of all ways to part
// kernels in two is one that parts this order (Breiman et al., Classification and
// Regression Trees, 1984, 9.4).
func sortByMean(bins []bin) {
	slices.SortFunc(bins, func(a, b bin) int {
		return cmp.Or(cmp.Compare(a.sum/float64(a.n), b.sum/float64(b.n)), cmp.Compare(a.id, b.id))
	})
}
