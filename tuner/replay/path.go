package replay

import (
	"math"
	"math/rand/v2"
	"slices"

	"spmvtune/tuner/search"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A Path is the course of one search: what was known after each of its steps.
type Path struct {
	Points []Point
	Short  int // number of steps that wanted more samples than were recorded
}

// A Point is the state of a search after a step.
type Point struct {
	Steps   int     // number of steps so far
	Seconds float64 // device time so far
	// Loss is how much slower the best that the search knows is than the best of the grid,
	// as a fraction; 0 where the data can't tell, and +Inf before the first result.
	Loss float64
}

// run replays one search.
func run(g *Grid, space *search.Space, strategy string, seed uint64) (Path, error) {
	s, err := search.New(strategy, space, seed)
	if err != nil {
		return Path{}, err
	}
	var p Path
	rng := rand.New(rand.NewPCG(seed, 0))
	told := make([]float64, len(g.Trials)) // medians that were told last; 0: none
	losses, now := g.losses(), Point{Loss: math.Inf(1)}

	incumbent := -1
	for {
		step, more := s.Ask()
		if !more {
			return p, nil
		}

		r := g.Trials[step.Config]
		n := len(r.Samples)
		if step.Partial() {
			if measured(&r) && n < step.Samples[1] && r.Stop != trial.StopSlow { // which has no more, and needs none
				p.Short++
			}
			n = min(n, step.Samples[1])
			now.Seconds += g.Cost.partial(&r, n)
		} else {
			now.Seconds += g.Cost.Of(&r, n)
		}
		now.Steps++

		if !measured(&r) {
			r.Status = trial.Invalid
		} else {
			r = partial(r, rng.IntN(len(r.Samples)-n+1), n)
			told[step.Config] = r.Median
			switch {
			case incumbent < 0 || r.Median < told[incumbent] && step.Config != incumbent:
				incumbent = step.Config
			case step.Config == incumbent: // it may be slower than it seemed
				incumbent = leastOf(told)
			}
			now.Loss = losses[incumbent]
		}
		s.Tell(step, r)
		p.Points = append(p.Points, now)
	}
}

// partial returns r as it would be with n of its samples, from one on.
func partial(r trial.Result, from, n int) trial.Result {
	if n < len(r.Samples) {
		r.Samples = r.Samples[from : from+n]
		r.Median = stat.Median(slices.Sorted(slices.Values(r.Samples)))
	}
	return r
}

// leastOf returns the index of the least value above 0, -1 if there is none.
func leastOf(told []float64) int {
	least := -1
	for i, v := range told {
		if v > 0 && (least < 0 || v < told[least]) {
			least = i
		}
	}
	return least
}

// Within returns the state after which a search stays within a fraction of the best; ok is
// false if it ends outside.
func (p Path) Within(fraction float64) (at Point, ok bool) {
	for i, at := range slices.Backward(p.Points) {
		if at.Loss > fraction {
			if i+1 == len(p.Points) {
				return Point{}, false
			}
			return p.Points[i+1], true
		}
	}

	if len(p.Points) == 0 {
		return Point{}, false
	}
	return p.Points[0], true
}

// End returns the state after the last step.
func (p Path) End() Point {
	if len(p.Points) == 0 {
		return Point{Loss: math.Inf(1)}
	}
	return p.Points[len(p.Points)-1]
}
