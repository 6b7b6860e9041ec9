package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// A book is what a strategy knows: the findings so far, and the noise in them.
type book struct {
	space *Space
	rng   *rand.Rand
	known []entry   // by configuration
	noise []float64 // standard deviation of the log of one sample, of each finding with several, in order
}

// An entry is what is known of one configuration.
type entry struct {
	log     float64 // of the median time; +Inf if it can't be measured
	samples int     // behind it; 0: nothing is known
	decided bool    // measured under the protocol, or not measurable
}

func newBook(space *Space, seed uint64) *book {
	return &book{space: space, rng: rand.New(rand.NewPCG(seed, 0x5ea7c4)), known: make([]entry, len(space.Configs))}
}

// note takes a finding. A later one of the same configuration replaces the earlier,
// as it does in the views of the store.
func (b *book) note(f Finding) {
	e := &b.known[f.Config]
	if !f.OK {
		*e = entry{math.Inf(1), 1, true}
		return
	}
	*e = entry{math.Log(f.Median), max(len(f.Samples), 1), f.Step.Samples == [2]int{}}
	if len(f.Samples) >= 3 {
		own := spread(f.Samples)
		at, _ := slices.BinarySearch(b.noise, own)
		b.noise = slices.Insert(b.noise, at, own)
	}
}

// spread estimates the standard deviation of the log of the samples from their median
// absolute deviation (times 1.4826, which makes it that of a normal distribution:
// Rousseeuw and Croux, JASA 88, 1993), since a few are always far out.
func spread(samples []float64) float64 {
	logs := make([]float64, len(samples))
	for i, s := range samples {
		logs[i] = math.Log(s)
	}
	mid := median(logs)
	for i := range logs {
		logs[i] = math.Abs(logs[i] - mid)
	}
	return 1.4826 * median(logs)
}

// median sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

const (
	// unknownNoise is assumed of samples until some were taken.
	unknownNoise = 0.05
	// leastNoise is what trials of the same configuration differ by even where their
	// samples agree.
	leastNoise = 0.005
	// noisy is the quantile of the noise of all findings that stands for each of them:
	// some configurations scatter more than most, and a few samples don't show which.
	noisy = 0.9
)

// sigma is the standard deviation of the log of the median of n samples: that of one,
// divided by the root of n, and a quarter more since the median of normal values
// scatters by that much more than their mean.
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

// seen reports whether something is known of a configuration.
func (b *book) seen(config int) bool { return b.known[config].samples > 0 }

// best is the configuration with the least time so far, -1 if there is none.
func (b *book) best() int {
	best := -1
	for i, e := range b.known {
		if e.samples > 0 && !math.IsInf(e.log, 1) && (best < 0 || e.log < b.known[best].log) {
			best = i
		}
	}
	return best
}

// near lists the configurations seen whose time is at most a factor of exp(gap) above
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

// unseen lists which of these are not known yet, each once.
func (b *book) unseen(configs []int) []int {
	var list []int
	taken := make([]bool, len(b.known))
	for _, c := range configs {
		if !b.seen(c) && !taken[c] {
			taken[c] = true
			list = append(list, c)
		}
	}
	return list
}

// spreadOut draws up to n configurations of a kernel at random, of which each further
// one is as far as can be from those before, along the axes.
func (b *book) spreadOut(kernel, n int) []int {
	all := b.space.kernels[kernel]
	nearest := make([]float64, len(all)) // of those drawn, how far it is
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
	// firstLooks is how many configurations of a kernel are looked at first, at least,
	firstLooks = 2
	// firstShare of them, if it has many.
	firstShare = 0.2
)

// start draws the first configurations: some of each kernel, in random order.
func (b *book) start() []int {
	var start []int
	for k, all := range b.space.kernels {
		start = append(start, b.spreadOut(k, max(firstLooks, int(firstShare*float64(len(all)))))...)
	}
	b.rng.Shuffle(len(start), func(i, j int) { start[i], start[j] = start[j], start[i] })
	return start
}
