package search

import (
	"math"
	"slices"
	"sort"
)

// A Curve is how near the best the searches of one strategy are, over device time.
type Curve struct {
	Strategy string
	Points   []CurvePoint
	End      CurvePoint // where searches ended by themselves, over the medians of each grid
}

// A CurvePoint is the state of searches after a share of the device time of their
// exhaustive grids: the median and the quartiles of their losses, see [Point]. They are
// +Inf as long as too few searches have a result. A search that has ended stays where it
// is.
type CurvePoint struct {
	Share             float64
	Low, Median, High float64
}

// Converge returns the curves of outcomes at these shares, one for each strategy in the
// order in which they come. All searches count alike.
func Converge(outcomes []Outcome, shares []float64) []Curve {
	var curves []Curve
	for i := range outcomes {
		name := outcomes[i].Strategy
		if slices.ContainsFunc(curves, func(c Curve) bool { return c.Strategy == name }) {
			continue
		}
		curves = append(curves, converge(outcomes[i:], name, shares))
	}
	return curves
}

func converge(outcomes []Outcome, strategy string, shares []float64) Curve {
	c := Curve{Strategy: strategy}
	losses := make([][]float64, len(shares)) // losses of all searches, by share

	var ends, last []float64
	for _, o := range outcomes {
		if o.Strategy != strategy {
			continue
		}
		whole := o.Grid.Exhaustive()
		for _, p := range o.Paths {
			for i, share := range shares {
				losses[i] = append(losses[i], p.after(share*whole))
			}
		}
		ends, last = append(ends, o.End.Share), append(last, o.Loss)
	}

	for i, share := range shares {
		c.Points = append(c.Points, pointOf(share, losses[i]))
	}
	c.End = pointOf(Quantile(ends, 0.5), last)
	return c
}

func pointOf(share float64, losses []float64) CurvePoint {
	return CurvePoint{share, Quantile(losses, 0.25), Quantile(losses, 0.5), Quantile(losses, 0.75)}
}

// after returns the loss after a time in seconds, +Inf before the first result.
func (p Path) after(seconds float64) float64 {
	n := sort.Search(len(p.Points), func(i int) bool { return p.Points[i].Seconds > seconds*(1+1e-12) })
	if n == 0 {
		return math.Inf(1)
	}
	return p.Points[n-1].Loss
}
