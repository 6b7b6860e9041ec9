package search

import (
	"math"
	"slices"
)

// A search ends with configurations that were measured with one sample each. Those that
// may still be the fastest are measured with more and more samples.
const (
	// few samples tell configurations apart that one sample does not.
	few = 5
	// mostFew is how many configurations are measured with few samples, at most.
	mostFew = 32
	// mostFull is how many configurations are measured under the protocol, at most.
	mostFull = 10
	// sure standard deviations make a configuration clearly slower: of 700 that are not,
	// one is dropped.
	sure = 3
)

// Most returns how many steps a search of n configurations takes, at most: a partial
// measurement of each, and the rounds that decide.
func Most(n int) int { return n + min(n, few) + min(n, mostFew) + min(n, mostFull) }

// A decision is the end of a search: two rounds of a race.
type decision struct {
	*book
	narrowed bool // whether the round with few samples is over
	full     int  // number of configurations measured under the protocol
}

// more returns the next steps, none when the search is decided.
func (d *decision) more() []Step {
	if !d.narrowed {
		d.narrowed = true
		list := d.open()
		list = list[:min(len(list), mostFew)]
		list = slices.DeleteFunc(list, func(c int) bool { return d.known[c].samples >= few })
		if len(list) > 1 {
			return partialSteps(list, few)
		}
	}

	if list := d.open(); len(list) > 0 && d.full < mostFull {
		d.full++
		return fullSteps(list[:1])
	}

	return nil
}

// open lists the configurations that may be the fastest, but were not measured under the
// protocol yet, the most promising first.
func (d *decision) open() []int {
	var list []int
	slower := d.slower()
	for _, c := range d.near(math.Inf(1)) {
		if !d.known[c].decided && !slower(c) {
			list = append(list, c)
		}
	}
	return list
}

// slower returns whether a configuration is clearly slower than the fastest.
func (b *book) slower() func(config int) bool {
	best := b.best()
	return func(config int) bool {
		e, f := b.known[config], b.known[best]
		return e.log-f.log > sure*math.Hypot(b.sigma(e.samples), b.sigma(f.samples))
	}
}
