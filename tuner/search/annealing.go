package search

import "math"

// annealing walks at random from neighbour to neighbour. A faster one is always taken, a
// slower one with a probability that falls with the log of the ratio of the times and
// with the temperature (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983), which falls
// by the same factor with every move. What was looked at before is not measured again.
// In the end it decides as a race does.
type annealing struct {
	*book
	at, next int // where the walk is, and where it may go; -1: nowhere yet
	moves    int // so far
	decision
}

const (
	// hot accepts a configuration that is e times slower with probability 1/e,
	hot = 1.0
	// cold one that is 1% slower.
	cold = 0.01
	// A walk makes as many moves as a share of the space, and no fewer than leastMoves.
	moveShare  = 0.5
	leastMoves = 40
)

func newAnnealing(space *Space, seed uint64) Strategy {
	b := newBook(space, seed)
	a := &annealing{book: b, at: -1, next: -1, decision: decision{book: b}}
	return &search{book: b, more: a.more}
}

func (a *annealing) more() []Step {
	b := a.book
	total := max(leastMoves, int(moveShare*float64(len(b.known))))
	for a.moves < total && len(b.known) > 0 {
		if a.next < 0 {
			a.next = a.propose()
		}
		if !b.seen(a.next) {
			return lookSteps([]int{a.next}, 1)
		}
		if a.at < 0 || a.accepts(float64(a.moves)/float64(total)) {
			a.at = a.next
		}
		a.next = -1
		a.moves++
	}
	return a.decision.more()
}

// propose draws a neighbour of where the walk is, or a start.
func (a *annealing) propose() int {
	b := a.book
	if a.at >= 0 && !math.IsInf(b.known[a.at].log, 1) {
		if around := b.space.Neighbours(a.at); len(around) > 0 {
			return around[b.rng.IntN(len(around))]
		}
	}
	return b.rng.IntN(len(b.known))
}

// accepts draws whether the walk goes on to the next configuration, after a share of
// its moves.
func (a *annealing) accepts(share float64) bool {
	rise := a.book.known[a.next].log - a.book.known[a.at].log
	if !(rise > 0) { // both may be impossible
		return true
	}
	return a.book.rng.Float64() < math.Exp(-rise/(hot*math.Pow(cold/hot, share)))
}
