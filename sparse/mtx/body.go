package mtx

import (
	"errors"
	"io"
	"slices"

	"spmvtune/sparse"
)

// A body collects the entries behind a header as triplets, counted from 0 and
// mirrored where the symmetry asks for it. A mirrored entry follows its original
// directly; so a triangle in order by rows or by columns gives rows in order.
type body struct {
	s *source
	h *header

	row, col []int32
	val      []float64

	numbers   int  // values per entry: 0 for a pattern, 2 if complex, else 1
	mirror    bool // entries off the diagonal stand for two
	negate    bool // and the second has the other sign
	done      int  // entries read
	nonFinite int
}

func newBody(s *source, h *header, opt Options) *body {
	b := &body{s: s, h: h, numbers: 1}
	switch h.field {
	case "pattern":
		b.numbers = 0
	case "complex":
		b.numbers = 2
	}
	b.mirror = opt.Expand && h.symmetry != "general"
	b.negate = h.symmetry == "skew-symmetric"
	return b
}

// read parses all blocks and checks that there were as many entries as declared.
func (b *body) read() error {
	parse := b.coordinates
	if b.h.format == "array" {
		a := newArray(b)
		parse = a.values
	}
	for {
		block, line, err := b.s.nextBlock()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		b.reserve(b.s.line - line)
		if err := parse(block, line); err != nil {
			return err
		}
		if len(b.val) > sparse.MaxIndex {
			return b.s.errorf(b.h.sizeLine, "more than %d entries after expansion: 32-bit indices hold no more; without expansion the triangle is read", sparse.MaxIndex)
		}
	}
	if b.done < b.h.entries {
		what := "entries"
		if b.h.format == "array" {
			what = "values"
		}
		return b.s.errorf(b.s.line, "the file ends after %d of %d %s: it was cut off, or the sizes in line %d are wrong", b.done, b.h.entries, what, b.h.sizeLine)
	}
	return nil
}

// reserve makes room for the entries of that many lines. Memory follows what
// was read, not what was declared, which only bounds it.
func (b *body) reserve(lines int) {
	more, total := min(lines, b.h.entries-b.done), b.h.entries
	if b.mirror {
		more, total = 2*more, 2*total
	}
	need := len(b.val) + more
	if need <= cap(b.val) {
		return
	}
	room := max(need, min(2*cap(b.val), total)) - len(b.val)
	b.row = slices.Grow(b.row, room)
	b.col = slices.Grow(b.col, room)
	b.val = slices.Grow(b.val, room)
}

// push adds the entry v at (i, j), and its mirror image.
func (b *body) push(i, j int32, v float64) {
	b.done++
	if v-v != 0 {
		b.nonFinite++
	}
	b.row, b.col, b.val = append(b.row, i), append(b.col, j), append(b.val, v)
	if b.mirror && i != j {
		if b.negate {
			v = -v
		}
		b.row, b.col, b.val = append(b.row, j), append(b.col, i), append(b.val, v)
	}
}
