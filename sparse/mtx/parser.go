package mtx

// A parser turns blocks into chunks. Each core has one, with room for the
// entries of a block in the order of the file.
type parser struct {
	*layout

	row, col []int32
	val      []float64 // nil for a pattern

	next []int32 // where the next entry of each band goes

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
		if bytes > blockSize/2 {
			bytes = blockSize + 1
		}
		room := bytes/shortest + 1
		p.row, p.col = make([]int32, room), make([]int32, room)
		if p.numbers > 0 {
			p.val = make([]float64, room)
		}
	}
	p.n, p.skipped, p.nonFinite = 0, nil, 0
}

// A chunk holds the entries of one block, counted from 0, and mirrored where the
// symmetry asks for it: by bands of rows, and within a band in the order of the
// file, a mirrored entry directly behind its original.
type chunk struct {
	starts []int32   // where each band starts; and the end
	row    []uint16  // within the band
	col    []int32   //
	val    []float64 // nil for a pattern

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

// distribute leaves the entries of the block in c.
func (p *parser) distribute(c *chunk) {
	row, col := p.row[:p.n], p.col[:p.n]
	starts := make([]int32, p.bands+1)
	sizes := starts[1:]
	for k, i := range row {
		sizes[i>>p.shift]++
		if j := col[k]; p.mirror && i != j {
			sizes[j>>p.shift]++
		}
	}
	if p.next == nil {
		p.next = make([]int32, p.bands)
	}
	next := p.next
	end := int32(0)
	for b, size := range sizes {
		next[b] = end
		end += size
		sizes[b] = end
	}
	c.starts, c.row, c.col = starts, make([]uint16, end), make([]int32, end)
	c.n, c.skipped, c.nonFinite = p.n, p.skipped, p.nonFinite
	mask := int32(1)<<p.shift - 1
	put := func(i, j int32) int32 {
		at := next[i>>p.shift]
		next[i>>p.shift]++
		c.row[at], c.col[at] = uint16(i&mask), j
		return at
	}
	if p.numbers == 0 {
		for k, i := range row {
			j := col[k]
			put(i, j)
			if p.mirror && i != j {
				put(j, i)
			}
		}
		return
	}
	c.val = make([]float64, end)
	for k, i := range row {
		j, v := col[k], p.val[k]
		c.val[put(i, j)] = v
		if p.mirror && i != j {
			if p.negate {
				v = -v
			}
			c.val[put(j, i)] = v
		}
	}
}
