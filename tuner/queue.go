// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"context"
	"fmt"
	"slices"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// A job is a trial to measure now: for its result or, if it has one, as a sentinel, a leader rerun
// or a noise rerun.
type job struct {
	trial.Trial
	sentinel, leader, noise bool
	partial                 *configs.Protocol // the protocol of a partial measurement; nil: the sweep's
	ahead                   []trial.Trial     // those that come next, as far as they are known
}

// again reports whether the trial has a result already.
func (j job) rerun() bool { return j.sentinel || j.fresh() }

// fresh reports whether its arrays are allocated and filled again.
func (j job) fresh() bool { return j.leader || j.noise }

// A source gives trials one after the other. It gives the same one until it is told the result.
type source interface {
	next() *job // nil after the last
	told(trial.Result)
	enter(trial.Record)     // a trial that ended well, of any source, with its repeat runs in an earlier run
	missing() []trial.Trial // what is still to come at least, as far as that is known beforehand
}

// A list is a source of trials that are known beforehand.
type list struct{ todo []trial.Trial }

func (l *list) next() *job {
	if len(l.todo) == 0 {
		return nil
	}
	return &job{Trial: l.todo[0], ahead: l.todo[1:min(len(l.todo), 1+mostAhead)]}
}

func (l *list) told(trial.Result)      { l.todo = l.todo[1:] }
func (l *list) enter(trial.Record)     {}
func (l *list) missing() []trial.Trial { return l.todo }

// A queue gives the jobs on a matrix, one after the other: those of each source in turn. In each cache state the first
// good trial is the sentinel, which is measured again at regular intervals, so that a drift of the device shows. A trial
// that is much faster takes its place, so that sentinels take little time. The sentinel of an earlier run goes on. It is
// measured first, which tells how the device differs from then. Repeat runs have no sentinels.
type queue struct {
	sources   []source
	of        source          // the one whose job was given last
	programs  map[string]bool // kernels whose times are their own
	every     int             // number of trials between sentinels; 0: there are none
	sentinels map[trial.Cache]*sentinel
}

type sentinel struct {
	trial.Trial
	median float64 // in seconds
	since  int     // number of trials since it was measured
}

// muchFaster is how many times faster a trial is that becomes the sentinel.
const muchFaster = 3

// enter tells all sources of a trial that ended well.
func (q *queue) enter(known trial.Record) {
	for _, s := range q.sources {
		s.enter(known)
	}
}

// missing returns what is still to come at least.
func (q *queue) missing() []trial.Trial { return slices.Concat(lists.Of(q.sources, source.missing)...) }

// appoint makes a good trial the sentinel if there is none, or only a much slower one. Times of a
// program are its own, and one that was cut short because it is slow takes too long.
func (q *queue) appoint(r trial.Result, since int) {
	if q.programs[r.Kernel] || r.Stop == trial.StopSlow {
		return
	}
	if s := q.sentinels[r.Cache]; s == nil || s.median > muchFaster*r.Median {
		q.sentinels[r.Cache] = &sentinel{r.Trial, r.Median, since}
	}
}

// next returns the next job, nil after the last. It returns the same one until it is told
// the result.
func (q *queue) next() (j *job) {
	for i := 0; i < len(q.sources) && j == nil; i++ {
		q.of = q.sources[i]
		j = q.of.next()
	}
	if j == nil || j.rerun() {
		return j
	}
	if s := q.sentinels[j.Cache]; q.every > 0 && s != nil && s.since >= q.every {
		return &job{Trial: s.Trial, sentinel: true}
	}
	return j
}

// told notes the result of the last job.
func (q *queue) told(r trial.Result) {
	s := q.sentinels[r.Cache]
	switch {
	case r.Sentinel && r.Status != trial.OK:
		delete(q.sentinels, r.Cache) // the next good one takes its place
	case r.Sentinel:
		s.since = 0
	default:
		q.of.told(r)
		if s != nil && !r.IsRerun() {
			s.since++
		}
		if r.Precedence().Good() && !r.IsRerun() {
			q.enter(trial.Record{Result: r})
			q.appoint(r, 0)
		}
	}
}

// work is what there is to do on a matrix.
type work struct {
	*queue
	trials   int            // number of trials; of searches, the most
	finished int            // number of trials that an earlier run has measured
	todo     []trial.Trial  // what is left to measure, where no search decides
	good     []trial.Record // trials under the sweep's protocol that ended well in an earlier run
	adaptive bool           // whether a search decides how many trials there are
	searches *searches
}

// workOn finds out what is left to do of a plan.
func (r *run) workOn(ctx context.Context, plan Plan) (*work, error) {
	protocol := r.sweep.Protocol
	r.best = bests{}
	leaders := newLeaderReruns(protocol.Finals, protocol.Seed, plan.Matrix.Hash, r.programs)
	leaders.only, leaders.bound = protocol.Repeats == 0, r.sweep.Search.Busy.Seconds()
	q := &queue{every: protocol.Sentinel, programs: r.programs, sentinels: map[trial.Cache]*sentinel{}}
	if search.Adaptive(r.sweep.Search.Strategy) {
		s, err := r.newSearches(ctx, plan, q)
		if err != nil {
			return nil, err
		}
		q.sources = []source{s, leaders, newNoiseReruns(protocol.Repeats, nil, nil)}
		more := s.next() != nil // after this, the strategies are told everything that is recorded
		return &work{queue: q, searches: s, trials: s.most(), finished: len(s.recorded) - r.byFailedDevice,
			adaptive: more}, s.err
	}

	todo, good, err := r.unfinished(ctx, plan)
	if err != nil {
		return nil, err
	}
	todo = hopelessLast(todo, plan.Matrix.Size(), r.planner.device)
	q.sources = []source{&list{todo}, leaders, newNoiseReruns(protocol.Repeats, r.whole, plan.Trials)}
	for _, known := range good {
		r.note(known.Trial, known.Median)
		q.enter(known)
		q.appoint(known.Result, q.every)
	}
	return &work{queue: q, todo: todo, trials: len(plan.Trials),
		finished: len(plan.Trials) - len(todo) - r.byFailedDevice, good: good}, nil
}

// count returns how many trials there are, as far as is known by now.
func (w *work) count() int {
	if w.searches == nil {
		return w.trials
	}
	return len(w.searches.recorded) + w.searches.measured
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

// hopelessLast puts the trials of each cache state, which come one after the other, that the longest row makes hopeless
// behind the others, so that the best is known when they come: one or two products end each.
func hopelessLast(todo []trial.Trial, size trial.Size, dev kernels.Device) []trial.Trial {
	var ordered, last []trial.Trial
	best := fastest(todo, size, dev)
	for i, t := range todo {
		if i > 0 && t.Cache != todo[i-1].Cache {
			ordered, last = append(ordered, last...), nil
		}
		if hopeless(t.Config, size, dev, best) {
			last = append(last, t)
		} else {
			ordered = append(ordered, t)
		}
	}
	return append(ordered, last...)
}

// idsOf returns the identities of trials.
func idsOf(trials []trial.Trial) []string {
	return lists.Of(trials, func(t trial.Trial) string { return t.ID })
}

// failed reports whether a trial ended in a way in which it might not end again.
func failed(s trial.Status) bool { return s != trial.OK && s != trial.Invalid }

// counts notes a trial that an earlier run has measured, or a device of this one that has failed.
func (r *run) counts(t trial.Trial, s trial.Status) {
	r.done[t.ID] = true
	switch {
	case r.measured[t.ID]:
		r.byFailedDevice++
	case failed(s):
		r.failedBefore++
	case s == trial.OK:
		r.okBefore++
	}
}

// ofCase returns those trials that are of a case.
func ofCase(trials []trial.Trial, at trial.Case) []trial.Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t trial.Trial) bool { return caseOf(t) != at })
}

// caseOf returns the place of a trial within a run, all of which is on one device.
func caseOf(t trial.Trial) trial.Case { return t.Case("") }

// bests are the lowest medians of a matrix so far, in seconds.
type bests map[trial.Case]float64

// note notes the median of a trial, unless it is a program's own.
func (r *run) note(t trial.Trial, median float64) {
	if !r.programs[t.Kernel] {
		r.best.note(t, median)
	}
}

// note notes the median of a trial.
func (b bests) note(t trial.Trial, median float64) {
	if old, is := b[caseOf(t)]; median > 0 && (!is || median < old) {
		b[caseOf(t)] = median
	}
}
