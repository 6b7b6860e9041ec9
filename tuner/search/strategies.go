// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

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

	if join := b.unseen(slices.Concat(lists.Of(r.leaders(), b.space.Adjacent)...)); len(join) > 0 {
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

// An Expectation is what is thought of a configuration before it is measured: the time of a product in seconds, 0 if
// nothing is known, and the standard deviation of its logarithm.
type Expectation struct{ Seconds, Spread float64 }

// tune measures next what has the largest chance to beat the fastest so far, until hardly
// anything has one (probability of improvement: H. Kushner, Journal of Basic Engineering 86,
// 1964). What is not measured yet has a time whose logarithm is normal. In the beginning it is as Space.Expected
// says. Times go together, those of one kernel and of neighbours more than others, so that each
// measurement corrects what is expected of the others (a Gaussian process).
type tune struct {
	*book
	mean, variance []float64   // of the logarithm of each time, after all that was measured
	spread         []float64   // standard deviation of each in the beginning
	level          float64     // variance of what all times have in common, beside the spread
	told           [][]float64 // of each measurement, by configuration: see observe
	first          []int       // what is measured in any case, in order
	asked          int         // number of measurements
}

const (
	// Least is the chance below which a configuration is not worth a measurement.
	Least = 0.01
	// worth is the gain, as a logarithm, from which on a configuration beats another: it shows in another run.
	worth = 0.01
	// The parts of the variance that all times share, those of a kernel, and neighbours; the rest is each one's own.
	sharedByAll, sharedByKernel, sharedByNeighbours = 0.05, 0.2, 0.74
	// unknownSpread is the spread where nothing is expected, of what is unknown among expectations or alone.
	unknownSpread = 0.6
	// unknownLevel is the variance of the level where no time is expected: any is possible.
	unknownLevel = 100
	// unknownFirst is how many configurations are measured in any case where nothing is expected: a few times of a kernel
	// say little of its other configurations then.
	unknownFirst = 32
	// byWorkers is the part of further workers of a processor that is expected to make a product faster.
	byWorkers = 0.7
)

func newTune(space *Space, seed uint64) Strategy {
	n := len(space.Configs)
	t := &tune{book: newBook(space, seed)}
	t.mean, t.variance, t.spread = make([]float64, n), make([]float64, n), make([]float64, n)
	if !t.expected() {
		t.level = unknownLevel
		for i, c := range space.Configs {
			t.spread[i] = unknownSpread
			if k, _ := kernels.Lookup(c.Kernel); k.Backend == "cpu" && c.Grid > 0 {
				t.mean[i] = -byWorkers * math.Log(float64(c.Grid))
			}
		}
	}
	for i, s := range t.spread {
		t.variance[i] = s*s + t.level
	}
	t.first = t.opening()
	return t
}

// expected takes the expectations of the space, if there are any. What is unknown among them may be
// as fast as the slower half.
func (t *tune) expected() bool {
	known := lists.Where(t.space.Expected, func(e Expectation) bool { return e.Seconds > 0 })
	logs := lists.Of(known, func(e Expectation) float64 { return math.Log(e.Seconds) })
	if len(logs) == 0 {
		return false
	}
	slices.Sort(logs)
	for i, e := range t.space.Expected {
		t.mean[i], t.spread[i] = math.Log(e.Seconds), e.Spread
		if e.Seconds <= 0 {
			t.mean[i], t.spread[i] = logs[len(logs)/2], unknownSpread
		}
	}
	return true
}

// opening lists what is measured in any case: the most promising configuration, the most
// promising one of the library or, on a processor, of plain CSR, and those of further kernels.
func (t *tune) opening() []int {
	order := t.rng.Perm(len(t.mean))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.mean[a], t.mean[b]) })
	var list, reference []int
	known := make([]bool, len(t.space.kernels))
	for _, c := range order {
		k, _ := kernels.Lookup(t.space.Configs[c].Kernel)
		if len(reference) == 0 && (k.Library() || k.Name == Plain) {
			reference = []int{c}
		}
		if at := t.space.kernel[c]; !known[at] && len(list) < Shortlisted {
			known[at] = true
			list = append(list, c)
		}
	}
	return slices.Concat(list[:min(1, len(list))], reference, list[min(1, len(list)):])
}

// Plain is the kernel of a processor that others are compared with, as a GPU's are with the vendor's library.
const Plain = "cpu_csr"

func (t *tune) Ask() (Step, bool) {
	for ; len(t.first) > 0; t.first = t.first[1:] {
		if !t.Seen(t.first[0]) {
			return Step{Config: t.first[0]}, true
		}
	}
	next, chance, _ := t.Open()
	return Step{Config: max(next, 0)}, chance >= Least || next >= 0 && t.level > 0 && t.asked < unknownFirst
}

// Open returns the configuration with the largest chance to be faster than all that were measured, -1 if
// there is none, the chance, and how many are worth a measurement: by their chance, or because too few were measured.
func (t *tune) Open() (config int, chance float64, worthy int) {
	config = -1
	leader := math.Inf(1)
	if best := t.best(); best >= 0 {
		leader = t.known[best].log - worth
	}
	for i, m := range t.mean {
		if t.Seen(i) {
			continue
		}
		p := 1.0
		if leader < math.Inf(1) {
			p = math.Erfc((m-leader)/math.Sqrt(2*t.variance[i])) / 2
		}
		if p >= Least || t.level > 0 && t.asked < unknownFirst {
			worthy++
		}
		if config < 0 || p > chance || p == chance && m < t.mean[config] {
			config, chance = i, p
		}
	}
	return config, chance, worthy
}

func (t *tune) Tell(step Step, r trial.Result) {
	t.asked++
	t.note(step, r)
	if e := t.known[step.Config]; !math.IsInf(e.log, 1) {
		t.observe(step.Config, e.log, t.sigma(e.samples))
	}
}

// observe corrects what is expected of all configurations by the logarithm of a time with a standard deviation. Each
// measurement adds a column to the Cholesky factor of the covariances.
func (t *tune) observe(config int, log, sigma float64) {
	column := make([]float64, len(t.mean))
	for i := range column {
		column[i] = t.covariance(i, config)
		for _, before := range t.told {
			column[i] -= before[i] * before[config]
		}
	}
	root := math.Sqrt(max(column[config], 0) + sigma*sigma)
	surprise := (log - t.mean[config]) / root
	for i := range column {
		column[i] /= root
		t.mean[i] += column[i] * surprise
		t.variance[i] = max(t.variance[i]-column[i]*column[i], leastNoise*leastNoise)
	}
	t.told = append(t.told, column)
}

// covariance returns how the logarithms of two times vary together, in the beginning.
func (t *tune) covariance(a, b int) float64 {
	shared := sharedByAll
	switch {
	case a == b:
		shared = 1
	case t.space.kernel[a] == t.space.kernel[b]:
		shared += sharedByKernel + sharedByNeighbours*math.Exp(-t.space.distance(a, b)/8)
	}
	return t.level + shared*t.spread[a]*t.spread[b]
}
