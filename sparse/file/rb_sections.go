// SPDX-License-Identifier: Apache-2.0

package file

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/term"
)

// A reader reads the sections of a file one after the other, each on all cores.
type reader struct {
	s      *source
	h      *rbHeader
	layout *layout

	starts []int32 // of each column, counted from 0, and the end
	rows   []int32 // of the entries, in the order of the file
}

// read reads all sections.
func (r *reader) read() (chunks []*chunk, err error) {
	if r.starts, err = readWhole(r.s, &r.h.pointers); err != nil {
		return nil, err
	}
	if err := r.checkOrder(); err != nil {
		return nil, err
	}
	if r.rows, err = readWhole(r.s, &r.h.indices); err != nil {
		return nil, err
	}

	if r.h.numbers() == 0 {
		chunks = eachPart(len(r.rows), func(from, to int) *chunk { return r.placing()(from, to, nil) })
	} else if chunks, err = r.readValues(); err != nil {
		return nil, err
	}
	r.rows = nil // memory for the matrix
	return chunks, r.end()
}

// checkOrder checks that each column starts where the one before it ends.
func (r *reader) checkOrder() error {
	c, last := &r.h.pointers, int32(0)
	for k, n := range r.starts {
		if n < last || k == 0 && n > 0 {
			return r.s.errorf(c.lineOf(k),
				"pointer %d of column %d lies outside the order: the first is 1, and none is below the one before it, "+
					"here %d", n+1, k+1, last+1)
		}
		last = n
	}
	if int(last) != r.h.Entries {
		return r.s.errorf(c.lineOf(r.h.Cols), "the last pointer is %d, and has to be %d, one more than there are "+
			"entries (line %d)", last+1, r.h.Entries+1, sizeLine)
	}
	return nil
}

// placing returns a function for a core, which puts the values of the entries from the first to the one before to
// where they belong; of a pattern there are none.
func (r *reader) placing() func(from, to int, val []float64) *chunk {
	var col []int32
	return func(from, to int, val []float64) *chunk {
		col = outerIndices(col[:0], r.starts, from, to)
		return r.layout.chunk(r.rows[from:to], col, val)
	}
}

// outerIndices appends the columns, or rows, that the entries from the first to the one before to lie in. starts says at
// which entry each begins, and where the last ends.
func outerIndices(list, starts []int32, from, to int) []int32 {
	j, _ := slices.BinarySearch(starts[1:], int32(from)+1) // what from is in
	for k := from; k < to; k++ {
		for int(starts[j+1]) <= k {
			j++
		}
		list = append(list, int32(j))
	}
	return list
}

// eachPart makes chunks of n entries, on all cores.
func eachPart(n int, place func(from, to int) *chunk) []*chunk {
	const part = 1 << 17
	chunks := make([]*chunk, (n+part-1)/part)
	eachOf(len(chunks), func() func(k int) {
		return func(k int) { chunks[k] = place(k*part, min((k+1)*part, n)) }
	})
	return chunks
}

// readValues reads the values and puts them to their rows and columns.
func (r *reader) readValues() ([]*chunk, error) {
	c, numbers := &r.h.values, r.h.numbers()
	return readSection(r.s, c, func() func(block) (*chunk, error) {
		var val []float64
		place := r.placing()
		return func(b block) (*chunk, error) {
			val = slices.Grow(val[:0], c.room(b))
			err := c.eachField(r.s, b, func(k int, field []byte) error {
				v, ok := c.value(field)
				if !ok {
					return r.s.errorf(c.lineOf(k), "value %s of entry %d is not a number",
						quote(field[:c.width]), k/numbers+1)
				}
				if k%numbers == 0 { // the imaginary part must be a number, but is not kept
					val = append(val, v)
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			from := (c.from(b) + numbers - 1) / numbers // a pair may begin in the block before
			return place(from, from+len(val), val), nil
		}
	})
}

// end reads on to the end of the file, where nothing may follow but right-hand
// sides.
func (r *reader) end() error {
	buf := make([]byte, blockSize+1)
	for {
		b, err := r.s.nextBlock(buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		rest := bytes.TrimLeft(b.Text, " \t\r\n\v\f")
		if len(rest) > 0 && !r.h.rightSides {
			skipped := b.Text[:len(b.Text)-len(rest)]
			return r.s.errorf(b.Line+bytes.Count(skipped, []byte("\n")),
				"%s: the file goes on behind its last section, and line 2 says of no right-hand sides",
				quote(rest[:endOfLine(rest, 0)]))
		}
	}
}

// A section is the lines that hold a given number of numbers in a format.
type section struct {
	fortran
	what, plural string // "value", "values"
	numbers      int
	most         int // of whole numbers from 1 on
	first        int // line
}

// from is the number of the section that a block begins with, and to that behind its last.
func (c *section) from(b block) int { return (b.Line - c.first) * c.perLine }
func (c *section) to(b block) int {
	return min((b.Line+b.Lines-c.first)*c.perLine, c.numbers)
}

// room is for how many numbers there are bytes: lines may be too short.
func (c *section) room(b block) int { return min(c.to(b)-c.from(b), len(b.Text)/c.width+1) }

// lineOf is the line that number k of the section is in.
func (c *section) lineOf(k int) int { return c.first + k/c.perLine }

// readWhole reads a section of whole numbers, and returns them counted from 0.
func readWhole(s *source, c *section) ([]int32, error) {
	pieces, err := readSection(s, c, func() func(block) ([]int32, error) {
		return func(b block) ([]int32, error) {
			out := make([]int32, 0, c.room(b))
			err := c.eachField(s, b, func(k int, field []byte) error {
				n, next, ok := parseIndex(field, skipBlanks(field, 0))
				if !ok || skipBlanks(field, next) != c.width || n < 1 || n > uint64(c.most) {
					return s.errorf(c.lineOf(k), "%s %s, number %d of them, is not a whole number from 1 to %d, as line "+
						"%d has it", c.what, quote(field[:c.width]), k+1, c.most, sizeLine)
				}
				out = append(out, int32(n-1))
				return nil
			})
			return out, err
		}
	})
	return slices.Concat(pieces...), err
}

// readSection parses a section on all cores. start gives what a core makes of a block; the
// results come back in the order of the file.
func readSection[T any](s *source, c *section, start func() func(block) (T, error)) ([]T, error) {
	c.first = s.Line
	done := 0 // numbers
	return eachBlock(func(buf []byte) (block, error) {
		if done == c.numbers {
			return block{}, io.EOF
		}
		b, err := s.nextBlock(buf)
		if err == io.EOF {
			return b, s.cutOff(done, c.numbers, c.plural, sizeLine, wrongSizes)
		}
		if err != nil {
			return b, err
		}
		// scipy's hb_write says (3E25.16) and writes 24 columns. Where a line was cut off, its second field then is no number.
		n, narrow := min(c.perLine, c.numbers), c.width-1
		if done == 0 && n > 1 && narrow > c.digits && strings.Contains(c.text, "E") && bytes.IndexAny(b.Text, "\r\n") == n*narrow {
			c.width = narrow
		}
		if left := c.lines(c.numbers - done); b.Lines > left {
			b = s.unread(b, left)
		}
		done = c.to(b)
		return b, nil
	}, start)
}

// eachField calls f for every number of a block, with a field that is followed by '\n' for the time of the call.
func (c *section) eachField(s *source, b block, f func(k int, field []byte) error) error {
	k, to, block := c.from(b), c.to(b), b.Text
	for at, line := 0, b.Line; k < to; line++ {
		end := at + bytes.IndexByte(block[at:], '\n')
		next := end + 1
		if end > at && block[end-1] == '\r' {
			end--
		}
		fields := min(c.perLine, to-k)
		if end-at < fields*c.width {
			return s.errorf(line, "the line is too short: %d bytes, and %s in the format %s take %d", end-at,
				term.Count(fields, c.what, c.plural), c.text, fields*c.width)
		}

		for range fields {
			field := block[at : at+c.width+1]
			behind := field[c.width]
			field[c.width] = '\n'
			err := f(k, field)
			field[c.width] = behind
			if err != nil {
				return err
			}
			at += c.width
			k++
		}

		if rest := bytes.TrimSpace(block[at:end]); len(rest) > 0 {
			return s.errorf(line, "there is %s behind the %s that the format %s has in this line", quote(rest),
				term.Count(fields, c.what, c.plural), c.text)
		}
		at = next
	}
	return nil
}
