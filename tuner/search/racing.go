package search

import "math"

// racing runs a race in rounds (irace: López-Ibáñez et al., Operations Research
// Perspectives 3, 2016; Birattari et al., GECCO 2002). The first round looks at a few
// configurations of every kernel with one sample. After each round the neighbours join
// of the fastest ones, and of the fastest of each kernel that is still in the race; so
// kernels without hope drop out after their first looks. When nobody joins any more,
// those that are not clearly slower than the fastest are measured with a few samples,
// and the ones that even these can't separate under the protocol.
type racing struct {
	*book
	round int
	decision
}

const (
	// hope is the factor by which the fastest configuration of a kernel may be slower
	// than that of all for the kernel to stay in the race. Where the kernel's slowest is
	// slower than its fastest by a larger factor, it is that one: who has gained so much
	// by chance may gain more.
	hope  = 2
	again = 1.5
	// near is the same for single configurations, of which only the elite stay.
	near = 1.1
	// elite is at least this many, and at least this share of the space.
	elite      = 16
	eliteShare = 0.1
)

func newRacing(space *Space, seed uint64) Strategy {
	b := newBook(space, seed)
	r := &racing{book: b, decision: decision{book: b}}
	return &search{book: b, more: r.more}
}

func (r *racing) more() []Step {
	b := r.book
	r.round++
	switch r.round {
	case 1:
		return lookSteps(b.start(), 1)
	case 2: // how much do samples scatter?
		list := b.near(math.Log(hope))
		return lookSteps(list[:min(len(list), few)], few)
	}
	var join []int
	for _, c := range r.leaders() {
		join = append(join, b.space.Adjacent(c)...)
	}
	if join = b.unseen(join); len(join) > 0 {
		return lookSteps(join, 1)
	}
	return r.decision.more()
}

// leaders are the configurations whose neighbours join.
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
		if first && l-least <= max(math.Log(hope), again*(slowest[k]-l)) || i < most && (l-least <= math.Log(near) || !slower(c)) {
			list = append(list, c)
		}
	}
	return list
}
