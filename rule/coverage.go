package rule

import (
	"context"
	"math"
	"slices"
)

// A Coverage says how far forecasts of times can be trusted, on families left out.
type Coverage struct {
	Matrices int     `json:"matrices"`   // on which the choice was measured
	Forecast int     `json:"forecast"`   // of them, those with a forecast
	Inside   float64 `json:"inside"`     // share of their times that are inside the interval
	Nominal  float64 `json:"nominal"`    // the same if each were of its leaf's kind: mean of Forecast.Share
	Off      float64 `json:"off_median"` // time over forecast, or forecast over time: median of the larger
}

// coverage forecasts the time of the choice on each matrix from what is learned without its
// family, and checks whether the measured time is inside the interval.
func (t *table) coverage(ctx context.Context, opt Options) (Coverage, error) {
	parts := make([]Coverage, len(t.names))
	off := make([][]float64, len(t.names))
	err := t.each(ctx, func(part int, in, out []int) {
		l := newLearner(t, opt, in)
		tree, _ := l.finish(l.grow(in, opt.MaxDepth))
		p := &parts[part]

		for _, m := range out {
			leaf, _ := tree.walk(&t.facts[m])
			first := leaf.legal(&t.facts[m])[0]
			o := t.seen[m][t.at(leaf.at(first))]
			if !o.measured() {
				continue
			}

			p.Matrices++
			f := leaf.forecast(&t.facts[m]).slower(leaf.slower(first))
			if f == nil {
				continue
			}

			p.Forecast++
			p.Nominal += f.Share()
			if f.Low <= o.Seconds && o.Seconds <= f.High {
				p.Inside++
			}
			off[part] = append(off[part], math.Exp(math.Abs(math.Log(o.Seconds/f.Seconds))))
		}
	})
	if err != nil {
		return Coverage{}, err
	}

	var c Coverage
	for _, p := range parts {
		c.Matrices, c.Forecast = c.Matrices+p.Matrices, c.Forecast+p.Forecast
		c.Inside, c.Nominal = c.Inside+p.Inside, c.Nominal+p.Nominal
	}

	if c.Forecast > 0 {
		c.Inside, c.Nominal = c.Inside/float64(c.Forecast), c.Nominal/float64(c.Forecast)
		all := slices.Sorted(slices.Values(slices.Concat(off...)))
		c.Off = all[len(all)/2]
	}
	return c, nil
}
