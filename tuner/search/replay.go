// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// Replay replays a strategy on a grid once for each seed from 1 to n, on all processors: a step is answered from
// what was measured already, an exhaustive grid with its raw samples, instead of a device. Thousands of searches take
// seconds that way, and each can be judged against the best there is.
//
// A partial measurement of n samples gets n that were recorded one after the other, from a random
// one on: on a busy machine all samples of some tenths of a second may be slow, and no search
// should be told the same ones each time. A trial under the protocol gets all of them. Where
// fewer were recorded than a step wants, it gets these, and the number of such steps is
// reported, but for trials that ended with their first products: these lose with what they
// have.
//
// The cost of a search is device time by a model, see [Cost]. What a search has found at any
// time is the configuration of the least median that it was told last. How good that is, is
// judged by the medians of the exhaustive grid, not by the search's own few samples; what these
// can't tell from the best is as good as the best.
func Replay(ctx context.Context, g *Grid, strategy string, n int) ([]Path, error) {
	space := NewSpace(lists.Of(g.Trials, func(r trial.Result) kernels.Config { return r.Config }))
	paths := make([]Path, n)
	return paths, panics.Each(ctx, n, func(i int) (err error) {
		paths[i], err = replay(g, space, strategy, uint64(i+1))
		return err
	})
}

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

// replay replays one
func replay(g *Grid, space *Space, strategy string, seed uint64) (Path, error) {
	s, err := New(strategy, space, seed)
	if err != nil {
		return Path{}, err
	}
	var p Path
	rng := rand.New(rand.NewPCG(seed, 0))
	told := make([]float64, len(g.Trials)) // medians that were told last; 0: none
	losses, now := g.losses(), Point{Loss: math.Inf(1)}

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
			now.Loss = losses[leastOf(told)]
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
	n := len(p.Points)
	for n > 0 && p.Points[n-1].Loss <= fraction {
		n--
	}
	if n == len(p.Points) {
		return Point{}, false
	}
	return p.Points[n], true
}

// End returns the state after the last step.
func (p Path) End() Point {
	if len(p.Points) == 0 {
		return Point{Loss: math.Inf(1)}
	}
	return p.Points[len(p.Points)-1]
}

// A Grid is everything that was measured in one case, under one protocol.
type Grid struct {
	trial.Case
	Trials []trial.Result // with samples
	// Intervals are where another run finds the medians, by trial; nil: those of the trials.
	Intervals []trial.Interval
	Cost      Cost
}

// measured reports whether r is a good result with samples.
func measured(r *trial.Result) bool { return r.Status == trial.OK && len(r.Samples) > 0 }

// A Cost is what a trial costs on the device besides its samples.
type Cost struct {
	Warmup int     // products before the first sample
	Flush  float64 // seconds before each cold product; 0 where caches are warm
}

// Of returns the time of a trial on the device in seconds, with the first n of its
// samples: the products of the samples, of the warm-up and of the two verifications, and
// the flushes before the samples and the warm-up. A trial that was not measured costs
// nothing here. Copies, checks on the host, the time between trials and the preparation
// of formats are left out.
func (c Cost) Of(r *trial.Result, n int) float64 {
	if !measured(r) {
		return 0
	}
	beside, flushes := c.Warmup+trial.Verifications, c.Warmup+n
	if r.Stop == trial.StopSlow { // it ended with its first products
		beside, flushes = 1, n
	}
	seconds := float64(beside)*r.Median + float64(flushes)*c.Flush
	for _, s := range r.Samples[:n] {
		seconds += s * float64(max(r.Batch, 1))
	}
	return seconds
}

// partial returns the cost of a partial measurement, which warms up once at most.
func (c Cost) partial(r *trial.Result, n int) float64 {
	c.Warmup = min(c.Warmup, Warmup)
	return c.Of(r, n)
}

// Exhaustive returns the device time of all trials in seconds.
func (g *Grid) Exhaustive() float64 {
	return lists.Sum(g.Trials, func(r trial.Result) float64 { return g.Cost.Of(&r, len(r.Samples)) })
}

// Best returns the lowest median in seconds, NaN if no trial ended well.
func (g *Grid) Best() float64 {
	best := math.NaN()
	for i := range g.Trials {
		if r := &g.Trials[i]; measured(r) && !(r.Median >= best) {
			best = r.Median
		}
	}
	return best
}

// losses returns how much slower each trial is than the best, as a fraction. One whose interval
// reaches down to the best loses nothing: the data can't tell which of them is faster.
func (g *Grid) losses() []float64 {
	best := g.Best()
	losses := make([]float64, len(g.Trials))
	for i := range g.Trials {
		if low := g.interval(i).Low; low == 0 || low > best {
			losses[i] = g.Trials[i].Median/best - 1
		}
	}
	return losses
}

// Told is the fraction from which a trial is called slower than the best: in the median over those
// whose time is at most 1.3 times the best, how far it is above the lower end of its interval. A
// verdict on a smaller fraction says no more than one on this. It is 0 where no interval is known.
func (g *Grid) Told() float64 {
	const near = 1.3
	best := g.Best()
	var all []float64
	for i := range g.Trials {
		r := &g.Trials[i]
		if low := g.interval(i).Low; measured(r) && r.Median <= near*best && low > 0 {
			all = append(all, max(0, r.Median/low-1)) // repeat runs may all be slower
		}
	}
	if len(all) == 0 {
		return 0
	}
	return Quantile(all, 0.5)
}

// interval returns the interval of a trial, zero if it has none.
func (g *Grid) interval(i int) trial.Interval {
	if g.Intervals != nil {
		return g.Intervals[i]
	}
	return trial.Interval{Low: g.Trials[i].WithinLow, High: g.Trials[i].WithinHigh}
}

// Name returns what a grid is called: "rmat-36M float32 warm".
func (g *Grid) Name() string { return fmt.Sprintf("%s %s %s", g.Matrix, g.Precision, g.Cache) }

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

// SumUp returns the outcome of replays.
func SumUp(g *Grid, strategy string, paths []Path) Outcome {
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
