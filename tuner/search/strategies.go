package search

import "math"

// local walks from a random configuration to the first neighbour that is faster, until
// none is, and starts again from another configuration. When several starts in a row have
// found nothing faster, it ends as a race does.
type local struct {
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
	l := &local{at: -1, record: math.Inf(1), decision: decision{book: b}}
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
			if !b.Seen(next) {
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

// racing runs a race in rounds (irace: López-Ibáñez et al., Operations Research
// Perspectives 3, 2016; Birattari et al., GECCO 2002). The first round measures a few
// configurations of every kernel with one sample. After each round the neighbours of the
// fastest configurations join, and those of the fastest of each kernel that is still in
// the race, so kernels without hope drop out early. When nobody joins any more, the
// configurations that are not clearly slower than the fastest are measured with a few
// samples, and those that even these can't tell apart under the protocol.
type racing struct {
	round int
	decision
}

const (
	// A kernel stays in the race as long as its fastest configuration is slower than the
	// fastest of all by a factor of at most hope, or by the factor between its own slowest
	// and fastest configuration to the power of again: a kernel that gained so much by
	// chance may gain more.
	hope  = 2
	again = 1.5
	// near is the factor for single configurations, of which only the elite stay.
	near = 1.1
	// The elite are at least this many configurations, and this share of the space.
	elite      = 16
	eliteShare = 0.1
)

func newRacing(space *Space, seed uint64) Strategy {
	b := newBook(space, seed)
	r := &racing{decision: decision{book: b}}
	return &search{book: b, more: r.more}
}

func (r *racing) more() []Step {
	b := r.book
	r.round++
	switch r.round {
	case 1:
		return partialSteps(b.start(), 1)
	case 2: // to see how much samples scatter
		list := b.near(math.Log(hope))
		return partialSteps(list[:min(len(list), few)], few)
	}

	var join []int
	for _, c := range r.leaders() {
		join = append(join, b.space.Adjacent(c)...)
	}
	if join = b.unseen(join); len(join) > 0 {
		return partialSteps(join, 1)
	}
	return r.decision.more()
}

// leaders returns the configurations whose neighbours join.
func (r *racing) leaders() []int {
	b := r.book
	all := b.near(math.Inf(1))
	if len(all) == 0 {
		return nil
	}

	least := b.known[all[0]].log
	slowest := make([]float64, len(b.space.kernels))
	for _, c := range all {
		if l := b.known[c].log; !math.IsInf(l, 1) {
			slowest[b.space.kernel[c]] = l // the list is in order
		}
	}

	var list []int
	most := max(elite, int(eliteShare*float64(len(b.space.Configs))))
	slower := b.slower()

	known := make([]bool, len(b.space.kernels))
	for i, c := range all {
		k, l := b.space.kernel[c], b.known[c].log
		first := !known[k]
		known[k] = true
		hopeful := first && l-least <= max(math.Log(hope), again*(slowest[k]-l))
		if hopeful || i < most && (l-least <= math.Log(near) || !slower(c)) {
			list = append(list, c)
		}
	}

	return list
}

// newRandom returns a strategy that measures everything under the protocol, in random
// order, so that a drift of the machine falls on all configurations alike. The budget of
// trials makes it a sample of the space.
func newRandom(space *Space, seed uint64) Strategy {
	s := &search{book: newBook(space, seed)}
	order := s.rng.Perm(len(space.Configs))
	s.more = func() []Step {
		steps := fullSteps(order)
		order = nil
		return steps
	}
	return s
}
