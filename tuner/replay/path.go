package replay

import (
	"math"
	"slices"

	"spmvtune/tuner/search"
)

// A Path is one search: what was known after each of its steps.
type Path struct {
	Points []Point
	Short  int // steps that wanted more samples than were recorded
}

// A Point is the state of a search after a step.
type Point struct {
	Steps   int     // so far
	Seconds float64 // of device time so far
	Loss    float64 // of the best that the search knows: its time over the lowest of the grid, less 1; +Inf before the first
}

// run replays one search.
func run(g *Grid, space *search.Space, strategy string, seed uint64) (Path, error) {
	s, err := search.New(strategy, space, seed)
	if err != nil {
		return Path{}, err
	}
	var p Path
	told := make([]float64, len(g.Trials)) // median that was told last, 0: none
	best, now := g.Best(), Point{Loss: math.Inf(1)}
	incumbent := -1
	for {
		step, more := s.Ask()
		if !more {
			return p, nil
		}
		t := &g.Trials[step.Config]
		f := search.Finding{Step: step, OK: t.OK}
		n := len(t.Samples)
		if step.Samples[1] > 0 {
			if t.OK && n < step.Samples[1] {
				p.Short++
			}
			n = min(n, step.Samples[1])
			now.Seconds += g.Cost.look(t, n)
		} else {
			now.Seconds += g.Cost.Of(t, n)
		}
		now.Steps++
		if t.OK {
			f.Samples = t.Samples[:n]
			f.Median, f.Low, f.High = summary(f.Samples)
			if n == len(t.Samples) {
				f.Median = t.Median
			}
			told[step.Config] = f.Median
			switch {
			case incumbent < 0 || f.Median < told[incumbent] && step.Config != incumbent:
				incumbent = step.Config
			case step.Config == incumbent: // it may be slower than it seemed
				incumbent = leastOf(told)
			}
			now.Loss = g.Trials[incumbent].Median/best - 1
		}
		s.Tell(f)
		p.Points = append(p.Points, now)
	}
}

// summary is the median and the range of samples.
func summary(samples []float64) (mid, low, high float64) {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]
}

func leastOf(told []float64) int {
	least := -1
	for i, v := range told {
		if v > 0 && (least < 0 || v < told[least]) {
			least = i
		}
	}
	return least
}

// Within is the state from which on a search stays within a fraction of the best to its
// end; ok is false if it ends outside.
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

// End is the state after the last step.
func (p Path) End() Point {
	if len(p.Points) == 0 {
		return Point{Loss: math.Inf(1)}
	}
	return p.Points[len(p.Points)-1]
}
