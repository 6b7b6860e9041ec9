package tuner

// A job is a trial that is to be measured now: for its result, or as a sentinel,
// because it has one.
type job struct {
	Trial
	sentinel bool
}

// A queue gives the jobs on a matrix, one after the other. In each cache state the
// first trial that ended well is the sentinel: it is measured again after every so
// many trials, so that a drift of the device is seen. What an earlier run measured
// counts: its sentinel goes on, and is measured first, which tells how the device
// then differs from now.
type queue struct {
	todo      []Trial
	every     int // trials; 0: no sentinels
	sentinels map[Cache]*sentinel
}

type sentinel struct {
	Trial
	since int // trials since it was measured
}

// newQueue makes a queue of what is to be measured and what has ended well already,
// both in the order of the plan.
func newQueue(todo, good []Trial, every int) *queue {
	q := &queue{todo: todo, every: every, sentinels: map[Cache]*sentinel{}}
	for _, t := range good {
		if q.sentinels[t.Cache] == nil {
			q.sentinels[t.Cache] = &sentinel{t, every}
		}
	}
	return q
}

// next gives the next job, nil after the last. It gives the same one until it is told
// what became of it.
func (q *queue) next() *job {
	if len(q.todo) == 0 {
		return nil
	}
	t := q.todo[0]
	if s := q.sentinels[t.Cache]; q.every > 0 && s != nil && s.since >= q.every {
		return &job{s.Trial, true}
	}
	return &job{Trial: t}
}

// told takes note of the result of the job that was given last.
func (q *queue) told(r Result) {
	s := q.sentinels[r.Cache]
	switch {
	case r.Sentinel && r.Status != OK:
		delete(q.sentinels, r.Cache) // the next good one takes its place
	case r.Sentinel:
		s.since = 0
	default:
		q.todo = q.todo[1:]
		if s != nil {
			s.since++
		} else if r.Status == OK {
			q.sentinels[r.Cache] = &sentinel{r.Trial, 0}
		}
	}
}
