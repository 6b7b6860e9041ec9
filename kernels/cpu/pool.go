// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"runtime"
	"sync/atomic"
	"time"
)

// spins is how often an idle worker checks for work before its thread sleeps: for 20 to 50 µs, about the
// cost of sleeping and waking together.
const spins = 60_000

// yields is how often a guest's thread checks after that, and leaves the core to others in between: for about as long as the
// threads of GCC's OpenMP stay awake, in case that the next product comes. Where it takes longer than crowded to have
// the core back, the thread sleeps: one that slept gets a core before those that compute.
const (
	yields  = 10_000
	crowded = 20 * time.Microsecond
)

// A pool runs a function on several threads at once. Its methods are called by
// one goroutine, which is worker 0 and has locked its thread.
type pool struct {
	cpus    []int // a core for each of the first workers
	free    bool  // they are not pinned to it
	guest   bool  // it is another program's: its threads wait politely, and it does not wait for those that are late
	workers []*worker
	job     func(worker int) // nil tells workers to end
	tries   int              // before a thread sleeps
	pending atomic.Int32     // calls of job that have not ended
	done    signal           // of pending reaching 0
}

// A worker is a goroutine on its own thread, whose signal says that a job is there. The padding keeps the words that
// different workers watch on different cache lines.
type worker struct {
	_ [64]byte
	signal
	_ [64]byte
}

func newPool(cpus []int) *pool { return &pool{cpus: cpus} }

// run calls job(0), …, job(n−1) at once and returns when all have. Without
// enough cores they take turns. What a guest's workers have not begun when job(0) is done, the caller does: the last
// first, since they were woken last.
func (p *pool) run(n int, job func(worker int)) {
	if n == 1 {
		job(0)
		return
	}
	for len(p.workers) < n-1 {
		w := &worker{}
		p.workers = append(p.workers, w)
		go p.work(w, len(p.workers))
	}
	p.dispatch(n-1, job)
	job(0)
	ended := int32(1)
	for id := n - 1; p.guest && id > 0; id-- {
		if p.workers[id-1].take() {
			job(id)
			ended++
		}
	}
	if p.pending.Add(-ended) > 0 {
		p.done.wait(p.tries)
	}
}

// close ends all workers and waits until they have ended.
func (p *pool) close() {
	p.dispatch(len(p.workers), nil)
	if p.pending.Add(-1) > 0 {
		p.done.wait(0)
	}
	p.workers = nil
}

// dispatch starts job on the first n workers. Spinning is for workers that have
// a core each; with more, a spinning one would keep another from its work.
func (p *pool) dispatch(n int, job func(worker int)) {
	p.job = job
	p.tries = 0
	if n < len(p.cpus) {
		p.tries = spins
		if p.guest {
			p.tries += yields
		}
	}

	p.pending.Store(int32(n + 1))
	for _, w := range p.workers[:n] {
		w.raise()
	}
}

// work is the life of worker id. Its thread ends with it, because it is never
// unlocked: so its affinity can't leak to other goroutines.
func (p *pool) work(w *worker, id int) {
	runtime.LockOSThread()
	if id < len(p.cpus) && !p.free {
		pin(p.cpus[id : id+1])
	}
	for tries := 0; ; {
		w.wait(tries)
		job := p.job
		tries = p.tries
		if job != nil {
			job(id)
		}

		if p.pending.Add(-1) == 0 {
			p.done.raise()
		}
		if job == nil {
			return
		}
	}
}

// A signal lets one goroutine wait until another raises it. The waiter spins first, and its thread sleeps
// after, so that a short wait costs no system call and a long one no core. Go's own scheduler would hand a goroutine to its
// thread through others, one after the other: on 16 cores it woke 15 workers in 700 µs.
type signal struct{ state atomic.Uint32 }

// States of a signal.
const (
	lowered = iota
	asleep  // the waiter is to be woken
	raised
)

// raise wakes the waiter if it sleeps.
func (s *signal) raise() {
	if s.state.Swap(raised) == asleep {
		wake(&s.state)
	}
}

// take lowers the signal, and reports whether it was raised.
func (s *signal) take() bool {
	return s.state.Load() == raised && s.state.CompareAndSwap(raised, lowered)
}

// wait returns when it has taken the signal, for which it tries so often before the thread sleeps.
func (s *signal) wait(tries int) {
	for {
		for i := range tries + 1 {
			if s.take() {
				return
			}
			if i > spins {
				start := time.Now()
				if yield(); time.Since(start) > crowded {
					break
				}
			}
		}
		if s.state.CompareAndSwap(lowered, asleep) {
			sleepWhile(&s.state)
			s.state.CompareAndSwap(asleep, lowered) // a signal of the system woke it
		}
	}
}

// chunked returns what calls do for all chunks, on some workers. Each has first its own, as many as others and one after
// the other, which the product before has left in its core's caches; then what others have not begun, so that long rows
// and a busy core even out.
func (p *pool) chunked(chunks, workers int, do func(worker, chunk int)) (run func()) {
	parts := make([]chunkPart, workers)
	for w := range parts {
		from := splitAt(chunks, w, workers)
		parts[w].from, parts[w].count = int64(from), int64(splitAt(chunks, w+1, workers)-from)
	}
	round := int64(-1) // runs before this one
	work := func(w int) {
		for i := range parts {
			of := &parts[(w+i)%workers]
			begun := round * of.count
			for k := of.taken.Load(); k < begun+of.count; k = of.taken.Load() {
				if of.taken.CompareAndSwap(k, k+1) {
					do(w, int(of.from+k-begun))
				}
			}
		}
	}
	return func() {
		round++
		p.run(workers, work)
	}
}

// A chunkPart is a worker's own chunks. Its counter has a cache line to itself, and goes on from run to run.
type chunkPart struct {
	taken       atomic.Int64 // in all runs
	from, count int64
	_           [104]byte
}

func ceilDiv(n, d int) int { return (n + d - 1) / d }
