package search

import (
	"math"
	"slices"
)

// The end of a search that has looked at configurations with one sample each: what may
// still be the fastest is measured better and better.
const (
	// few is how many samples tell configurations apart that one sample does not.
	few = 5
	// contenders is how many configurations get them, at most.
	contenders = 32
	// finalists is how many configurations are measured under the protocol, at most.
	finalists = 10
	// sure is how many standard deviations make a configuration clearly slower: of 700
	// that are not, one is dropped.
	sure = 3
)

// Most is how many steps a search of n configurations takes, at most: a look at each, and
// the rounds that decide.
func Most(n int) int { return n + min(n, few) + min(n, contenders) + min(n, finalists) }

// A decision is the end of a search: two rounds of a race.
type decision struct {
	*book
	sharpened bool
	tries     int
}

// more gives the next steps, none when it is decided.
func (d *decision) more() []Step {
	if !d.sharpened {
		d.sharpened = true
		list := d.open()
		list = list[:min(len(list), contenders)]
		list = slices.DeleteFunc(list, func(c int) bool { return d.known[c].samples >= few }) // looked at so before
		if len(list) > 1 {
			return lookSteps(list, few)
		}
	}
	if list := d.open(); len(list) > 0 && d.tries < finalists {
		d.tries++
		return protocolSteps(list[:1])
	}
	return nil
}

// open lists the configurations that may be the fastest, but are not measured under the
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

// slower tells which configurations are clearly slower than the fastest.
func (b *book) slower() func(config int) bool {
	best := b.best()
	return func(config int) bool {
		e, f := b.known[config], b.known[best]
		return e.log-f.log > sure*math.Hypot(b.sigma(e.samples), b.sigma(f.samples))
	}
}
