package mtx

import (
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"spmvtune/sparse"
)

// A body is read by all cores at once: each takes the next block, which for a
// packed file means inflating it while the others parse, and leaves its entries
// as a chunk. What depends on the blocks before, the number of a line and the
// count of entries, is settled when all chunks are there; so the first mistake
// in the order of the file is reported, whoever came across one first.
type body struct {
	*layout

	taking sync.Mutex // guards s, chunks, end
	chunks []*chunk   // in the order of the file
	end    error      // why there are no more blocks

	done, stored atomic.Int64 // entries so far, before and after mirroring
	failed       atomic.Bool
}

// read parses all blocks and checks that there were as many entries as declared.
func (b *body) read() error {
	var cores sync.WaitGroup
	var work func(left int)
	work = func(left int) {
		p := &parser{layout: b.layout}
		buf := make([]byte, blockSize+1)
		for first := true; ; first = false {
			block, c := b.take(buf)
			if c == nil {
				return
			}
			if first && left > 0 { // a small file needs no more cores
				cores.Go(func() { work(left - 1) })
			}
			b.parse(p, block, c)
		}
	}
	cores.Go(func() { work(runtime.GOMAXPROCS(0) - 1) })
	cores.Wait()
	return b.verdict()
}

// take returns the next block and the chunk for its entries, or nil if there is
// no more, or no sense in more: what was taken before includes a mistake.
func (b *body) take(buf []byte) ([]byte, *chunk) {
	b.taking.Lock()
	defer b.taking.Unlock()
	if b.end != nil || b.failed.Load() {
		return nil, nil
	}
	block, err := b.s.nextBlock(buf)
	if err != nil {
		b.end = err
		return nil, nil
	}
	c := &chunk{}
	b.chunks = append(b.chunks, c)
	return block, c
}

// parse fills c with the entries in block.
func (b *body) parse(p *parser, block []byte, c *chunk) {
	err := p.coordinates(block)
	p.distribute(c)
	c.err = err
	done, stored := b.done.Add(int64(c.n)), b.stored.Add(int64(len(c.col)))
	if err != nil || done > int64(b.h.entries) || stored > sparse.MaxIndex {
		b.failed.Store(true)
	}
}

// verdict goes over the chunks in the order of the file and returns the error of
// the first line that has one.
func (b *body) verdict() error {
	done, stored, line := 0, 0, b.s.line
	for _, c := range b.chunks {
		tried := c.n
		if c.err != nil {
			tried++
		}
		if left := b.h.entries - done; tried > left {
			return b.s.errorf(line+c.line(left), "more entries than the %d declared in line %d", b.h.entries, b.h.sizeLine)
		}
		if c.err != nil {
			return moved(c.err, line-b.s.line)
		}
		if stored += len(c.col); stored > sparse.MaxIndex {
			return tooMany(b.layout)
		}
		done += c.n
		line += c.n + len(c.skipped)
	}
	if !errors.Is(b.end, io.EOF) {
		return moved(b.end, line-b.s.line)
	}
	return b.complete(done, line)
}

// moved adds lines to the place of an error that counted from the start of a block.
func moved(err error, lines int) error {
	var e *Error
	if errors.As(err, &e) {
		e.Line += lines
	}
	return err
}
