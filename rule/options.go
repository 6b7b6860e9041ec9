package rule

import (
	"fmt"
	"math"
)

// Options steer learning. Start from DefaultOptions.
type Options struct {
	// MaxDepth is the most splits on a path from the root to a leaf, a guard not counted.
	MaxDepth int
	// MinLeaf is the fewest matrices in a leaf; from a large corpus, a fiftieth of them.
	MinLeaf int
	// MinGain is the least that a split must save: the decrease of the mean loss
	// (log time) over the matrices of the node that it splits. Configurations whose
	// mean loss in a leaf is within half of it are near ties.
	MinGain float64
	// Prune says whether a tree is pruned, as far as its result on families left out does not
	// get worse.
	Prune bool
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
	// Tail is what a loss beyond that of 0.75 of the oracle costs more, as a multiple: the worst
	// choices weigh more than the mean.
	Tail float64
	// Tie is how much slower than the oracle, as a fraction of its time, a
	// configuration may be and still count as equally good.
	Tie float64
	// Overlap is the same for a configuration whose 95% interval overlaps the
	// oracle's. The bound keeps a badly measured configuration, whose interval
	// overlaps everything, from being a free choice.
	Overlap float64
	// Estimate is the extra time charged for a configuration that was not tried on a matrix, as
	// a fraction of the time of the kernel's nearest configuration that was tried. It makes
	// measurements win over guesses.
	Estimate float64
	// Unknown is the least time charged for a kernel of which nothing was tried on a matrix, as
	// a multiple of the oracle's time. If the slowest measurement on that matrix is slower,
	// that is charged.
	Unknown float64
	// Failure is the same for a configuration that was tried and gave no verified
	// time.
	Failure float64
}

// DefaultOptions give trees that people can read: at most 32 leaves, and
// their guards.
var DefaultOptions = Options{
	MaxDepth: 5,
	MinLeaf:  2,
	MinGain:  0.01,
	Prune:    true,
	Tail:     0.5,
	Tie:      0.01,
	Overlap:  0.10,
	Estimate: 0.05,
	Unknown:  2,
	Failure:  10,
}

// maxDepth bounds MaxDepth and the trees that Read accepts.
const maxDepth = 32

// Check says which option is outside its bounds.
func (o Options) Check() error {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case o.MaxDepth < 0 || o.MaxDepth > maxDepth:
		return fmt.Errorf("depth bound %d is outside 0 to %d", o.MaxDepth, maxDepth)
	case o.Products < 0:
		return fmt.Errorf("%d products: must be 0 or more", o.Products)
	case o.MinLeaf < 1:
		return fmt.Errorf("at least %d matrices in a leaf: must be 1 or more", o.MinLeaf)
	case !finite(o.Tail) || o.Tail < 0:
		return fmt.Errorf("weight of the tail is %v: must be 0 or more", o.Tail)
	case !finite(o.MinGain) || o.MinGain < 0:
		return fmt.Errorf("least gain of a split is %v: must be 0 or more", o.MinGain)

	case !finite(o.Tie) || !finite(o.Overlap) || !finite(o.Estimate) || o.Tie < 0 || o.Overlap < 0 || o.Estimate < 0:
		return fmt.Errorf("tie %v, overlap %v and estimate %v must be 0 or more", o.Tie, o.Overlap, o.Estimate)
	case !finite(o.Unknown) || !finite(o.Failure) || o.Unknown < 1 || o.Failure < 1:
		return fmt.Errorf("charges of unknown kernels (%v) and failures (%v) must be 1 or more", o.Unknown, o.Failure)
	}

	return nil
}
