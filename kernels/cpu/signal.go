package cpu

import "sync/atomic"

// A signal lets one goroutine wait for a condition that another makes true. The
// waiter spins first and parks after, so that a short wait costs no system call
// and a long one no core.
type signal struct {
	parked atomic.Bool
	wake   chan struct{} // holds at most the one message owed to a parked waiter
}

func newSignal() signal { return signal{wake: make(chan struct{}, 1)} }

// wait returns when ready does, having called it up to spins times before
// parking. ready must read atomics only.
func (s *signal) wait(spins int, ready func() bool) {
	for {
		for range spins {
			if ready() {
				return
			}
		}

		s.parked.Store(true)
		// The condition may have become true before the store, unnoticed by notify. So check
		// again, and reset parked unless notify has done that.
		if ready() && s.parked.Swap(false) {
			return
		}

		<-s.wake
		if ready() { // not so if the message was for an earlier condition
			return
		}
	}
}

// notify wakes the waiter if it is parked. It is called after the condition has
// been made true.
func (s *signal) notify() {
	if s.parked.Swap(false) {
		s.wake <- struct{}{}
	}
}
