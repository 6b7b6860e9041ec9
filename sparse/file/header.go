// SPDX-License-Identifier: Apache-2.0

package file

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/sparse"
)

// A header is what the first lines of a file say of its matrix, in the words of Matrix Market.
type header struct {
	Format, Field, Symmetry string

	Rows, Cols         int
	Entries            int // in the file
	TypeLine, SizeLine int // where the field stands, and where the sizes do
	Unsized            bool
	comment            strings.Builder
}

// mostComment bounds the comments that are kept, in bytes.
const mostComment = 64 << 10

// note keeps a line of comment, without its mark.
func (h *header) note(line []byte) {
	if h.comment.Len()+len(line) < mostComment {
		h.comment.Write(line)
		h.comment.WriteByte('\n')
	}
}

// Sizes reads whole numbers from 0 to sparse.MaxIndex in the given line, least to most of them. form says what they are.
func readSizes(s *source, line int, words []string, least, most int, form string) ([]int, error) {
	var out []int
	for _, w := range words {
		n, err := strconv.Atoi(w)
		switch {
		case errors.Is(err, strconv.ErrRange), n > sparse.MaxIndex:
			return nil, s.errorf(line, "size %s is too large: 32-bit indices hold at most %d", quote([]byte(w)),
				sparse.MaxIndex)
		case err != nil, n < 0, w[0] == '+':
			return nil, s.errorf(line, "size %s is not a whole number from 0 on; %s", quote([]byte(w)), form)
		}
		out = append(out, n)
	}
	if len(out) < least || len(out) > most {
		return nil, s.errorf(line, "%s in this line; %s", term.Count(len(out), "size", "sizes"), form)
	}
	return out, nil
}

// A matrix with more rows or columns than manyLines and fewer than one entry to
// sparsest of them would spend its memory, and every kernel its time, on row
// offsets; and a few bytes of header must not cost gigabytes.
const (
	manyLines = 1 << 27
	sparsest  = 64
)

// Check refuses a matrix that can't be, that is not read, and that opt does not ask for.
func (h *header) check(s *source, opt Options) error {
	stored := h.Entries
	if h.mirrored(opt) {
		stored = 2*h.Entries - h.Rows // at least, unless entries on the diagonal occur twice
	}
	entries, size := term.Count(h.Entries, "entry", "entries"), max(h.Rows, h.Cols)
	switch {
	case h.Field == "pattern" && (h.Symmetry == "skew-symmetric" || h.Symmetry == "hermitian"):
		return s.errorf(h.TypeLine, "a pattern can't be %s, since it has no values", h.Symmetry)
	case h.Field == "complex" && opt.Complex == "":
		return s.errorf(h.TypeLine, "the values are complex, and kernels here multiply real matrices; complex = %q "+
			"in a sweep, or --complex %s, reads the real parts", RealPart, RealPart)
	case h.Symmetry != "general" && h.Rows != h.Cols:
		return s.errorf(h.SizeLine, "a %s matrix must be square, not %d×%d", h.Symmetry, h.Rows, h.Cols)
	case h.Entries > 0 && min(h.Rows, h.Cols) == 0:
		return s.errorf(h.SizeLine, "%s in a matrix of %d×%d, which holds none", entries, h.Rows, h.Cols)
	case stored > sparse.MaxIndex:
		return s.errorf(h.SizeLine, "%d×%d with %s: 32-bit indices hold no more than %d after expansion; without "+
			"expansion the triangle is read", h.Rows, h.Cols, entries, sparse.MaxIndex)
	case size > manyLines && size/sparsest > h.Entries:
		return s.errorf(h.SizeLine, "%d×%d with %s: nearly all rows or columns are empty, and row offsets alone would "+
			"take gigabytes; drop the empty ones", h.Rows, h.Cols, entries)
	}
	return nil
}

func (h *header) mirrored(opt Options) bool { return opt.Expand && h.Symmetry != "general" }

// Numbers is how many numbers the value of an entry has.
func (h *header) numbers() int {
	switch h.Field {
	case "pattern":
		return 0
	case "complex":
		return 2
	}
	return 1
}

// Layout says how the entries become a matrix.
func (h *header) layout(opt Options) *layout {
	return layout{
		Rows: h.Rows, Cols: h.Cols,
		Pattern: h.numbers() == 0,
		Mirror:  h.mirrored(opt),
		Negate:  h.Symmetry == "skew-symmetric",
	}.Cut(h.Entries)
}

// assemble makes the matrix of the chunks, one band of rows at a time on each core.
func (h *header) assemble(l *layout, chunks []*chunk) (*Matrix, error) {
	var sum chunk
	entries := 0
	for _, c := range chunks {
		entries += len(c.col)
		sum.above, sum.below, sum.on = sum.above+c.above, sum.below+c.below, sum.on+c.on
		sum.nonFinite += c.nonFinite
	}
	if entries > sparse.MaxIndex {
		return nil, fmt.Errorf("%d entries after expansion: 32-bit indices hold at most %d", entries, sparse.MaxIndex)
	}
	a := assemble(l, chunks, entries)
	m := &Matrix{
		A: a, Format: h.Format, Field: h.Field, Symmetry: h.Symmetry,
		Comment:  strings.TrimSuffix(h.comment.String(), "\n"),
		Declared: h.Entries, Duplicates: entries - a.NNZ(), NonFinite: sum.nonFinite,
	}

	var odd []string
	if sum.above > 0 && sum.below > 0 && m.Duplicates > 0 {
		odd = append(odd, "there are entries on both sides of the diagonal, which stand for two each, and "+
			term.Count(m.Duplicates, "entry was", "entries were")+" added to others")
	}
	if l.Negate && sum.on > 0 {
		odd = append(odd, "the diagonal of a skew-symmetric matrix is 0, and here has "+
			term.Count(sum.on, "entry that is", "entries that are")+" not")
	}
	m.Odd = strings.Join(odd, "; ")
	return m, nil
}
