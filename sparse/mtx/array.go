package mtx

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

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
	switch l.h.symmetry {
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
			return nil, tooMany(a.layout)
		}
		a.s.Line += bytes.Count(block, []byte("\n"))
	}
	if err := a.complete(a.done, a.s.Line); err != nil {
		return nil, err
	}
	if err := a.worthwhile(len(a.val)); err != nil {
		return nil, err
	}

	m, err := sparse.FromTriplets(a.h.rows, a.h.cols, a.row, a.col, a.val)
	if err != nil {
		return nil, a.s.Errorf(a.h.sizeLine, "%v", err)
	}
	return a.matrix(m, len(a.val), a.nonFinite), nil
}

// reserve makes room for that many values. Memory grows with the values read. The declared
// number only bounds it.
func (a *array) reserve(values int) {
	more, total := min(values, a.h.entries-a.done), a.h.entries
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

		if a.done == a.h.entries {
			hint := ""
			if a.numbers == 1 {
				hint = "; an array with two numbers to a value says complex in line 1"
			}
			return a.s.Errorf(lineAt(block, i, line), "more values than the %d of a %s array of %d×%d (line %d)%s",
				a.h.entries, a.h.symmetry, a.h.rows, a.h.cols, a.h.sizeLine, hint)
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
		if a.i++; a.i == a.h.rows {
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
