package status

import (
	"maps"
	"slices"
	"time"
)

// A pace is how fast trials end: how many did in each slot of time, and when attempts
// were at it.
type pace struct {
	slots map[int64]int
	last  map[time.Time]time.Time // by when an attempt began, the end of its last trial
}

const (
	paceSlot   = 10 * time.Second
	paceWindow = 10 * time.Minute // long enough for a few of the slowest trials
)

func newPace() pace { return pace{map[int64]int{}, map[time.Time]time.Time{}} }

// add counts a trial that ended at a time, of an attempt that began at another.
func (p pace) add(began, at time.Time) {
	p.slots[at.UnixNano()/int64(paceSlot)]++
	if began = began.UTC(); at.After(p.last[began]) {
		p.last[began] = at
	}
}

// rate is the trials per second in the last minutes, less the time in which no attempt
// was at it, as before a retry; 0 if there were none.
func (p pace) rate(now time.Time) float64 {
	first := now.Add(-paceWindow)
	n := 0
	for slot, count := range p.slots {
		if slot >= first.UnixNano()/int64(paceSlot) {
			n += count
		}
	}
	if n == 0 {
		return 0
	}
	var busy time.Duration
	until := first // all before is counted
	for _, began := range slices.SortedFunc(maps.Keys(p.last), time.Time.Compare) {
		if last := p.last[began]; last.After(until) {
			if began.After(until) {
				until = began
			}
			busy += last.Sub(until)
			until = last
		}
	}
	busy += max(0, now.Sub(until)) // the trials that are being measured
	return float64(n) / max(busy, time.Second).Seconds()
}
