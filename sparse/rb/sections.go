package rb

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sort"

	"spmvtune/internal/base/term"
	"spmvtune/sparse/internal/text"
)

// A reader reads the sections of a file one after the other, each on all cores.
type reader struct {
	s      *text.Source
	h      *header
	layout *text.Layout

	starts []int32 // of each column, counted from 0, and the end
	rows   []*run  // of the entries, in the order of the file; nil for a pattern
}

// A run is the rows of consecutive entries, until their values are read.
type run struct {
	from int // entry
	row  []int32
}

// A chunk is the entries of one block.
type chunk struct {
	text.Chunk
	nonFinite int
}

// read reads all sections.
func (r *reader) read() ([]*chunk, error) {
	if err := r.readPointers(); err != nil {
		return nil, err
	}
	var chunks []*chunk
	var err error
	if r.h.numbers == 0 {
		chunks, err = r.readPattern()
	} else if err = r.readRows(); err == nil {
		chunks, err = r.readValues()
		r.rows = nil // memory for the matrix
	}
	if err != nil {
		return nil, err
	}

	return chunks, r.end()
}

// readPointers reads where columns start, and checks that each starts where the one
// before it ends.
func (r *reader) readPointers() error {
	c := &section{format: r.h.pointers, what: "column pointer", plural: "column pointers", numbers: r.h.Cols + 1}
	pieces, err := readSection(r.s, c, func() func(*piece[[]int32]) error {
		return func(p *piece[[]int32]) error {
			out := make([]int32, 0, p.room(c))
			*p.got = out
			return eachField(r.s, c, p, func(k, lo, hi int) error {
				n, ok := index(p.block[lo:hi])
				if !ok || n < 1 || n > r.h.Entries+1 {
					return r.s.Errorf(c.lineOf(k),
						"pointer %s of column %d is not a whole number from 1 to %d, one more than there are "+
							"entries (line %d)", text.Quote(p.block[lo:hi]), k+1, r.h.Entries+1, sizeLine)
				}

				out = append(out, int32(n-1))
				*p.got = out
				return nil
			})
		}
	})
	if err != nil {
		return err
	}

	r.starts = make([]int32, 0, c.numbers)
	last := int32(0)
	for _, p := range pieces {
		for _, n := range *p {
			if k := len(r.starts); n < last || k == 0 && n > 0 {
				return r.s.Errorf(c.lineOf(k),
					"pointer %d of column %d lies outside the order: the first is 1, and none is below the one "+
						"before it, here %d", n+1, k+1, last+1)
			}

			r.starts = append(r.starts, n)
			last = n
		}
	}

	if int(last) != r.h.Entries {
		return r.s.Errorf(c.lineOf(r.h.Cols),
			"the last pointer is %d, and has to be %d, one more than there are entries (line %d)", last+1,
			r.h.Entries+1, sizeLine)
	}
	return nil
}

// columns appends the column of each entry from the first to the one before to.
func (r *reader) columns(col []int32, from, to int) []int32 {
	j := sort.Search(r.h.Cols, func(j int) bool { return int(r.starts[j+1]) > from })
	for k := from; k < to; k++ {
		for int(r.starts[j+1]) <= k {
			j++
		}
		col = append(col, int32(j))
	}
	return col
}

// indexSection is that of the rows.
func (r *reader) indexSection() *section {
	return &section{format: r.h.indices, what: "row index", plural: "row indices", numbers: r.h.Entries}
}

// rowsOf appends the rows of the entries in a piece.
func rowsOf[T any](r *reader, c *section, p *piece[T], row []int32) ([]int32, error) {
	err := eachField(r.s, c, p, func(k, lo, hi int) error {
		n, ok := index(p.block[lo:hi])
		if !ok || n < 1 || n > r.h.Rows {
			return r.s.Errorf(c.lineOf(k),
				"row %s of entry %d is not a whole number from 1 to %d, the number of rows (line %d)",
				text.Quote(p.block[lo:hi]), k+1, r.h.Rows, sizeLine)
		}

		row = append(row, int32(n-1))
		return nil
	})

	return row, err
}

// readPattern reads rows of which no values follow.
func (r *reader) readPattern() ([]*chunk, error) {
	c := r.indexSection()
	return readSection(r.s, c, func() func(*piece[chunk]) error {
		var row, col []int32
		d := text.Distributor{Layout: r.layout}
		return func(p *piece[chunk]) (err error) {
			if row, err = rowsOf(r, c, p, row[:0]); err != nil {
				return err
			}
			col = r.columns(col[:0], p.from, p.to)
			p.got.Chunk = d.Chunk(row, col, nil)
			return nil
		}
	})
}

// readRows reads rows whose values follow.
func (r *reader) readRows() (err error) {
	c := r.indexSection()
	r.rows, err = readSection(r.s, c, func() func(*piece[run]) error {
		return func(p *piece[run]) (err error) {
			p.got.from = p.from
			p.got.row, err = rowsOf(r, c, p, make([]int32, 0, p.room(c)))
			return err
		}
	})
	return err
}

// readValues reads the values and puts them to their rows and columns.
func (r *reader) readValues() ([]*chunk, error) {
	c := &section{format: r.h.values, what: "value", plural: "values", numbers: r.h.numbers * r.h.Entries}
	return readSection(r.s, c, func() func(*piece[chunk]) error {
		var row, col []int32
		var val []float64
		d := text.Distributor{Layout: r.layout}
		return func(p *piece[chunk]) error {
			val = slices.Grow(val[:0], p.room(c))
			err := eachField(r.s, c, p, func(k, lo, hi int) error {
				v, ok := r.h.values.value(p.block, lo, hi)
				if !ok {
					return r.s.Errorf(c.lineOf(k), "value %s of entry %d is not a number", text.Quote(p.block[lo:hi]),
						k/r.h.numbers+1)
				}

				if r.h.numbers == 2 && k%2 == 1 { // the imaginary part must be a number, but is not kept
					return nil
				}
				if v-v != 0 {
					p.got.nonFinite++
				}

				val = append(val, v)
				return nil
			})
			if err != nil {
				return err
			}

			from := (p.from + r.h.numbers - 1) / r.h.numbers // a pair may begin in the piece before
			row = r.someRows(row[:0], from, from+len(val))
			col = r.columns(col[:0], from, from+len(val))
			p.got.Chunk = d.Chunk(row, col, val)
			return nil
		}
	})
}

// someRows appends the rows of the entries from the first to the one before to.
func (r *reader) someRows(row []int32, from, to int) []int32 {
	k := sort.Search(len(r.rows), func(k int) bool { return r.rows[k].from > from }) - 1
	for ; from < to; k++ {
		run := r.rows[k]
		part := run.row[from-run.from : min(to-run.from, len(run.row))]
		row = append(row, part...)
		from += len(part)
	}
	return row
}

// A section is the lines that hold a given number of numbers in a format.
type section struct {
	format
	what    string // "value"
	plural  string
	numbers int
	first   int // line
}

// A piece is a block of a section: the lines in it, and where they belong.
type piece[T any] struct {
	block []byte
	line  int // of the file, the first one
	from  int // number of the section that it starts with
	to    int // number behind the last one
	got   *T  // what is made of it
}

// room is for how many numbers there are bytes: lines may be too short.
func (p *piece[T]) room(c *section) int { return min(p.to-p.from, len(p.block)/c.width+1) }

// lineOf is the line that number k of the section is in.
func (c *section) lineOf(k int) int { return c.first + k/c.perLine }

// readSection parses a section on all cores. start gives what a core makes of a piece; the
// results come back in the order of the file. The first mistake of the file is reported,
// whoever came across one first.
func readSection[T any](s *text.Source, c *section, start func() func(p *piece[T]) error) ([]*T, error) {
	c.first = s.Line
	var (
		all   []*T
		done  int // numbers
		first text.First
	)
	take := func(buf []byte) ([]byte, *piece[T], error) {
		if done == c.numbers {
			return nil, nil, errComplete
		}
		block, err := s.NextBlock(buf)
		if errors.Is(err, io.EOF) {
			return nil, nil, s.Errorf(s.Line,
				"the file ends after %d of %d %s: it was cut off, or the sizes in line %d are wrong", done, c.numbers,
				c.plural, sizeLine)
		}
		if err != nil {
			return nil, nil, err
		}

		lines, left := bytes.Count(block, []byte("\n")), c.lines(c.numbers-done)
		if lines > left {
			block = cut(s, block, left)
			lines = left
		}

		p := &piece[T]{block: block, line: s.Line, from: done, to: min(done+lines*c.perLine, c.numbers), got: new(T)}
		all = append(all, p.got)
		done = p.to
		s.Line += lines
		return block, p, nil
	}

	end := text.EachBlock(take, func() func([]byte, *piece[T]) bool {
		parse := start()
		return func(_ []byte, p *piece[T]) bool { return first.Note(parse(p)) }
	})
	if err := first.Err(); err != nil {
		return nil, err
	}

	if !errors.Is(end, errComplete) {
		return nil, end
	}
	return all, nil
}

// errComplete says that a section has no more lines.
var errComplete = errors.New("the section is complete")

// cut returns the first lines of block, and the others to s.
func cut(s *text.Source, block []byte, lines int) []byte {
	end := 0
	for range lines {
		end += bytes.IndexByte(block[end:], '\n') + 1
	}
	s.Unread(block[end:])
	return block[:end]
}

// eachField calls f for every number of a piece, with its position in the block.
func eachField[T any](s *text.Source, c *section, p *piece[T], f func(k, lo, hi int) error) error {
	k, block := p.from, p.block
	for at, line := 0, p.line; k < p.to; line++ {
		end := at + bytes.IndexByte(block[at:], '\n')
		next := end + 1
		if end > at && block[end-1] == '\r' {
			end--
		}

		fields := min(c.perLine, p.to-k)
		if end-at < fields*c.width {
			return s.Errorf(line, "the line is too short: %d bytes, and %s in the format %s take %d", end-at,
				term.Count(fields, c.what, c.plural), c.text, fields*c.width)
		}

		for range fields {
			if err := f(k, at, at+c.width); err != nil {
				return err
			}
			at += c.width
			k++
		}

		if rest := bytes.TrimSpace(block[at:end]); len(rest) > 0 {
			return s.Errorf(line, "there is %s behind the %s that the format %s has in this line", text.Quote(rest),
				term.Count(fields, c.what, c.plural), c.text)
		}
		at = next
	}

	return nil
}
