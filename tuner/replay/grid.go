package replay

import (
	"fmt"
	"math"

	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// A Grid is everything that was measured in one place, under one protocol.
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
	beside, flushes := c.Warmup+worker.Verifications, c.Warmup+n
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
	c.Warmup = min(c.Warmup, search.Warmup)
	return c.Of(r, n)
}

// Exhaustive returns the device time of all trials in seconds.
func (g *Grid) Exhaustive() float64 {
	sum := 0.0
	for i := range g.Trials {
		sum += g.Cost.Of(&g.Trials[i], len(g.Trials[i].Samples))
	}
	return sum
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
			all = append(all, r.Median/low-1)
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
	return trial.Interval{Low: g.Trials[i].Low, High: g.Trials[i].High}
}

// Name returns what a grid is called: "rmat-36M float32 warm".
func (g *Grid) Name() string { return fmt.Sprintf("%s %s %s", g.Matrix, g.Precision, g.Cache) }

// space returns what is searched.
func (g *Grid) space() *search.Space {
	configs := make([]kernels.Config, len(g.Trials))
	for i := range g.Trials {
		configs[i] = g.Trials[i].Config
	}
	return search.NewSpace(configs)
}
