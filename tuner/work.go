package tuner

import (
	"context"
	"fmt"
	"slices"

	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// work is what there is to do on a matrix.
type work struct {
	source
	trials   int            // number of trials; of searches, the most
	finished int            // number of trials that an earlier run has measured
	good     []trial.Record // trials under the sweep's protocol that ended well in an earlier run
	adaptive bool           // whether a search decides how many trials there are
	searches *searches
}

// workOn finds out what is left to do of a plan.
func (r *run) workOn(ctx context.Context, plan Plan) (*work, error) {
	protocol := r.sweep.Protocol
	r.best = bests{}
	r.finals = newFinals(protocol.Finals, protocol.Seed, plan.Matrix.Hash)
	r.finals.programs = r.sweep.Programs()
	r.spreads = newSpreads(protocol.Repeats, plan.Whole, plan.Trials)
	if search.Adaptive(r.sweep.Search.Strategy) {
		r.spreads = newSpreads(protocol.Repeats, nil, nil)
		s, err := r.newSearches(ctx, plan)
		if err != nil {
			return nil, err
		}
		more := s.next() != nil // after this, the strategies are told everything that is recorded
		return &work{source: s, searches: s, trials: s.most(), finished: len(s.recorded) - r.ours, adaptive: more}, s.err
	}

	todo, good, err := r.unfinished(ctx, plan)
	if err != nil {
		return nil, err
	}
	for _, known := range good {
		r.note(known.Trial, known.Median)
		r.finals.enter(known.Result, nil)
		r.spreads.enter(known.Trial, known.Stop)
	}
	if err := r.finals.recall(ctx, r.rec); err != nil {
		return nil, err
	}
	if err := r.spreads.recall(ctx, r.rec); err != nil {
		return nil, err
	}

	todo = hopelessLast(todo, plan.Matrix.Size(), r.planner.device)
	return &work{source: &list{todo}, trials: len(plan.Trials), finished: len(plan.Trials) - len(todo) - r.ours,
		good: good}, nil
}

// count returns how many trials there are, as far as is known by now.
func (w *work) count() int {
	if w.searches == nil {
		return w.trials
	}
	return len(w.searches.recorded) + w.searches.measured
}

// err returns why the source has ended before its time.
func (w *work) err() error {
	if w.searches == nil {
		return nil
	}
	return w.searches.err
}

// unfinished returns the trials of the plan that are still to be measured, and what is
// recorded of those that ended well. It counts how the finished ones ended.
func (r *run) unfinished(ctx context.Context, plan Plan) (todo []trial.Trial, good []trial.Record, err error) {
	recorded, err := r.rec.Recorded(ctx, idsOf(plan.Trials), trial.Brief)
	if err != nil {
		return nil, nil, fmt.Errorf("asking what is measured already: %w", err)
	}

	for _, t := range plan.Trials {
		known, done := recorded[t.ID]
		if !done || failed(known.Status) && r.opt.Retry {
			todo = append(todo, t)
			continue
		}
		if known.Status == trial.OK {
			known.Trial = t
			good = append(good, known)
		}
		r.counts(t, known.Status)
	}

	return todo, good, nil
}

// hopelessLast puts the trials of each cache state that the longest row makes hopeless behind
// the others, so that the best is known when they come: one or two products end each.
func hopelessLast(todo []trial.Trial, size trial.Size, dev kernels.Device) []trial.Trial {
	state := map[trial.Cache]int{}
	for _, t := range todo {
		if _, known := state[t.Cache]; !known {
			state[t.Cache] = len(state)
		}
	}

	rank := func(t trial.Trial) int {
		if hopeless(t.Config, size, dev) {
			return 2*state[t.Cache] + 1
		}
		return 2 * state[t.Cache]
	}
	todo = slices.Clone(todo)
	slices.SortStableFunc(todo, func(a, b trial.Trial) int { return rank(a) - rank(b) })
	return todo
}

// onlyTrials returns the trials of records.
func onlyTrials(records []trial.Record) []trial.Trial {
	trials := make([]trial.Trial, len(records))
	for i, r := range records {
		trials[i] = r.Trial
	}
	return trials
}

// idsOf returns the identities of trials.
func idsOf(trials []trial.Trial) []string {
	ids := make([]string, len(trials))
	for i, t := range trials {
		ids[i] = t.ID
	}
	return ids
}

// failed reports whether a trial ended in a way in which it might not end again.
func failed(s trial.Status) bool { return s != trial.OK && s != trial.Invalid }

// counts notes a trial that an earlier run has measured, or a device of this one that has failed.
func (r *run) counts(t trial.Trial, s trial.Status) {
	r.done[t.ID] = true
	switch {
	case r.measured[t.ID]:
		r.ours++
	case failed(s):
		r.failedBefore++
	case s == trial.OK:
		r.okBefore++
	}
}
