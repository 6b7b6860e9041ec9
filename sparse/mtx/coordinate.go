package mtx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"

	"spmvtune/internal/base/term"
	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

// coordinates parses the entries in block, one a line: row, column, and as many
// numbers as the field has. It stops at a line that is not exactly this, which
// is left to badEntry to explain, and at more entries than were declared.
func (p *parser) coordinates(block []byte) error {
	rows, cols := uint(p.h.Rows), uint(p.h.Cols)
	p.reset(len(block))
	n := 0
	for i := 0; i < len(block); i++ { // past the '\n' of the line before
		i = text.SkipBlanks(block, i)
		if block[i] == '\n' || block[i] == '%' {
			p.skipped = append(p.skipped, int32(n+len(p.skipped)))
			i = text.EndOfLine(block, i)
			continue
		}

		start := i
		r, i2, okRow := text.ParseIndex(block, i)
		c, i2, okCol := text.ParseIndex(block, text.SkipBlanks(block, i2))
		if !okRow || !okCol || r-1 >= rows || c-1 >= cols { // 0 wraps around
			p.n = n
			return p.badEntry(block, start)
		}

		i = i2
		if p.numbers > 0 {
			v, next, ok := text.ParseValue(block, text.SkipBlanks(block, i))
			if p.numbers > 1 && ok { // the imaginary part must be a number, but is not kept
				_, next, ok = text.ParseValue(block, text.SkipBlanks(block, next))
			}
			if !ok {
				p.n = n
				return p.badEntry(block, start)
			}

			if v-v != 0 {
				p.nonFinite++
			}
			p.val[n] = v
			i = next
		}

		i = text.SkipBlanks(block, i)
		if block[i] != '\n' {
			p.n = n
			return p.badEntry(block, start)
		}

		p.row[n], p.col[n] = int32(r-1), int32(c-1)
		n++
	}

	p.n = n
	return nil
}

// badEntry says what is wrong with the line that starts at start, the next one
// to count. Its number is counted from the start of block.
func (p *parser) badEntry(block []byte, start int) error {
	line := block[start:text.EndOfLine(block, start)]
	fail := func(format string, args ...any) error {
		return p.s.Errorf(p.s.Line+p.n+len(p.skipped), "%s: %s", text.Quote(bytes.TrimRight(line, "\r")),
			fmt.Sprintf(format, args...))
	}
	want := map[int]string{
		0: "row and column, since the field is pattern",
		1: "row, column and value",
		2: "row, column, real and imaginary part",
	}[p.numbers]

	words := bytes.FieldsFunc(line, func(r rune) bool { return r < 0x80 && text.Blank(byte(r)) })
	for k, side := range []struct {
		name, plural string
		size         int
	}{{"row", "rows", p.h.Rows}, {"column", "columns", p.h.Cols}} {
		if k >= len(words) {
			break
		}
		n, err := strconv.Atoi(string(words[k]))

		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && n > side.size:
			return fail("%s %s lies outside the matrix, which has %s (line %d)", side.name, words[k],
				term.Count(side.size, side.name, side.plural), p.h.SizeLine)
		case err != nil:
			return fail("%s %s is not a whole number; an entry is %s", side.name, text.Quote(words[k]), want)
		case n == 0:
			return fail("%s 0: indices count from 1; if this file counts from 0, add 1 to every row and column",
				side.name)
		case n < 0:
			return fail("%s %d is negative: indices count from 1", side.name, n)
		}
	}

	for _, w := range words[min(2, len(words)):min(2+p.numbers, len(words))] {
		if !isValue(w) {
			return fail("value %s is not a number", text.Quote(w))
		}
	}

	switch n := len(words); {
	case n == 2 && p.numbers > 0:
		return fail("there is no value; an entry is %s; a file without values says pattern in line 1", want)
	case n < 2+p.numbers:
		return fail("the line is too short; an entry is %s", want)
	case n == 3 && p.numbers == 0:
		return fail("there is a value; an entry is %s; a file with values says real in line 1", want)
	case n == 4 && p.numbers == 1:
		return fail("there are two values; an entry is %s; a file with imaginary parts says complex in line 1", want)
	case n > 2+p.numbers:
		return fail("there is something after the entry, which is %s", want)
	}

	return fail("not an entry, which is %s, in plain digits", want)
}

// isValue reports whether all of word is a value.
func isValue(word []byte) bool {
	_, _, ok := text.ParseValue(append(bytes.Clone(word), '\n'), 0)
	return ok
}

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
		p := &parser{layout: b.layout, bands: text.Distributor{Layout: b.Layout}}
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
	return c.err == nil && done <= int64(b.h.Entries) && stored <= sparse.MaxIndex
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
		if left := b.h.Entries - done; tried > left {
			return b.s.Errorf(line+c.line(left), "more entries than the %d declared in line %d", b.h.Entries,
				b.h.SizeLine)
		}

		if c.err != nil {
			return moved(c.err, line-b.s.Line)
		}
		if stored += c.Len(); stored > sparse.MaxIndex {
			return b.h.TooMany(b.s)
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
	nonFinite := 0
	chunks := make([]*text.Chunk, len(b.chunks))
	for k, c := range b.chunks {
		chunks[k] = &c.Chunk
		nonFinite += c.nonFinite
	}
	return b.h.Assemble(b.s, b.Layout, chunks, nonFinite)
}

// A parser turns blocks into chunks. Each core has one, with room for the
// entries of a block in the order of the file.
type parser struct {
	*layout

	row, col []int32
	val      []float64 // nil for a pattern

	bands text.Distributor

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
	text.Chunk

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

// An array walks over the positions of a dense matrix in the order of the file:
// by columns, only below the diagonal if that is all that is stored. It is read
// by one core: where a value belongs depends on all before it, and files of this
// kind are vectors and small matrices.
type array struct {
	*layout
	row, col []int32
	val      []float64

	i, j      int // the position that the next value belongs to
	first     func(j int) int
	half      bool // the real part of a complex value was read, and waits in part
	part      float64
	done      int // values read
	nonFinite int
}

func newArray(l *layout) *array {
	a := &array{layout: l}
	switch l.h.Symmetry {
	case "general":
		a.first = func(int) int { return 0 }
	case "skew-symmetric": // the diagonal is zero, and not stored
		a.first = func(j int) int { return j + 1 }
	default:
		a.first = func(j int) int { return j }
	}

	a.i = a.first(0)
	return a
}

// read parses all values, as many as the sizes call for, and assembles them.
func (a *array) read() (*text.Matrix, error) {
	buf := make([]byte, text.BlockSize+1)
	for {
		block, err := a.s.NextBlock(buf)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}

		a.reserve(len(block) / len("1\n"))
		if err := a.values(block, a.s.Line); err != nil {
			return nil, err
		}
		if len(a.val) > sparse.MaxIndex {
			return nil, a.h.TooMany(a.s)
		}
		a.s.Line += bytes.Count(block, []byte("\n"))
	}
	if err := a.complete(a.done, a.s.Line); err != nil {
		return nil, err
	}
	if err := a.h.Worthwhile(a.s, len(a.val)); err != nil {
		return nil, err
	}

	m, err := sparse.FromTriplets(a.h.Rows, a.h.Cols, a.row, a.col, a.val)
	if err != nil {
		return nil, a.s.Errorf(a.h.SizeLine, "%v", err)
	}
	return a.h.Matrix(m, len(a.val), a.nonFinite), nil
}

// reserve makes room for that many values. Memory grows with the values read. The declared
// number only bounds it.
func (a *array) reserve(values int) {
	more, total := min(values, a.h.Entries-a.done), a.h.Entries
	if a.Mirror {
		more, total = 2*more, 2*total
	}
	need := len(a.val) + more
	if need <= cap(a.val) {
		return
	}

	room := max(need, min(2*cap(a.val), total)) - len(a.val)
	a.row = slices.Grow(a.row, room)
	a.col = slices.Grow(a.col, room)
	a.val = slices.Grow(a.val, room)
}

// push adds the value v at (i, j), and its mirror image.
func (a *array) push(i, j int32, v float64) {
	a.done++
	if v-v != 0 {
		a.nonFinite++
	}
	a.row, a.col, a.val = append(a.row, i), append(a.col, j), append(a.val, v)
	if a.Mirror && i != j {
		if a.Negate {
			v = -v
		}
		a.row, a.col, a.val = append(a.row, j), append(a.col, i), append(a.val, v)
	}
}

// values parses the numbers in block, however they lie on lines. line is the
// number of block's first line.
func (a *array) values(block []byte, line int) error {
	for i := text.SkipBlanks(block, 0); i < len(block); {
		switch c := block[i]; {
		case c == '%':
			i = text.EndOfLine(block, i)
			continue
		case c == '\n' || text.Blank(c):
			i++
			continue
		}

		if a.done == a.h.Entries {
			hint := ""
			if a.numbers == 1 {
				hint = "; an array with two numbers to a value says complex in line 1"
			}
			return a.s.Errorf(lineAt(block, i, line), "more values than the %d of a %s array of %d×%d (line %d)%s",
				a.h.Entries, a.h.Symmetry, a.h.Rows, a.h.Cols, a.h.SizeLine, hint)
		}

		v, next, ok := text.ParseValue(block, i)
		if !ok {
			return a.s.Errorf(lineAt(block, i, line), "value %s is not a number",
				text.Quote(block[i:text.EndOfWord(block, i)]))
		}

		i = next
		if a.numbers > 1 {
			if a.half = !a.half; a.half {
				a.part = v
				continue
			}
			v = a.part
		}

		a.push(int32(a.i), int32(a.j), v)
		if a.i++; a.i == a.h.Rows {
			a.j++
			a.i = a.first(a.j)
		}
	}

	return nil
}

// lineAt is the number of the line that position i of block is in, where the
// block starts with the line of the given number.
func lineAt(block []byte, i, line int) int {
	return line + bytes.Count(block[:i], []byte("\n"))
}
