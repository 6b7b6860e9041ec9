package cpu

import (
	"math/bits"
	"runtime"
	"time"

	"spmvtune/kernels"
)

// Roof measures bandwidth as STREAM does (McCalpin, 1995): all cores, arrays of
// four times the last-level cache, the best of several passes. The lines that a
// store reads before it writes are not counted. Reading at random is from an array of
// eight times that cache at least, where memory allows.
func (b *Backend) Roof() (kernels.Roof, error) {
	const passes = 10
	cache := cacheOr(b.device.Cache)
	roof := b.roof(int(4*cache/8), passes)
	runtime.GC() // gives back the arrays
	roof.Gather = b.gather(gatherLog(cache, b.device.Memory), passes)
	return roof, nil
}

// gatherLog is the logarithm of the number of float64 that are read at random: of eight times
// the cache at least, or of an eighth of memory, if its size is known and that is less.
func gatherLog(cache, memory int64) int {
	bytes := 8 * cache
	if memory > 0 {
		bytes = min(bytes, memory/8)
	}
	return min(bits.Len64(uint64(bytes/8-1)), 31)
}

// gather measures reading at random from 2^log float64. A pass reads one element of each line
// of the array, so that it comes from memory even if the cache keeps the lines of the previous
// pass as long as it can.
func (b *Backend) gather(log, passes int) float64 {
	cores := len(b.cores)
	x, sums := b.filled(1<<log, 1), make([]float64, cores)
	reads := max(len(x)/(cacheLine/8), 1)
	var gbps float64

	for range passes {
		start := time.Now()
		b.pool.run(cores, func(w int) {
			sums[w] = gatherSum(x, log, splitAt(reads, w, cores), splitAt(reads, w+1, cores))
		})
		gbps = max(gbps, float64(8*reads)/1e9/time.Since(start).Seconds())
	}

	return gbps
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
func partOf(s []float64, w, cores int) []float64 {
	return s[splitAt(len(s), w, cores):splitAt(len(s), w+1, cores)]
}

// roof measures with arrays of n float64 each.
func (b *Backend) roof(n, passes int) kernels.Roof {
	cores := len(b.cores)
	x, y, z := b.filled(n, 1), b.filled(n, 2), b.filled(n, 3)
	sums := make([]float64, cores)

	// best streams over the parts of some arrays. It counts the bytes of those that it is given.
	best := func(stream func(w int, parts [][]float64), arrays ...[]float64) float64 {
		parts := make([][][]float64, cores)
		for w := range parts {
			for _, s := range arrays {
				parts[w] = append(parts[w], partOf(s, w, cores))
			}
		}

		var gbps float64
		for range passes {
			start := time.Now()
			b.pool.run(cores, func(w int) { stream(w, parts[w]) })
			gbps = max(gbps, float64(passBytes(arrays))/1e9/time.Since(start).Seconds())
		}
		return gbps
	}

	return kernels.Roof{
		Read:  best(func(w int, s [][]float64) { sums[w] = sum(s[0]) }, x),
		Copy:  best(func(_ int, s [][]float64) { copy(s[1], s[0]) }, x, y),
		Triad: best(func(_ int, s [][]float64) { triad(s[2], s[0], s[1]) }, x, y, z),
	}
}

// passBytes returns the bytes that a pass over arrays moves.
func passBytes(arrays [][]float64) (bytes int) {
	for _, s := range arrays {
		bytes += 8 * len(s)
	}
	return bytes
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
