package replay

import (
	"math"
	"slices"
)

// Fractions are how near the best a search is to come, in the order of a report.
var Fractions = []float64{0.05, 0.02, 0.01}

// An Outcome sums up the replays of a strategy on a grid.
type Outcome struct {
	Strategy string
	Grid     *Grid
	Paths    []Path
	Within   []Reach // of Fractions
	End      Reach   // of searches that ran until they ended by themselves
	Loss     float64 // in the end, median: the time of what was found over the best, less 1
	Short    int     // steps of all searches that wanted more samples than were recorded
}

// A Reach is what searches took to come to a state, and to stay there. Of several
// searches these are medians; +Inf where more than half of them never do.
type Reach struct {
	Steps   float64
	Share   float64 // of the device time of the exhaustive grid
	Worst   float64 // the same for the slowest tenth: its best
	Reached int     // of the searches
}

// Sum makes an outcome of replays.
func Sum(g *Grid, strategy string, paths []Path) Outcome {
	o := Outcome{Strategy: strategy, Grid: g, Paths: paths}
	whole := g.Exhaustive()
	for _, fraction := range Fractions {
		o.Within = append(o.Within, reach(paths, whole, func(p Path) (Point, bool) { return p.Within(fraction) }))
	}
	o.End = reach(paths, whole, func(p Path) (Point, bool) { return p.End(), true })
	var losses []float64
	for _, p := range paths {
		losses = append(losses, p.End().Loss)
		o.Short += p.Short
	}
	o.Loss = Quantile(losses, 0.5)
	return o
}

func reach(paths []Path, whole float64, state func(Path) (Point, bool)) (r Reach) {
	var steps, shares []float64
	for _, p := range paths {
		at, ok := state(p)
		if !ok {
			steps, shares = append(steps, math.Inf(1)), append(shares, math.Inf(1))
			continue
		}
		r.Reached++
		steps, shares = append(steps, float64(at.Steps)), append(shares, at.Seconds/whole)
	}
	r.Steps, r.Share, r.Worst = Quantile(steps, 0.5), Quantile(shares, 0.5), Quantile(shares, 0.9)
	return r
}

// Quantile is the value of a sample below which a share p of it lies, NaN of none. Half
// of a sample of two is its lower one: +Inf may be among the values.
func Quantile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}
