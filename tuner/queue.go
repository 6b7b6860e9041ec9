package tuner

import (
	"spmvtune/configs"
	"spmvtune/tuner/trial"
)

// A job is a trial to measure now: for its result or, if it has one, as a sentinel, a final
// or a spread.
type job struct {
	trial.Trial
	sentinel, final, spread bool
	partial                 *configs.Protocol // the protocol of a partial measurement; nil: the sweep's
}

// again reports whether the trial has a result already.
func (j job) again() bool { return j.sentinel || j.fresh() }

// fresh reports whether the trial is prepared anew.
func (j job) fresh() bool { return j.final || j.spread }

// A source gives trials one after the other. It gives the same one until it is told the
// result.
type source interface {
	next() *job // nil after the last
	told(trial.Result)
}

// A list is a source of trials that are known beforehand.
type list struct{ todo []trial.Trial }

func (l *list) next() *job {
	if len(l.todo) == 0 {
		return nil
	}
	return &job{Trial: l.todo[0]}
}

func (l *list) told(trial.Result) { l.todo = l.todo[1:] }

// A queue gives the jobs on a matrix, one after the other. In each cache state the first
// good trial is the sentinel, which is measured again at regular intervals, so that a
// drift of the device shows. A trial that is much faster takes its place, so that sentinels
// take little time. The sentinel of an earlier run goes on. It is measured first,
// which tells how the device differs from then. The finals and the spreads come last.
type queue struct {
	source
	finals    *finals
	spreads   *spreads
	every     int // number of trials between sentinels; 0: there are none
	sentinels map[trial.Cache]*sentinel
}

type sentinel struct {
	trial.Trial
	median float64 // in seconds
	since  int     // number of trials since it was measured
}

// muchFaster is how many times faster a trial is that becomes the sentinel.
const muchFaster = 3

// newQueue returns a queue of the trials to measure. good are those that have ended well
// already, in the order of the plan.
func newQueue(todo source, good []trial.Record, every int, finals *finals, spreads *spreads) *queue {
	q := &queue{source: todo, finals: finals, spreads: spreads, every: every, sentinels: map[trial.Cache]*sentinel{}}
	for _, r := range good {
		q.appoint(r.Result, every)
	}
	return q
}

// appoint makes a good trial the sentinel if there is none, or only a much slower one. Times of a
// program are its own, and one that was cut short because it is slow takes too long.
func (q *queue) appoint(r trial.Result, since int) {
	if q.finals.programs[r.Kernel] || r.Stop == trial.StopSlow {
		return
	}
	if s := q.sentinels[r.Cache]; s == nil || s.median > muchFaster*r.Median {
		q.sentinels[r.Cache] = &sentinel{r.Trial, r.Median, since}
	}
}

// next returns the next job, nil after the last. It returns the same one until it is told
// the result.
func (q *queue) next() *job {
	j := q.source.next()
	if j == nil {
		if j = q.finals.next(); j == nil {
			j = q.spreads.next()
		}
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
	case r.Final:
		q.finals.told(r)
	case r.Spread:
		q.spreads.told()
	case r.Sentinel && r.Status != trial.OK:
		delete(q.sentinels, r.Cache) // the next good one takes its place
	case r.Sentinel:
		s.since = 0
	default:
		q.source.told(r)
		good := r.Precedence().Good()
		if good {
			q.finals.enter(r, nil)
			q.spreads.enter(r.Trial, r.Stop)
		}
		if s != nil {
			s.since++
		}
		if good {
			q.appoint(r, 0)
		}
	}
}
