// SPDX-License-Identifier: Apache-2.0

package show

import (
	"math"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/tuner"
)

// An expectation foresees how long a run takes. The tuner's model says how the matrices compare, and what this run
// has measured so far how the machine compares with the model.
type expectation struct {
	devices int
	// began is when the first trial did.
	began time.Time
	list  []*expected
}

// expected is the work on one matrix.
type expected struct {
	name             string
	trials, finished int // in all, and by earlier runs
	// measuring and repeating are what the model says of the trials and of the repeat runs after them, in seconds.
	measuring, repeating float64
	// measured counts the trials of this run.
	measured   int
	begun, end bool
	// again is when the repeat runs began, and repeated how long they took, in seconds, once they are over.
	again    time.Time
	repeated float64
}

// newExpectation foresees the work ahead, and what has begun of it.
func newExpectation(list []tuner.Estimate, devices int, begun []*progressMatrix, now time.Time) *expectation {
	e := &expectation{devices: max(devices, 1), began: now}
	for _, m := range list {
		e.list = append(e.list, &expected{name: m.Matrix.Name, trials: m.Trials, finished: m.Finished,
			measuring: (m.Left() - m.Repeating).Seconds(), repeating: m.Repeating.Seconds()})
	}
	for _, m := range begun {
		e.begin(m.matrix, m.trials, m.done)
	}
	return e
}

// find returns the work on a matrix, nil if nothing is known of it.
func (e *expectation) find(name string) *expected {
	if e == nil {
		return nil
	}
	found, _ := lists.First(e.list, func(m *expected) bool { return m.name == name })
	return found
}

// begin takes how many trials there are on a matrix, now that it is loaded.
func (e *expectation) begin(name string, trials, finished int) {
	m := e.find(name)
	switch {
	case e == nil, m != nil && m.begun: // by a device that has failed
		return
	case m == nil:
		m = &expected{name: name}
		e.list = append(e.list, m)
	}
	if before := m.left(); before > 0 {
		m.measuring *= float64(trials-finished) / float64(before)
	}
	m.trials, m.finished, m.begun = trials, finished, true
}

// left is how many trials are left.
func (m *expected) left() int { return m.trials - m.finished - m.measured }

// result counts a trial.
func (e *expectation) result(name string) {
	if m := e.find(name); m != nil {
		m.measured++
	}
}

// repeat begins the repeat runs of a matrix, or ends the work on it.
func (e *expectation) repeat(name string, over bool, now time.Time) {
	switch m := e.find(name); {
	case m == nil:
	case !over:
		m.again = now
	default:
		if m.end = true; !m.again.IsZero() {
			m.repeated = now.Sub(m.again).Seconds()
		}
	}
}

// skip leaves out a matrix that can't be used.
func (e *expectation) skip(name string) {
	m := e.find(name)
	if m == nil {
		return
	}
	if m.begun {
		m.measuring *= float64(m.measured) / float64(max(m.measured+m.left(), 1))
	} else {
		m.trials, m.finished, m.measuring = 0, 0, 0
	}
	m.begun, m.end, m.repeating = true, true, 0
}

// total is how many trials there are in all.
func (e *expectation) total() int {
	return lists.Sum(e.list, func(m *expected) int { return m.trials })
}

// ahead is how many trials are left.
func (e *expectation) ahead() int { return lists.Sum(e.list, (*expected).left) }

// foresee returns the time left. It is known once a trial is over.
func (e *expectation) foresee(now time.Time) (left time.Duration, known bool) {
	elapsed := now.Sub(e.began).Seconds() // without repeat runs, as far as they are told apart
	var over, ahead, repeats, running, current, ratios float64
	n := 1
	for _, m := range e.list {
		switch trials := m.measured + max(m.left(), 0); {
		case m.measured == 0 && (m.end || m.left() <= 0):
		case m.end && m.repeated > 0 && m.repeating > 0:
			over += m.measuring
			elapsed -= m.repeated / float64(e.devices)
			ratios += math.Log(m.repeated / m.repeating)
			n++
		case m.end:
			over += m.measuring + m.repeating
		case m.left() <= 0 || !m.again.IsZero():
			over += m.measuring
			current += m.repeating
			if !m.again.IsZero() {
				running += now.Sub(m.again).Seconds() / float64(e.devices)
			}
		default:
			done := m.measuring * float64(m.measured) / float64(trials)
			over += done
			ahead += m.measuring - done
			repeats += m.repeating
		}
	}

	elapsed -= running
	if over <= 0 || elapsed <= 0 {
		return 0, false
	}
	trials := elapsed / over
	// Repeat runs are as many as they must be, which the model guesses as well: it counts as one matrix. Where trials
	// take long because they scatter, and not because the machine is slow, repeat runs do not: half of it is a guess.
	again := math.Exp((ratios + math.Log(trials)/2) / float64(n))
	seconds := trials*ahead + again*repeats + max(0, again*current-running)
	return time.Duration(seconds * float64(time.Second)), true
}
