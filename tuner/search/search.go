// SPDX-License-Identifier: Apache-2.0

// Package search decides which configurations of a matrix are measured, in which
// order, and with how many samples.
//
// It measures nothing itself. A [Strategy] is asked for a [Step]. Somebody measures it, the
// tuner on a device or [Replay] in a recorded [Grid], and tells the strategy the result;
// and so on, until the strategy has no more steps. A strategy is deterministic for its
// seed and what it was told. Asked again after a crash, and told again what is known, it
// goes on where it was.
//
// One search is about one matrix in one precision and cache state. Its [Space] holds the
// configurations that the constraints of the sweep left over. Neighbours are defined on
// these, so no strategy proposes a configuration that is not there.
//
// An adaptive strategy measures configurations with few samples first and drops those that
// are clearly slower. What may be the best is measured under the sweep's own protocol in
// the end: it is the same trial as in a sweep that tries everything.
//
// [Strategies] is the registry. Sweep files, help, completion and documentation read it.
package search

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// A Step asks for one measurement.
type Step struct {
	Config int // index in Space.Configs
	// Samples are the fewest and the most samples of a partial measurement; {0, 0} asks
	// for a trial under the sweep's protocol.
	Samples [2]int
}

// Partial reports whether the step asks for a partial measurement.
func (s Step) Partial() bool { return s.Samples[1] > 0 }

// Warmup is the number of products before the samples of a partial measurement, at most:
// after one, nothing is read, compiled or allocated for the first time.
const Warmup = 1

// A Strategy decides what is measured next. It is deterministic for a seed and what it
// was told, and it is used by one goroutine.
type Strategy interface {
	// Ask returns the next step; false: the search is over.
	Ask() (Step, bool)
	// Tell gives the result of the step that was asked for last.
	Tell(Step, trial.Result)
}

// A search is a strategy that proposes its steps in batches.
type search struct {
	*book
	queue []Step
	// more returns the next batch, when all steps of the one before are told; none when the
	// search is over.
	more func() []Step
}

func (s *search) Ask() (Step, bool) {
	if len(s.queue) == 0 {
		s.queue = s.more()
	}
	if len(s.queue) == 0 {
		return Step{}, false
	}
	step := s.queue[0]
	s.queue = s.queue[1:]
	return step, true
}

func (s *search) Tell(step Step, r trial.Result) { s.note(step, r) }

// partialSteps asks for partial measurements of n samples each.
func partialSteps(configs []int, n int) []Step {
	return lists.Of(configs, func(c int) Step { return Step{Config: c, Samples: [2]int{n, n}} })
}

// fullSteps asks for trials under the sweep's protocol.
func fullSteps(configs []int) []Step { return partialSteps(configs, 0) }

// A Kind is a search strategy, as sweep files name it.
type Kind struct {
	Name string
	// Help is what the strategy measures, on one line of at most 70 characters.
	Help string
	// Adaptive says that the strategy chooses its steps by what it was told. The others
	// measure a list that is known beforehand.
	Adaptive bool
	// New returns a strategy for a space. It is nil where the tuner plans without one.
	New func(space *Space, seed uint64) Strategy
}

// Tune is the name of the strategy that goes by expectations.
const Tune = "tune"

// Rule is the name of the strategy that measures what a rule names.
const Rule = "rule"

// Shortlisted is how many configurations that a rule names are measured unless told.
const Shortlisted = 3

// Rules are the names of the rules that come with the program. A file of such a name is written ./NAME.
var Rules = []string{"h100", "h200"}

// Strategies are all there are; the first is the default. To add one, write its file and
// its line here.
var Strategies = []Kind{
	{"grid", "every configuration, in random order", false, nil},
	{"random", "a random sample of them, as many as the budget of trials", false, newRandom},
	{"racing", "a few of each kernel, then neighbours of the fastest, round by round", true, newRacing},
	{"local", "from random ones to faster neighbours, again and again", true, newLocal},
	{Tune, "what most likely beats the fastest so far, while anything may", true, newTune},
	{Rule, "what a rule predicts to be the fastest, and its runners-up", false, nil},
}

// Names lists the strategies.
func Names() []string { return names(func(Kind) bool { return true }) }

// Replayable lists the strategies that can be replayed on a recorded grid.
func Replayable() []string { return names(func(k Kind) bool { return k.New != nil }) }

func names(keep func(Kind) bool) []string {
	return lists.Of(lists.Where(Strategies, keep), func(k Kind) string { return k.Name })
}

// Adaptive reports whether the strategy of this name is adaptive.
func Adaptive(name string) bool {
	return slices.ContainsFunc(Strategies, func(k Kind) bool { return k.Name == name && k.Adaptive })
}

// New returns a strategy by its name. Several strategies may share a space.
func New(name string, space *Space, seed uint64) (Strategy, error) {
	for _, k := range Strategies {
		if k.Name == name && k.New != nil {
			return k.New(space, seed), nil
		}
	}
	return nil, fmt.Errorf("no search strategy %q; available: %v", name, Replayable())
}

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

// Most returns how many steps a search of n configurations takes, at most: one for each and, where these are partial
// measurements, the rounds that decide.
func Most(strategy string, n int) int {
	if strategy == Tune {
		return n
	}
	return n + min(n, few) + min(n, mostFew) + min(n, mostFull)
}

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
	slower := d.slower()
	return lists.Where(d.near(math.Inf(1)), func(c int) bool { return !d.known[c].decided && !slower(c) })
}

// slower returns whether a configuration is clearly slower than the fastest.
func (b *book) slower() func(config int) bool {
	best := b.best()
	return func(config int) bool {
		e, f := b.known[config], b.known[best]
		return e.log-f.log > sure*math.Hypot(b.sigma(e.samples), b.sigma(f.samples))
	}
}

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
	unseen := lists.Where(configs, func(c int) bool { return !b.Seen(c) })
	return lists.Distinct(unseen, func(c int) int { return c })
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
