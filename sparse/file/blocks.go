// SPDX-License-Identifier: Apache-2.0

package file

import (
	"cmp"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"example.org/spmvtune/internal/base/panics"
)

// eachBlock parses blocks of lines on all cores at once, and returns what became of them in the order of the file. next
// gives the next block, or the reason why there is none, io.EOF at the end; it may put the lines in buf, is called by one
// core at a time, and for a packed file means inflating it while the others parse. start gives a core its function to
// parse blocks. A small file starts no more than one core. The error is the first in the order of the file, whoever came
// across it when; the results are then those of the blocks up to it.
func eachBlock[T any](next func(buf []byte) (block, error), start func() func(block) (T, error)) ([]T, error) {
	type result struct {
		made T
		err  error
	}
	var (
		taking sync.Mutex // guards next and the two below
		all    []*result
		end    error
		cores  panics.WaitGroup
		work   func(left int)
	)
	take := func(buf []byte) (b block, r *result) {
		taking.Lock()
		defer taking.Unlock()
		if end == nil {
			b, end = next(buf)
		}
		if end == nil {
			r = new(result)
			all = append(all, r)
		}
		return b, r
	}

	work = func(left int) {
		parse := start()
		buf := make([]byte, blockSize+1)
		for b, r := take(buf); r != nil; b, r = take(buf) {
			if left > 0 { // a small file needs no more cores
				more := left - 1
				cores.Go(func() { work(more) })
				left = 0
			}
			if r.made, r.err = parse(b); r.err != nil {
				taking.Lock()
				end = cmp.Or(end, io.EOF)
				taking.Unlock()
			}
		}
	}
	cores.Go(func() { work(runtime.GOMAXPROCS(0) - 1) })
	cores.Wait()

	made := make([]T, len(all))
	for k, r := range all {
		made[k] = r.made
		if r.err != nil {
			return made[:k+1], r.err
		}
	}
	if end == io.EOF {
		end = nil
	}
	return made, end
}

// eachOf calls what start gives, once a core, for every number below n.
func eachOf(n int, start func() func(k int)) {
	var (
		cores panics.WaitGroup
		taken atomic.Int64
	)
	for range min(runtime.GOMAXPROCS(0), n) {
		cores.Go(func() {
			f := start()
			for k := int(taken.Add(1)) - 1; k < n; k = int(taken.Add(1)) - 1 {
				f(k)
			}
		})
	}
	cores.Wait()
}
