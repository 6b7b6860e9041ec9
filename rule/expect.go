package rule

import (
	"cmp"
	"fmt"
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// An Expectation is what a rule expects of one configuration on a matrix.
type Expectation struct {
	Config  kernels.Config
	Seconds float64 // that a product takes
	Spread  float64 // standard deviation of the time's logarithm
}

// Expect lists every legal configuration of the rule's ensemble, or of the leaf where there is none, with the expected
// times, the fastest first. k is taken as by Select; on is the device to choose for, none: the rule's own.
func (r *Rule) Expect(k Key, f sparse.Features, on Hardware) ([]Expectation, error) {
	s, err := r.Find(k)
	if err != nil {
		return nil, err
	}
	c, err := r.Select(k, f, Wanted{Accurate: s.Ensemble != nil, On: on})
	if err != nil {
		return nil, fmt.Errorf("expecting times: %w", err)
	}
	list := make([]Expectation, 0, len(c.Shortlist))
	last := guessed(Traffic(&f, k.Precision))
	for _, ranked := range c.Shortlist {
		last = cmp.Or(ranked.Seconds, last)
		list = append(list, Expectation{ranked.Config, last, spread})
	}
	slices.SortStableFunc(list, func(a, b Expectation) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list, nil
}

// spread is the standard deviation of the logarithm of a time over what is expected of it.
const spread = 0.4

// guessed is the time of a product where nothing of its size was measured: a launch, and a terabyte a second.
func guessed(bytes float64) float64 { return 3e-6 + bytes/1e12 }
