package search

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
