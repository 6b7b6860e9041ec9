// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"fmt"
	"math/bits"
	"runtime/debug"
	"slices"
	"time"

	"example.org/spmvtune/kernels"
)

// Roof measures bandwidth as STREAM does (McCalpin, 1995): all cores, the best of several passes. The
// lines that a store reads before it writes are not counted.
func (b *Backend) Roof() (kernels.Roof, error) {
	const passes = 10
	limit := b.memoryLimit()
	n, log := int(roofBytes(cacheOr(b.device.Cache), limit, 2)/8), gatherLog(cacheOr(b.device.Cache), limit)
	x := b.filled(max(n, 1<<log), 1)
	roof := b.roof(x[:n], passes)
	roof.Gather = b.gather(x[:1<<log], log, passes)
	b.pool.run(len(b.cores), func(int) {}) // the pool lets go of x
	debug.FreeOSMemory()
	return roof, nil
}

// Cached says why a part of the bytes that Roof counts may come from the cache; "" if they come from memory.
func (b *Backend) Cached() string {
	cache, limit := cacheOr(b.device.Cache), b.memoryLimit()
	bytes := roofBytes(cache, limit, 2)
	if bytes == roofCaches*cache {
		return ""
	}
	return fmt.Sprintf("a part may come from the cache: this process may use %d MB, so %d MB were read, not %d",
		limit>>20, bytes>>20, roofCaches*cache>>20)
}

const (
	// roofCaches is the memory for bandwidths, in last-level caches.
	roofCaches = 4
	// roofTime bounds how long a bandwidth takes, so that all of them are known in time where others use the
	// processor, too. An idle one needs a part of it.
	roofTime = 8 * time.Second
)

// roofBytes is what a pass streams over, all arrays together: between two uses of a line come four caches
// of others, so that it comes from memory. STREAM asks for that of each array, which takes three times the
// memory, and a task on a cluster may have little. So it is at most a part of the memory, if that is known.
func roofBytes(cache, memory, part int64) int64 {
	if memory > 0 {
		return min(roofCaches*cache, memory/part)
	}
	return roofCaches * cache
}

// longPiece is how many bytes of memory a pass goes through at least.
const longPiece = 256 << 20

// piecesOf is in how many pieces passes go through n float64, one after the other. Between two uses of a line come all
// others as well as if each pass went through all, which takes as many times as long.
func piecesOf(n int) int { return max(1, min(8*n/longPiece, roofCaches)) }

// best returns the highest rate of some passes, each through one of pieces that have a number of bytes together, in
// GB/s. It is enough if three of them agree within 1%. No pass begins after roofTime.
func best(passes, pieces, bytes int, pass func(piece int)) float64 {
	var rates []float64
	turn := 0
	for begun := time.Now(); len(rates) == 0 || len(rates) < passes && time.Since(begun) < roofTime; {
		start := time.Now()
		pass(turn % pieces)
		rates = append(rates, float64(bytes/pieces)/1e9/time.Since(start).Seconds())
		turn++
		slices.Sort(rates)
		if n := len(rates); n >= 3 && rates[n-3] > 0.99*rates[n-1] {
			break
		}
	}
	return rates[len(rates)-1]
}

// gatherLog is the logarithm of the number of float64 that are read at random, which take an eighth of memory at most.
func gatherLog(cache, memory int64) int {
	return min(bits.Len64(uint64(roofBytes(cache, memory, 8)/8-1)), 31)
}

// gather measures reading at random from x, 2^log float64. Passes through all pieces read one element of each line
// of the array, so that it comes from memory even if the cache keeps the lines of the previous
// ones as long as it can.
func (b *Backend) gather(x []float64, log, passes int) float64 {
	cores := len(b.cores)
	sums := make([]float64, cores)
	pieces := piecesOf(len(x))
	reads := max(len(x)/(cacheLine/8)/pieces, 1) // of a pass
	return best(passes, pieces, 8*reads*pieces, func(piece int) {
		b.pool.run(cores, func(w int) {
			sums[w] = gatherSum(x, log, piece*reads+splitAt(reads, w, cores), piece*reads+splitAt(reads, w+1, cores))
		})
	})
}

// gatherSum adds the elements at places lo to hi of the order of kernels.Scatter.
//
// The pragma hides this function and those below from the race detector: each core has its own
// part, and watching every element takes minutes.
//
//go:norace
func gatherSum(x []float64, log, lo, hi int) float64 {
	var sum float64
	for i := lo; i < hi; i++ {
		sum += x[kernels.Scatter(uint32(i), log)]
	}
	return sum
}

// filled returns an array of a value. Each core is the first to touch its part, so that the pages
// lie in that core's memory; pages that were never written would all be one page of zeros.
func (b *Backend) filled(n int, value float64) []float64 {
	s, cores := make([]float64, n), len(b.cores)
	b.pool.run(cores, func(w int) { fill(partOf(s, w, cores), value) })
	return s
}

// partOf is the part of an array that a core streams over.
func partOf[T any](s []T, w, cores int) []T {
	return s[splitAt(len(s), w, cores):splitAt(len(s), w+1, cores)]
}

// roof measures in an array: it reads all of it, copies one half to the other, and works on its thirds.
func (b *Backend) roof(x []float64, passes int) kernels.Roof {
	n, cores, pieces := len(x), len(b.cores), piecesOf(len(x))
	sums := make([]float64, cores)

	// of streams over an array that is cut into some parts, and each of these for the cores.
	of := func(cut int, stream func(w int, parts [][]float64)) float64 {
		return best(passes, pieces, 8*cut*(n/cut), func(piece int) {
			b.pool.run(cores, func(w int) {
				var parts [][]float64
				for i := range cut {
					parts = append(parts, partOf(partOf(x[i*(n/cut):(i+1)*(n/cut)], w, cores), piece, pieces))
				}
				stream(w, parts)
			})
		})
	}

	return kernels.Roof{
		Read:  of(1, func(w int, s [][]float64) { sums[w] = sum(s[0]) }),
		Copy:  of(2, func(_ int, s [][]float64) { copy(s[1], s[0]) }),
		Triad: of(3, func(_ int, s [][]float64) { triad(s[2], s[0], s[1]) }),
	}
}

// sum adds the elements of s in eight sums, so that additions overlap. They are
// eight variables because the compiler keeps no array in registers.
//
//go:norace
func sum(s []float64) float64 {
	var t0, t1, t2, t3, t4, t5, t6, t7 float64
	for ; len(s) >= 8; s = s[8:] {
		t0 += s[0]
		t1 += s[1]
		t2 += s[2]
		t3 += s[3]
		t4 += s[4]
		t5 += s[5]
		t6 += s[6]
		t7 += s[7]
	}

	for _, v := range s {
		t0 += v
	}
	return ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7))
}

//go:norace
func triad(a, b, c []float64) {
	b, c = b[:len(a)], c[:len(a)]
	for i := range a {
		a[i] = b[i] + 3*c[i]
	}
}
