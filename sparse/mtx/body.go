package mtx

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"

	"spmvtune/sparse/internal/text"
)

// readCoordinates reads entries, one a line, on all cores.
func readCoordinates(s *text.Source, h *text.Header, l *text.Layout) ([]*text.Chunk, error) {
	lines := &text.Lines{
		Comment: '%', Numbers: h.Numbers(), Least: 1, Size: [2]uint64{uint64(h.Rows), uint64(h.Cols)},
		Names: [2]string{"row", "column"},
		Where: fmt.Sprintf("the matrix of %d×%d (line %d)", h.Rows, h.Cols, h.SizeLine),
		Entry: fmt.Sprintf("an entry is %s, since line 1 says %s", [...]string{"row and column",
			"row, column and value", "row, column, real and imaginary part"}[h.Numbers()], h.Field),
		Words: "if all lines have 2, 3 or 4 words, line 1 must say pattern, real or complex",
	}
	var done atomic.Int64
	next := func(buf []byte) (text.Block, error) {
		if done.Load() > int64(h.Entries) {
			return text.Block{}, io.EOF
		}
		return s.NextBlock(buf)
	}

	type part struct {
		text.Part
		chunk *text.Chunk
	}
	parts, err := text.EachBlock(next, func() func(text.Block) (part, error) {
		d, entries := text.Distributor{Layout: l}, text.List[int32]{Lines: lines}
		return func(b text.Block) (part, error) {
			if err := entries.Read(s, b); err != nil {
				return part{Part: entries.Part(b)}, err
			}
			done.Add(int64(len(entries.Row)))
			return part{entries.Part(b), d.Chunk(entries.Row, entries.Col, entries.Val)}, nil
		}
	})

	var chunks []*text.Chunk
	n := 0
	for _, p := range parts {
		if left := h.Entries - n; p.Entries > left {
			return nil, s.Errorf(p.Line(left), "there are more entries than the %d of line %d: the file holds "+
				"something else behind them, or that line is wrong", h.Entries, h.SizeLine)
		}
		n += p.Entries
		chunks = append(chunks, p.chunk)
	}
	if err == nil && n < h.Entries {
		err = s.CutOff(n, h.Entries, "entries", h.SizeLine, text.WrongSizes)
	}
	return chunks, err
}

// An array walks over the positions of a dense matrix in the order of the file:
// by columns, only below the diagonal if that is all that is stored. It is read
// by one core: where a value belongs depends on all before it, and files of this
// kind are vectors and small matrices.
type array struct {
	s *text.Source
	h *text.Header

	row, col []int32 // of a block
	val      []float64

	i, j int  // the position that the next value belongs to
	half bool // the last value is the real part of a complex one, whose imaginary part comes next
	done int  // values of all blocks
}

// first is the first row that is stored of column j.
func (a *array) first(j int) int {
	switch a.h.Symmetry {
	case "general":
		return 0
	case "skew-symmetric": // the diagonal is zero, and not stored
		return j + 1
	}
	return j
}

// readArray reads values, as many as the sizes call for.
func readArray(s *text.Source, h *text.Header, l *text.Layout) (chunks []*text.Chunk, err error) {
	a, d := &array{s: s, h: h}, text.Distributor{Layout: l}
	a.i = a.first(0)
	buf := make([]byte, text.BlockSize+1)
	for {
		b, err := s.NextBlock(buf)
		if err == io.EOF && a.done < h.Entries {
			return nil, s.CutOff(a.done, h.Entries, "values", h.SizeLine, text.WrongSizes)
		}
		if err == io.EOF {
			return chunks, nil
		}
		if err == nil {
			err = a.read(b)
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, d.Chunk(a.row, a.col, a.val))
	}
}

// read parses the numbers in a block, however they lie on lines.
func (a *array) read(b text.Block) error {
	block := b.Text
	line := func(i int) int { return b.Line + bytes.Count(block[:i], []byte("\n")) }
	a.row, a.col, a.val = a.row[:0], a.col[:0], a.val[:0]
	for i := 0; i < len(block); {
		switch c := block[i]; {
		case c == '%':
			i = text.EndOfLine(block, i)
			continue
		case c == '\n' || text.Blank(c):
			i++
			continue
		}

		v, next, ok := text.ParseValue(block, i)
		switch {
		case a.done == a.h.Entries && !a.half:
			return a.s.Errorf(line(i), "more values than the %d of a %s array of %d×%d (line %d); where a value "+
				"has two numbers, line 1 must say complex", a.h.Entries, a.h.Symmetry, a.h.Rows, a.h.Cols, a.h.SizeLine)
		case !ok:
			return a.s.Errorf(line(i), "value %s is not a number", text.Quote(block[i:text.EndOfWord(block, i)]))
		}
		i = next
		if !a.half {
			a.row, a.col, a.val = append(a.row, int32(a.i)), append(a.col, int32(a.j)), append(a.val, v)
			if a.i++; a.i == a.h.Rows {
				a.j++
				a.i = a.first(a.j)
			}
		}
		if a.half = a.h.Field == "complex" && !a.half; !a.half {
			a.done++
		}
	}
	return nil
}
