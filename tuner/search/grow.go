package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// A grower grows trees, one after the other.
type grower struct {
	space *Space
	rng   *rand.Rand
	tree  tree
	bins  []bin // by place along an axis, or by kernel; empty between splits
	order []bin // of those that have rows, as they are cut
}

// A bin sums up the rows at one place of an axis.
type bin struct {
	n     int
	sum   float64
	place int // along the axis, or the kernel
}

// grow fits a forest to values of configurations.
func (g *grower) grow(configs []int, values []float64) forest {
	f := make(forest, trees)
	drawn := make([]int32, len(configs)) // how often
	rows := make([]row, 0, len(configs))
	for t := range f {
		clear(drawn)
		for range configs {
			drawn[g.rng.IntN(len(configs))]++
		}
		rows = rows[:0]
		for i, n := range drawn {
			if n > 0 {
				rows = append(rows, row{int32(configs[i]), n, values[i]})
			}
		}
		g.tree = make(tree, 0, 2*len(rows)) // each split parts at least one row from the others
		g.node(rows, ^axes(0))
		f[t] = g.tree
	}
	return f
}

// A row is a value of a configuration, which counts n times.
type row struct {
	config, n int32
	value     float64
}

// axes are a set of those that a split may be along, the one of the kernels first. The
// few that a space has beyond their number are never split along.
type axes uint64

func (a axes) has(axis int) bool { return a>>(axis-kernelAxis)&1 == 1 }
func (a *axes) without(axis int) { *a &^= 1 << (axis - kernelAxis) }

// smallest is how many values a node has at least that is split.
const smallest = 3

// node adds the node of some rows, which differ along these axes at most, with all below
// it, and returns its index. It brings the rows into another order.
func (g *grower) node(rows []row, along axes) int32 {
	at := int32(len(g.tree))
	n := node{axis: leafAxis}
	var values int
	values, n.mean, n.variance = moments(rows)
	g.tree = append(g.tree, n)
	if values < smallest || n.variance < 1e-12 || !g.split(&n, rows, &along) {
		return at
	}
	middle := 0
	for i, r := range rows {
		if n.goesLeft(g.space, int(r.config)) {
			rows[i], rows[middle] = rows[middle], r
			middle++
		}
	}
	n.low = g.node(rows[:middle], along)
	n.high = g.node(rows[middle:], along)
	g.tree[at] = n
	return at
}

func moments(rows []row) (n int, mean, variance float64) {
	for _, r := range rows {
		n += int(r.n)
		mean += float64(r.n) * r.value
	}
	mean /= float64(n)
	for _, r := range rows {
		variance += float64(r.n) * (r.value - mean) * (r.value - mean)
	}
	return n, mean, variance / float64(n)
}

// considered is the share of the axes that a split looks at, as SMAC does.
const considered = 5.0 / 6

// split finds the split that leaves the least variance and reports whether there is one.
// Axes along which the rows turn out not to differ are left out from there on.
func (g *grower) split(n *node, rows []row, along *axes) bool {
	least := math.Inf(1)
	for axis := kernelAxis; axis < len(g.space.values); axis++ {
		if axis == leafAxis || !along.has(axis) || g.rng.Float64() >= considered {
			continue
		}
		if g.fill(axis, rows); len(g.order) < 2 {
			along.without(axis)
			continue
		}
		after, score := g.cut(n.mean)
		if score >= least {
			continue
		}
		least, n.axis = score, axis
		if axis == kernelAxis {
			n.left = make([]bool, len(g.space.kernels))
			for _, b := range g.order[:after] {
				n.left[b.place] = true
			}
			continue
		}
		// Anywhere between the two, since nothing is known of there.
		first, last := g.order[after-1].place, g.order[after].place
		n.cut = int16(first + g.rng.IntN(last-first))
	}
	return n.axis != leafAxis
}

// fill sorts rows into bins along an axis, and leaves those that have some in order. Most
// nodes have few rows at few places: only what lies between these is looked at.
func (g *grower) fill(axis int, rows []row) {
	if g.bins == nil {
		g.bins = make([]bin, g.space.most())
	}
	low, high := len(g.bins), -1
	places := g.space.kernel
	if axis != kernelAxis {
		places = g.space.ranks[axis]
	}
	for _, r := range rows {
		place := int(places[r.config])
		b := &g.bins[place]
		b.n += int(r.n)
		b.sum += float64(r.n) * r.value
		low, high = min(low, place), max(high, place)
	}
	g.order = g.order[:0]
	for i := low; i <= high; i++ {
		if b := &g.bins[i]; b.n > 0 {
			g.order = append(g.order, bin{b.n, b.sum, i})
			*b = bin{}
		}
	}
	if axis == kernelAxis {
		sortByMean(g.order)
	}
}

// cut finds the best place to cut two bins or more: so many of them are before it. The
// score is the sum of squares about both means, less a constant.
func (g *grower) cut(mean float64) (after int, score float64) {
	score = math.Inf(1)
	var all, left bin
	for _, b := range g.order {
		all.n += b.n
		all.sum += b.sum - float64(b.n)*mean
	}
	for i, b := range g.order {
		if i > 0 {
			right := all.sum - left.sum
			if s := -left.sum*left.sum/float64(left.n) - right*right/float64(all.n-left.n); s < score {
				after, score = i, s
			}
		}
		left.n += b.n
		left.sum += b.sum - float64(b.n)*mean
	}
	return after, score
}

// sortByMean orders the bins of kernels by their means: the best of all ways to part
// kernels in two is one that parts this order (Breiman et al., Classification and
// Regression Trees, 1984, 9.4).
func sortByMean(bins []bin) {
	slices.SortFunc(bins, func(a, b bin) int {
		return cmp.Or(cmp.Compare(a.sum/float64(a.n), b.sum/float64(b.n)), cmp.Compare(a.place, b.place))
	})
}
