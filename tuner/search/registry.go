package search

import (
	"fmt"
	"slices"
)

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
	{Rule, "what a rule predicts to be the fastest, and its runners-up", false, nil},
}

// Names lists the strategies.
func Names() []string { return names(func(Kind) bool { return true }) }

// Replayable lists the strategies that can be replayed on a recorded grid.
func Replayable() []string { return names(func(k Kind) bool { return k.New != nil }) }

func names(keep func(Kind) bool) []string {
	var list []string
	for _, k := range Strategies {
		if keep(k) {
			list = append(list, k.Name)
		}
	}
	return list
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
