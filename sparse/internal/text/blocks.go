package text

import (
	"runtime"
	"sync"

	"spmvtune/internal/base/panics"
)

// EachBlock parses blocks of lines on all cores at once. take gives the next block and its
// properties, or the reason why there is none; it may put the block in buf, is called by one
// core at a time, and for a packed file means inflating it while the others parse. start gives
// a core its function to parse blocks; the function reports whether it makes sense to go on. A
// small file starts no more than one core. EachBlock returns the error of take, or nil where a
// core saw no sense; every block that was taken has then been parsed.
func EachBlock[T any](take func(buf []byte) (block []byte, about T, err error),
	start func() func(block []byte, about T) bool) error {
	var (
		taking  sync.Mutex // guards take and the two below
		end     error
		stopped bool
		cores   panics.WaitGroup
		work    func(left int)
	)

	next := func(buf []byte) (block []byte, about T, ok bool) {
		taking.Lock()
		defer taking.Unlock()
		if stopped || end != nil {
			return nil, about, false
		}

		block, about, end = take(buf)
		return block, about, end == nil
	}

	work = func(left int) {
		parse := start()
		buf := make([]byte, BlockSize+1)
		for first := true; ; first = false {
			block, about, ok := next(buf)
			if !ok {
				return
			}
			if first && left > 0 { // a small file needs no more cores
				cores.Go(func() { work(left - 1) })
			}

			if !parse(block, about) {
				taking.Lock()
				stopped = true
				taking.Unlock()
			}
		}
	}

	cores.Go(func() { work(runtime.GOMAXPROCS(0) - 1) })
	cores.Wait()
	return end
}
