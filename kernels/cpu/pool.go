// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A worker that waits checks for shortSpin before it sleeps; to sleep and to be woken costs about 50 µs. One whose last
// wait was shorter than longSpin checks that long: a solver's other work between two products is no reason to sleep. The
// caller checks for as long as its own part of the job took. On a busy machine all this keeps cores from others.
const (
	shortSpin = 20 * time.Microsecond
	longSpin  = 200 * time.Microsecond
)

// A pool runs a function on several threads at once. Its methods are called by
// one goroutine, which is worker 0 and has locked its thread.
type pool struct {
	cpus    []int // a core for each of the first workers
	free    bool  // they are not pinned to it
	workers []*worker
	job     func(worker int) // nil tells workers to end
	spin    bool
	pending atomic.Int32 // workers that still run job
	done    signal       // of pending reaching 0
}

// A worker is a goroutine on its own thread. The padding keeps the words that different workers
// watch on different cache lines.
type worker struct {
	_     [64]byte
	epoch atomic.Uint32 // raised once per job
	start signal        // of epoch
	_     [64]byte
}

func newPool(cpus []int) *pool { return &pool{cpus: cpus} }

// run calls job(0), …, job(n−1) at once and returns when all have. Without
// enough cores they take turns.
func (p *pool) run(n int, job func(worker int)) {
	if n == 1 {
		job(0)
		return
	}
	p.grow(n)
	p.dispatch(n-1, job)
	start := time.Now()
	job(0)
	most := time.Duration(0)
	if p.spin {
		most = max(shortSpin, time.Since(start))
	}
	p.done.wait(most, p.idle)
}

// close ends all workers and waits until they have ended.
func (p *pool) close() {
	if len(p.workers) == 0 {
		return
	}
	p.dispatch(len(p.workers), nil)
	p.done.wait(0, p.idle)
	p.workers = nil
}

// grow makes sure of n workers, the caller included.
func (p *pool) grow(n int) {
	for len(p.workers) < n-1 {
		w := &worker{}
		p.workers = append(p.workers, w)
		go p.work(w, len(p.workers))
	}
}

// dispatch starts job on the first n workers. Spinning is for workers that have
// a core each; with more, a spinning one would keep another from its work.
func (p *pool) dispatch(n int, job func(worker int)) {
	p.job = job
	p.spin = n < len(p.cpus)
	p.pending.Store(int32(n))
	for _, w := range p.workers[:n] {
		w.epoch.Add(1)
		w.start.notify()
	}
}

func (p *pool) idle() bool { return p.pending.Load() == 0 }

// work is the life of worker id. Its thread ends with it, because it is never
// unlocked: so its affinity can't leak to other goroutines.
func (p *pool) work(w *worker, id int) {
	runtime.LockOSThread()
	if id < len(p.cpus) && !p.free {
		pin(p.cpus[id : id+1])
	}
	seen, most := uint32(0), time.Duration(0)
	ready := func() bool { return w.epoch.Load() != seen }

	for {
		waited := w.start.wait(most, ready)
		seen++
		job := p.job
		switch {
		case !p.spin:
			most = 0
		case waited < longSpin:
			most = longSpin
		default:
			most = shortSpin
		}
		if job != nil {
			job(id)
		}

		if p.pending.Add(-1) == 0 {
			p.done.notify()
		}
		if job == nil {
			return
		}
	}
}

// A signal lets one goroutine wait for a condition that another makes true. The waiter spins first, and its thread sleeps
// after, so that a short wait costs no system call and a long one no core. Go's own scheduler would hand a goroutine to its
// thread through others, one after the other: on 16 cores it woke 15 workers in 700 µs.
type signal struct{ asleep atomic.Uint32 }

// wait returns when ready does, having called it for the time most before the thread sleeps, and says how long that took.
// ready must read atomics only.
func (s *signal) wait(most time.Duration, ready func() bool) (waited time.Duration) {
	if ready() {
		return 0
	}
	start := time.Now()
	for ; waited < most; waited = time.Since(start) {
		for range 100 {
			if ready() {
				return waited
			}
		}
	}
	for {
		s.asleep.Store(1)
		// The condition may have become true before the store, unnoticed by notify.
		if ready() {
			s.asleep.Store(0)
			break
		}
		sleepWhile(&s.asleep)
		if ready() { // not so if it was woken for an earlier condition, or by a signal
			break
		}
	}
	return time.Since(start)
}

// notify wakes the waiter if it sleeps. It is called after the condition has been made true.
func (s *signal) notify() {
	if s.asleep.Swap(0) == 1 {
		wake(&s.asleep)
	}
}

// A workShare hands out chunks 0, 1, … to whoever asks next, as OpenMP's
// schedule(dynamic) does. The counter has a cache line to itself.
type workShare struct {
	chunks int
	_      [64]byte
	next   atomic.Int64
	_      [64]byte
}

func newShare(chunks int) *workShare { return &workShare{chunks: chunks} }

// reset starts over. No worker may be taking.
func (s *workShare) reset() { s.next.Store(0) }

// take returns the next chunk, or false if none is left.
func (s *workShare) take() (int, bool) {
	i := int(s.next.Add(1)) - 1
	return i, i < s.chunks
}

func ceilDiv(n, d int) int { return (n + d - 1) / d }
