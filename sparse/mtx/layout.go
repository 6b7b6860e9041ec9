package mtx

import (
	"spmvtune/internal/base/term"
	"spmvtune/sparse"
	"spmvtune/sparse/internal/bands"
	"spmvtune/sparse/internal/text"
)

// A layout says what the entries of a file look like, and how they become a matrix.
type layout struct {
	*bands.Layout
	s *text.Source
	h *header

	numbers int // values per entry: 0 for a pattern, 2 if complex, else 1
}

func newLayout(s *text.Source, h *header, opt text.Options) *layout {
	l := &layout{s: s, h: h, numbers: 1}
	switch h.field {
	case "pattern":
		l.numbers = 0
	case "complex":
		l.numbers = 2
	}

	l.Layout = bands.Layout{
		Rows: h.rows, Cols: h.cols,
		Pattern: l.numbers == 0,
		Mirror:  opt.Expand && h.symmetry != "general",
		Negate:  h.symmetry == "skew-symmetric",
	}.Cut(h.entries)
	return l
}

// worthwhile refuses a matrix that has next to nothing in its rows or columns.
func (l *layout) worthwhile(entries int) error {
	if bands.IsHollow(l.h.rows, l.h.cols, entries) {
		return l.s.Errorf(l.h.sizeLine, "%d×%d with %s: %s", l.h.rows, l.h.cols,
			term.Count(l.h.entries, "entry", "entries"), bands.Hollow)
	}
	return nil
}

// complete checks that the entries that ended before line are all.
func (l *layout) complete(done, line int) error {
	if done == l.h.entries {
		return nil
	}
	what := "entries"
	if l.h.format == "array" {
		what = "values"
	}
	return l.s.Errorf(line, "the file ends after %d of %d %s: it was cut off, or the sizes in line %d are wrong", done,
		l.h.entries, what, l.h.sizeLine)
}

func tooMany(l *layout) error {
	return l.s.Errorf(l.h.sizeLine, text.TooMany, sparse.MaxIndex)
}

// matrix describes m, made of this many entries after mirroring.
func (l *layout) matrix(m *sparse.CSR[float64], entries, nonFinite int) *text.Matrix {
	return &text.Matrix{
		A:      m,
		Format: l.h.format, Field: l.h.field, Symmetry: l.h.symmetry, Comment: l.h.comment,
		Declared:   l.h.entries,
		Duplicates: entries - m.NNZ(),
		NonFinite:  nonFinite,
	}
}
