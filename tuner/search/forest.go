package search

// A forest predicts a value from the place of a configuration: the mean over regression
// trees that were each grown on a bootstrap sample, with some axes left out at each split
// at random (Breiman, Machine Learning 45, 2001). How far the trees disagree is how
// unsure it is.
type forest []tree

// trees is how many trees a forest has. SMAC has ten.
const trees = 10

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
	return s.ranks[n.axis][config] <= n.cut
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
