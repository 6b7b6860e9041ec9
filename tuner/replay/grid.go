package replay

import (
	"fmt"
	"math"

	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/worker"
)

// A Grid is all that was measured on one matrix, on one device, in one precision and
// cache state, under one protocol.
type Grid struct {
	Device, Matrix string
	Precision      kernels.Precision
	Cache          string
	Trials         []Trial
	Cost           Cost
}

// A Trial is a configuration and its samples, in seconds per product and in the order
// in which they were taken. One that did not end well has none.
type Trial struct {
	kernels.Config
	OK      bool
	Median  float64 // seconds
	Samples []float64
	Batch   int // products per sample
}

// A Cost is what a trial costs on the device besides its samples.
type Cost struct {
	Warmup int     // products before the first sample
	Flush  float64 // seconds before each cold product, 0 where caches are warm
}

// Of is the time of a trial on the device in seconds, with the first n of its samples:
// the products of the samples, of the warm-up and of the two verifications, and the
// flushes before the samples and the warm-up. A trial that was not measured costs
// nothing here: nothing is known of it. Copies, checks on the host and the time between
// trials are not in it, nor is the preparation of formats.
func (c Cost) Of(t *Trial, n int) float64 {
	if !t.OK {
		return 0
	}
	seconds := float64(c.Warmup+worker.Verifications)*t.Median + float64(c.Warmup+n)*c.Flush
	for _, s := range t.Samples[:n] {
		seconds += s * float64(max(t.Batch, 1))
	}
	return seconds
}

// look is the cost of a step with samples of its own: it warms up once at most.
func (c Cost) look(t *Trial, n int) float64 {
	c.Warmup = min(c.Warmup, search.Warmup)
	return c.Of(t, n)
}

// Exhaustive is the device time of all trials, in seconds.
func (g *Grid) Exhaustive() float64 {
	sum := 0.0
	for i := range g.Trials {
		sum += g.Cost.Of(&g.Trials[i], len(g.Trials[i].Samples))
	}
	return sum
}

// Best is the lowest median, in seconds; NaN if no trial ended well.
func (g *Grid) Best() float64 {
	best := math.NaN()
	for i := range g.Trials {
		if t := &g.Trials[i]; t.OK && !(t.Median >= best) {
			best = t.Median
		}
	}
	return best
}

// Name is how a grid is called: "rmat-36M float32 warm".
func (g *Grid) Name() string { return fmt.Sprintf("%s %s %s", g.Matrix, g.Precision, g.Cache) }

// space is what is searched.
func (g *Grid) space() *search.Space {
	configs := make([]kernels.Config, len(g.Trials))
	for i := range g.Trials {
		configs[i] = g.Trials[i].Config
	}
	return search.NewSpace(configs)
}
