package cpu

// An evictor drives a problem out of the caches by writing a buffer of size
// bytes, twice the last-level cache. All cores write a part of it, so that
// every core's own caches and every slice of a divided last-level cache are
// reached.
type evictor struct {
	size   int64
	buffer []byte // allocated on first use
}

// evict takes about as long as writing the buffer to memory.
func (e *evictor) evict(p *pool, cores int) {
	if e.buffer == nil {
		e.buffer = make([]byte, e.size)
	}
	p.run(cores, func(w int) {
		part := e.buffer[splitAt(len(e.buffer), w, cores):splitAt(len(e.buffer), w+1, cores)]
		for i := 0; i < len(part); i += cacheLine {
			part[i]++
		}
	})
}

// cacheLine is at most the size of a line on the processors that Go runs on, in
// bytes.
const cacheLine = 64

// cacheOr is the size of the last-level cache, or a guess where the system does
// not tell: 64 MiB, more than most have per core complex.
func cacheOr(known int64) int64 {
	if known > 0 {
		return known
	}
	return 64 << 20
}
