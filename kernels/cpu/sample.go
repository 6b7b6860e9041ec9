// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"cmp"
	"math"
	"time"
)

// An evictor drives a problem out of the caches. It writes a buffer of size bytes,
// twice the last-level cache, and then reads another one, so that the caches are left
// with clean lines: writing modified lines back to memory would fall into the sample.
// All cores take part, so that every core's own caches and every slice of a divided
// last-level cache are reached.
type evictor struct {
	size           int64
	written, clean []byte // allocated on first use
	sums           []int  // of what each core has read
}

// evict takes about as long as writing one buffer to memory and reading the other.
func (e *evictor) evict(p *pool, cores int) {
	if e.written == nil {
		e.written, e.clean, e.sums = make([]byte, e.size), make([]byte, e.size), make([]int, cores*cacheLine)
		fill(e.clean, 1) // pages that were never written are all one page of zeros
	}
	p.run(cores, func(w int) {
		part := partOf(e.written, w, cores)
		for i := 0; i < len(part); i += cacheLine {
			part[i]++
		}
	})
	p.run(cores, func(w int) {
		part, sum := partOf(e.clean, w, cores), 0
		for i := 0; i < len(part); i += cacheLine {
			sum += int(part[i])
		}
		e.sums[w*cacheLine] += sum
	})
}

// cacheLine is at most the size of a line on the processors that Go runs on, in
// bytes.
const cacheLine = 64

// cacheOr is the size of the last-level cache. If the system does not report it, it is 64 MiB,
// which is more than most processors have per core complex.
func cacheOr(known int64) int64 { return cmp.Or(known, 64<<20) }

// tick is the smallest observed difference between readings of the monotonic clock, in seconds:
// the time of a reading or the clock's step, whichever is larger.
func tick() float64 {
	smallest := time.Duration(math.MaxInt64)
	for seen := 0; seen < 100; {
		start := time.Now()
		if d := time.Since(start); d > 0 {
			smallest = min(smallest, d)
			seen++
		}
	}
	return smallest.Seconds()
}
