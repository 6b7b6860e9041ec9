package status

import (
	"maps"
	"slices"
	"time"
)

// A pace counts when trials ended, and when attempts were measuring.
type pace struct {
	// ended is the number of trials that ended in each interval of paceStep.
	ended map[int64]int
	// last is the end of an attempt's last trial, by when the attempt began.
	last map[time.Time]time.Time
}

const (
	paceStep   = 10 * time.Second
	paceWindow = 10 * time.Minute // long enough for a few of the slowest trials
)

func newPace() pace { return pace{map[int64]int{}, map[time.Time]time.Time{}} }

// add counts a trial that ended at a time. Its attempt began at another.
func (p pace) add(began, at time.Time) {
	p.ended[at.UnixNano()/int64(paceStep)]++
	if began = began.UTC(); at.After(p.last[began]) {
		p.last[began] = at
	}
}

// rate returns the number of trials per second in the last minutes, 0 if there were none.
// The time in which no attempt was measuring, such as before a retry, does not count.
func (p pace) rate(now time.Time) float64 {
	first := now.Add(-paceWindow)
	n := 0
	for step, count := range p.ended {
		if step >= first.UnixNano()/int64(paceStep) {
			n += count
		}
	}

	if n == 0 {
		return 0
	}

	var busy time.Duration
	until := first // busy has the time before until
	for _, began := range slices.SortedFunc(maps.Keys(p.last), time.Time.Compare) {
		if last := p.last[began]; last.After(until) {
			if began.After(until) {
				until = began
			}
			busy += last.Sub(until)
			until = last
		}
	}

	busy += max(0, now.Sub(until)) // for the trials that are being measured
	return float64(n) / max(busy, time.Second).Seconds()
}
