package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"spmvtune/internal/base/lists"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A book is what a strategy knows: the results so far, and the noise in them.
type book struct {
	space *Space
	rng   *rand.Rand
	known []entry // by configuration
	// noise is the standard deviation of the log of one sample, of each result with three
	// samples or more, in ascending order.
	noise []float64
}

// An entry is what is known of one configuration.
type entry struct {
	log     float64 // logarithm of the median time; +Inf if it can't be measured
	samples int     // number of samples behind it; 0: nothing is known
	decided bool    // whether it was measured under the protocol, or can't be measured
}

func newBook(space *Space, seed uint64) *book {
	return &book{space: space, rng: rand.New(rand.NewPCG(seed, 0x5ea7c4)), known: make([]entry, len(space.Configs))}
}

// note takes the result of a step. A later one of the same configuration replaces the
// earlier one.
func (b *book) note(step Step, r trial.Result) {
	e := &b.known[step.Config]
	if r.Status != trial.OK {
		*e = entry{math.Inf(1), 1, true}
		return
	}

	*e = entry{math.Log(r.Median), max(len(r.Samples), 1), !step.Partial()}
	if len(r.Samples) >= 3 {
		own := spread(r.Samples)
		at, _ := slices.BinarySearch(b.noise, own)
		b.noise = slices.Insert(b.noise, at, own)
	}
}

// spread estimates the standard deviation of the log of the samples from their median
// absolute deviation (times 1.4826, which makes it that of a normal distribution:
// Rousseeuw and Croux, JASA 88, 1993), because a few samples are always far out.
func spread(samples []float64) float64 {
	logs := lists.Of(samples, math.Log)
	slices.Sort(logs)
	mid := stat.Median(logs)
	for i := range logs {
		logs[i] = math.Abs(logs[i] - mid)
	}
	slices.Sort(logs)
	return 1.4826 * stat.Median(logs)
}

const (
	// unknownNoise is assumed until samples were taken.
	unknownNoise = 0.05
	// leastNoise is how much trials of the same configuration differ even where their
	// samples agree.
	leastNoise = 0.005
	// noisy is the quantile of the noise of all results that stands for each of them. Some
	// configurations scatter more than most, and a few samples don't show which.
	noisy = 0.9
)

// sigma returns the standard deviation of the log of the median of n samples: that of one
// sample, divided by the root of n, and a quarter more, because the median of normal
// values scatters that much more than their mean.
func (b *book) sigma(n int) float64 {
	one := unknownNoise
	if n := len(b.noise); n > 0 {
		one = max(b.noise[int(noisy*float64(n-1)+0.5)], leastNoise)
	}
	if n <= 2 {
		return one / math.Sqrt(float64(n))
	}
	return max(1.25*one/math.Sqrt(float64(n)), leastNoise)
}

// Seen reports whether a configuration was measured.
func (b *book) Seen(config int) bool { return b.known[config].samples > 0 }

// best returns the configuration with the least time so far, -1 if there is none.
func (b *book) best() int {
	best := -1
	for i, e := range b.known {
		if e.samples > 0 && !math.IsInf(e.log, 1) && (best < 0 || e.log < b.known[best].log) {
			best = i
		}
	}
	return best
}

// near lists the configurations that were measured at a time of at most exp(gap) times
// the least, the fastest first.
func (b *book) near(gap float64) []int {
	best := b.best()
	if best < 0 {
		return nil
	}

	var list []int
	for i, e := range b.known {
		if e.samples > 0 && e.log <= b.known[best].log+gap {
			list = append(list, i)
		}
	}

	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(b.known[i].log, b.known[j].log) })
	return list
}

// unseen lists those that were not measured yet, each once.
func (b *book) unseen(configs []int) []int {
	var list []int
	taken := make([]bool, len(b.known))
	for _, c := range configs {
		if !b.Seen(c) && !taken[c] {
			taken[c] = true
			list = append(list, c)
		}
	}
	return list
}

// spreadOut draws up to n configurations of a kernel. The first is random; each further
// one is as far as possible from those before it.
func (b *book) spreadOut(kernel, n int) []int {
	all := b.space.kernels[kernel]
	nearest := make([]float64, len(all)) // distance to the nearest one drawn
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	var drawn []int
	next := b.rng.IntN(len(all))

	for len(drawn) < min(n, len(all)) {
		last := all[next]
		drawn = append(drawn, last)
		nearest[next] = -1 // so that it is not drawn again
		next = 0
		for i, c := range all {
			nearest[i] = min(nearest[i], b.space.distance(c, last))
			if nearest[i] > nearest[next] {
				next = i
			}
		}
	}

	return drawn
}

const (
	// A search begins with this share of the configurations of each kernel, and with at
	// least leastFirst of them.
	firstShare = 0.2
	leastFirst = 2
)

// start draws the configurations that a search begins with, in random order.
func (b *book) start() []int {
	var start []int
	for k, all := range b.space.kernels {
		start = append(start, b.spreadOut(k, max(leastFirst, int(firstShare*float64(len(all)))))...)
	}
	b.rng.Shuffle(len(start), func(i, j int) { start[i], start[j] = start[j], start[i] })
	return start
}
