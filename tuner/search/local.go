package search

import "math"

// local walks from a random configuration to the first neighbour that is faster, until
// none is, and starts again from another configuration. When several starts in a row have
// found nothing faster, it ends as a race does.
type local struct {
	*book
	at     int     // where the walk is; -1: a new start is due
	around []int   // neighbours that are still to be tried
	record float64 // logarithm of the least time before the current start
	idle   int     // number of starts in a row that found nothing faster
	decision
}

// starts is how many starts in a row must find nothing faster for the search to end.
const starts = 4

func newLocal(space *Space, seed uint64) Strategy {
	b := newBook(space, seed)
	l := &local{book: b, at: -1, record: math.Inf(1), decision: decision{book: b}}
	return &search{book: b, more: l.more}
}

func (l *local) more() []Step {
	b := l.book
	for l.idle < starts {
		if l.at < 0 {
			others := b.unseen(b.rng.Perm(len(b.known)))
			if len(others) == 0 {
				break
			}
			l.move(others[0])
			return partialSteps(others[:1], 1)
		}

		for len(l.around) > 0 {
			next := l.around[0]
			if !b.seen(next) {
				return partialSteps(l.around[:1], 1)
			}
			l.around = l.around[1:]
			if b.known[next].log < b.known[l.at].log {
				l.move(next)
			}
		}

		l.at = -1
		if best := b.best(); best >= 0 && b.known[best].log < l.record {
			l.record, l.idle = b.known[best].log, 0
		} else {
			l.idle++
		}
	}

	return l.decision.more()
}

// move takes the walk to a configuration.
func (l *local) move(to int) {
	l.at = to
	l.around = l.book.space.Neighbours(to)
	l.book.rng.Shuffle(len(l.around), func(i, j int) { l.around[i], l.around[j] = l.around[j], l.around[i] })
}
