package search

import (
	"fmt"
	"slices"
)

// A Step asks for one measurement.
type Step struct {
	Config  int    // index in Space.Configs
	Samples [2]int // fewest and most; {0, 0}: as the protocol says
}

// Warmup is the most products before the samples of a step that has samples of its own:
// one, after which nothing is read, compiled or allocated for the first time.
const Warmup = 1

// A Finding is what a step found. Times are in seconds per product.
type Finding struct {
	Step
	OK                bool // else it has no times: it is wrong, can't be launched, …
	Median, Low, High float64
	Samples           []float64
}

// A Strategy decides what is measured next. It is deterministic for a seed and the
// findings it was told, and used by one goroutine.
type Strategy interface {
	// Ask gives the next step; false: the search is over.
	Ask() (Step, bool)
	// Tell says what the step that was asked for last found.
	Tell(Finding)
}

// A maker makes a strategy.
type maker struct {
	name string
	make func(space *Space, seed uint64) Strategy
}

// strategies are all there are.
var strategies = []maker{
	{"grid", newAll},
	{"random", newAll},
	{"racing", newRacing},
	{"annealing", newAnnealing},
	{"local", newLocal},
	{"model", newModel},
}

// Names lists the strategies.
func Names() []string {
	names := make([]string, len(strategies))
	for i, s := range strategies {
		names[i] = s.name
	}
	return names
}

// New returns a strategy by its name. Spaces may be shared by several.
func New(name string, space *Space, seed uint64) (Strategy, error) {
	i := slices.IndexFunc(strategies, func(m maker) bool { return m.name == name })
	if i < 0 {
		return nil, fmt.Errorf("no strategy is called %q: there are %v", name, Names())
	}
	return strategies[i].make(space, seed), nil
}

// Adaptive reports whether a strategy chooses its steps by what it was told. The
// others, that of a rule too, measure a list that is known beforehand.
func Adaptive(name string) bool {
	return name != "grid" && name != "random" && slices.Contains(Names(), name)
}

// newAll measures everything under the protocol, in a random order, so that a drift
// of the machine falls on all configurations alike. A sample of the space is a budget
// of trials.
func newAll(space *Space, seed uint64) Strategy {
	s := &search{book: newBook(space, seed)}
	order := s.rng.Perm(len(space.Configs))
	s.more = func() []Step {
		steps := protocolSteps(order)
		order = nil
		return steps
	}
	return s
}

// search is a strategy that proposes steps in batches: more is called when all steps of
// the batch before are told, and gives none when the search is over.
type search struct {
	*book
	queue []Step
	more  func() []Step
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

func (s *search) Tell(f Finding) { s.note(f) }

// lookSteps are looks at configurations, of n samples each.
func lookSteps(configs []int, n int) []Step {
	steps := make([]Step, len(configs))
	for i, c := range configs {
		steps[i] = Step{Config: c, Samples: [2]int{n, n}}
	}
	return steps
}

// protocolSteps measure configurations as the sweep says.
func protocolSteps(configs []int) []Step {
	steps := make([]Step, len(configs))
	for i, c := range configs {
		steps[i] = Step{Config: c}
	}
	return steps
}
