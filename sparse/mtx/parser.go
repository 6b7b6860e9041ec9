package mtx

import (
	"spmvtune/sparse/internal/bands"
	"spmvtune/sparse/internal/text"
)

// A parser turns blocks into chunks. Each core has one, with room for the
// entries of a block in the order of the file.
type parser struct {
	*layout

	row, col []int32
	val      []float64 // nil for a pattern

	bands bands.Distributor

	n         int     // entries in the block
	skipped   []int32 // lines of the block without an entry, counted from 0
	nonFinite int
}

// reset makes room for the entries of a block of that many bytes, or of any
// block unless it is a small one.
func (p *parser) reset(bytes int) {
	shortest := len("1 1\n")
	if p.numbers > 0 {
		shortest = len("1 1 1\n")
	}
	if bytes/shortest >= len(p.row) {
		if bytes > text.BlockSize/2 {
			bytes = text.BlockSize + 1
		}
		room := bytes/shortest + 1
		p.row, p.col = make([]int32, room), make([]int32, room)
		if p.numbers > 0 {
			p.val = make([]float64, room)
		}
	}
	p.n, p.skipped, p.nonFinite = 0, nil, 0
}

// A chunk holds the entries of one block.
type chunk struct {
	bands.Chunk

	n         int     // entries in the block, before mirroring
	skipped   []int32 // lines of the block without an entry, counted from 0
	nonFinite int
	err       error // why the line after these is not an entry
}

// line is the number of the line that the k-th entry of the block is in, both
// counted from 0. It may be the one that was refused.
func (c *chunk) line(k int) int {
	for _, s := range c.skipped {
		if int(s) > k {
			break
		}
		k++
	}
	return k
}

// leave leaves the entries of the block in c.
func (p *parser) leave(c *chunk) {
	c.Chunk = p.bands.Chunk(p.row[:p.n], p.col[:p.n], p.val)
	c.n, c.skipped, c.nonFinite = p.n, p.skipped, p.nonFinite
}
