package mtx

import (
	"errors"
	"io"
	"sync/atomic"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/bands"
	"spmvtune/sparse/internal/text"
)

// A body is read by all cores at once: each takes the next block and leaves its entries as a
// chunk. Line numbers and counts of entries depend on the blocks before, so they are computed
// when all chunks are there; so the first mistake in the order of the file is reported, whoever
// came across one first.
type body struct {
	*layout

	chunks []*chunk // in the order of the file
	end    error    // why there are no more blocks

	done, stored atomic.Int64 // entries so far, before and after mirroring
}

// read parses all blocks and checks that there were as many entries as declared.
func (b *body) read() error {
	b.end = text.EachBlock(b.take, func() func([]byte, *chunk) bool {
		p := &parser{layout: b.layout, bands: bands.Distributor{Layout: b.Layout}}
		return func(block []byte, c *chunk) bool { return b.parse(p, block, c) }
	})
	return b.verdict()
}

// take returns the next block and the chunk for its entries.
func (b *body) take(buf []byte) ([]byte, *chunk, error) {
	block, err := b.s.NextBlock(buf)
	if err != nil {
		return nil, nil, err
	}
	c := &chunk{}
	b.chunks = append(b.chunks, c)
	return block, c, nil
}

// parse fills c with the entries in block, and reports whether to go on: whether there was no
// mistake so far.
func (b *body) parse(p *parser, block []byte, c *chunk) bool {
	c.err = p.coordinates(block)
	p.leave(c)
	done, stored := b.done.Add(int64(c.n)), b.stored.Add(int64(c.Len()))
	return c.err == nil && done <= int64(b.h.entries) && stored <= sparse.MaxIndex
}

// verdict goes over the chunks in the order of the file and returns the error of
// the first line that has one.
func (b *body) verdict() error {
	done, stored, line := 0, 0, b.s.Line
	for _, c := range b.chunks {
		tried := c.n
		if c.err != nil {
			tried++
		}
		if left := b.h.entries - done; tried > left {
			return b.s.Errorf(line+c.line(left), "more entries than the %d declared in line %d", b.h.entries,
				b.h.sizeLine)
		}

		if c.err != nil {
			return moved(c.err, line-b.s.Line)
		}
		if stored += c.Len(); stored > sparse.MaxIndex {
			return tooMany(b.layout)
		}

		done += c.n
		line += c.n + len(c.skipped)
	}

	if !errors.Is(b.end, io.EOF) {
		return moved(b.end, line-b.s.Line)
	}
	return b.complete(done, line)
}

// moved adds lines to the place of an error that counted from the start of a block.
func moved(err error, lines int) error {
	var e *text.Error
	if errors.As(err, &e) {
		e.Line += lines
	}
	return err
}

// assemble makes the matrix of the chunks.
func (b *body) assemble() (*text.Matrix, error) {
	entries, nonFinite := 0, 0
	chunks := make([]*bands.Chunk, len(b.chunks))
	for k, c := range b.chunks {
		chunks[k] = &c.Chunk
		entries += c.Len()
		nonFinite += c.nonFinite
	}
	if err := b.worthwhile(entries); err != nil {
		return nil, err
	}

	m := b.matrix(bands.Assemble(b.Layout, chunks), entries, nonFinite)
	m.Odd = bands.Odd(b.Layout, chunks, m.Duplicates)
	return m, nil
}
