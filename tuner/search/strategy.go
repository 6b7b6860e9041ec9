package search

import "spmvtune/tuner/trial"

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
	steps := make([]Step, len(configs))
	for i, c := range configs {
		steps[i] = Step{Config: c, Samples: [2]int{n, n}}
	}
	return steps
}

// fullSteps asks for trials under the sweep's protocol.
func fullSteps(configs []int) []Step { return partialSteps(configs, 0) }
