package tuner

import (
	"context"
	"fmt"
	"slices"

	"spmvtune/tuner/trial"
)

// Of the trials of a place a share is measured once more, and no fewer than a number where
// there are twice as many.
const (
	spreadShare   = 10 // one of so many
	fewestSpreads = 3
)

// spreads are trials that are measured once more, to see how much repeating moves a trial
// that is no leader. They are a random sample of those that ended well with all their
// samples: the trials of a place, in the random order of the plan, are cut into so many
// strata, and of each the first such trial is taken. So a run that goes on takes the same
// ones. A stratum belongs to the part that has its first trial, and where none of that part's ended
// well it goes without: so runs that each measure a part take the same ones or fewer.
type spreads struct {
	most   int             // in a place; 0: there are none
	plan   []trial.Trial   // all of the matrix, in random order; nil: those that ended well
	own    map[string]bool // trials that this run measures, by identity; nil: all
	good   []trial.Trial   // in the order in which they were entered
	over   map[string]bool // trials whose spread is recorded, by identity
	todo   []trial.Trial
	chosen bool // whether todo is known: there are no more trials
}

// newSpreads prepares the spreads of a matrix with a plan, nil if a search decides what is
// measured. own are the trials of the plan that this run measures.
func newSpreads(most int, plan, own []trial.Trial) *spreads {
	s := &spreads{most: most, plan: plan, over: map[string]bool{}}
	if plan != nil {
		s.own = map[string]bool{}
		for _, t := range own {
			s.own[t.ID] = true
		}
	}
	return s
}

// enter notes a trial that ended well, and why its sampling ended.
func (s *spreads) enter(t trial.Trial, stop trial.Stop) {
	if stop != trial.StopSlow {
		s.good = append(s.good, t)
	}
}

// recall notes the spreads that an earlier run has recorded, of trials that would be chosen
// now: of the others, none can be chosen any more.
func (s *spreads) recall(ctx context.Context, rec Recorder) error {
	ids := idsOf(s.choice())
	if len(ids) == 0 {
		return nil
	}
	recorded, err := rec.Recorded(ctx, ids, trial.Full)
	if err != nil {
		return fmt.Errorf("asking for the repeat runs so far: %w", err)
	}
	for _, r := range recorded {
		s.remember(r)
	}
	return nil
}

// remember notes the spread of a record, if it has one.
func (s *spreads) remember(r trial.Record) {
	if slices.ContainsFunc(r.Repeats, func(again trial.Result) bool { return again.Spread }) {
		s.over[r.ID] = true
	}
}

// choice returns the sample, as far as trials have ended well by now.
func (s *spreads) choice() []trial.Trial {
	good := map[string]bool{}
	for _, t := range s.good {
		good[t.ID] = true
	}
	plan := s.plan
	if plan == nil {
		plan = s.good
	}

	var list []trial.Trial
	for _, p := range places(plan) {
		var of []trial.Trial
		for _, t := range plan {
			if placeOf(t) == p {
				of = append(of, t)
			}
		}
		n := spreadsOf(len(of), s.most)
		for i := range n {
			stratum := trial.Cut(trial.Part{Index: i, Of: n}, of)
			at := slices.IndexFunc(stratum, func(t trial.Trial) bool { return good[t.ID] })
			if at >= 0 && (s.own == nil || s.own[stratum[0].ID]) {
				list = append(list, stratum[at])
			}
		}
	}

	return list
}

// spreadsOf returns how many of the trials of a place are measured once more.
func spreadsOf(trials, most int) int {
	n := trials / spreadShare
	if trials >= 2*fewestSpreads {
		n = max(n, fewestSpreads)
	}
	return min(n, most)
}

// next returns the next spread, nil after the last. It returns the same one until it is told
// the result. After the first call there are no more trials.
func (s *spreads) next() *job {
	todo := s.missing()
	if len(todo) == 0 {
		return nil
	}
	return &job{Trial: todo[0], spread: true}
}

// missing returns the trials whose spread is still to come. There are no more trials after it.
func (s *spreads) missing() []trial.Trial {
	if !s.chosen {
		s.chosen = true
		s.todo = slices.DeleteFunc(s.choice(), func(t trial.Trial) bool { return s.over[t.ID] })
	}
	return s.todo
}

// told takes the result of the last spread.
func (s *spreads) told() { s.todo = s.todo[1:] }
