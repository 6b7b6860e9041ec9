package sparse

import (
	"runtime"

	"spmvtune/internal/base/panics"
)

// eachPart calls f once per core, at the same time, with the core's number and
// the number of cores, and waits for all of them. Small work (below about 10⁵
// steps) stays on the caller's goroutine.
func eachPart(steps int, f func(part, parts int)) {
	eachOf(workers(steps), f)
}

// workers is the number of cores that some work is shared out to.
func workers(steps int) int {
	if steps < 1e5 {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// eachOf is eachPart with a given number of parts.
func eachOf(parts int, f func(part, parts int)) {
	var wg panics.WaitGroup
	for part := range parts {
		wg.Go(func() { f(part, parts) })
	}
	wg.Wait()
}

// share is the part-th of parts nearly equal pieces of [0, n).
func share(n, part, parts int) (lo, hi int) {
	return n * part / parts, n * (part + 1) / parts
}
