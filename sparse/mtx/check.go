package mtx

import "spmvtune/sparse"

// A matrix with more rows or columns than manyLines and fewer than one entry to
// sparsest of them would spend its memory, and every kernel its time, on row
// offsets; and a few bytes of header must not cost gigabytes.
const (
	manyLines = 1 << 27
	sparsest  = 64
)

// worthwhile refuses a matrix that has next to nothing in its rows or columns.
func (l *layout) worthwhile(entries int) error {
	if size := max(l.h.rows, l.h.cols); size > manyLines && size/sparsest > entries {
		return l.s.errorf(l.h.sizeLine, "%d×%d with %s: nearly all rows or columns are empty, and row offsets alone would take gigabytes; drop the empty ones", l.h.rows, l.h.cols, count(l.h.entries, "entry", "entries"))
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
	return l.s.errorf(line, "the file ends after %d of %d %s: it was cut off, or the sizes in line %d are wrong", done, l.h.entries, what, l.h.sizeLine)
}

func tooMany(l *layout) error {
	return l.s.errorf(l.h.sizeLine, "more than %d entries after expansion: 32-bit indices hold no more; without expansion the triangle is read", sparse.MaxIndex)
}

// matrix describes m, made of so many entries after mirroring.
func (l *layout) matrix(m *sparse.CSR[float64], entries, nonFinite int) *Matrix {
	return &Matrix{
		A:      m,
		Format: l.h.format, Field: l.h.field, Symmetry: l.h.symmetry, Comment: l.h.comment,
		Declared:   l.h.entries,
		Duplicates: entries - m.NNZ(),
		NonFinite:  nonFinite,
	}
}
