package sparse

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

// Marks are a set of numbers: a byte for each, 0 or 1. Marking a byte is one store that waits
// for nothing, while a bit would wait for its neighbours in the same word. Each goroutine has
// its own set and needs no atomic operations.
type marks []byte

// newMarks returns an empty set of numbers below n.
func newMarks(n int) marks { return make(marks, (n+7)/8*8) }

// union counts the numbers that are in any of some sets of one size.
func union(sets []marks) int {
	var total atomic.Int64
	words := len(sets[0]) / 8
	eachPart(words*len(sets), func(part, parts int) {
		n := 0
		lo, hi := share(words, part, parts)
		for at := 8 * lo; at < 8*hi; at += 8 {
			var word uint64
			for _, m := range sets {
				word |= binary.NativeEndian.Uint64(m[at:])
			}
			n += bits.OnesCount64(word)
		}
		total.Add(int64(n))
	})

	return int(total.Load())
}
