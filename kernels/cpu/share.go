package cpu

import "sync/atomic"

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
