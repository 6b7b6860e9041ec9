package replay

import (
	"math"
	"slices"
)

// Fractions say how near the best a search should come, in the order of a report.
var Fractions = []float64{0.05, 0.02, 0.01}

// An Outcome sums up the replays of a strategy on a grid.
type Outcome struct {
	Strategy string
	Grid     *Grid
	Paths    []Path
	Within   []Reach // what it took to come within each of Fractions
	End      Reach   // what it took until the searches ended by themselves
	Loss     float64 // median loss in the end, see Point
	Short    int     // number of steps that wanted more samples than were recorded
}

// A Reach is what searches took to reach a state and stay there, as medians over the
// searches; +Inf where more than half of them never do.
type Reach struct {
	Steps   float64
	Share   float64 // share of the device time of the exhaustive grid
	Worst   float64 // the same for the 90th percentile of the searches
	Reached int     // number of searches that reached the state
}

// Sum returns the outcome of replays.
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

// Quantile returns the value below which a share p of the values lies, NaN of none. The
// median of two is the lower one, because +Inf may be among the values.
func Quantile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}
