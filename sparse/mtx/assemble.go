package mtx

import "spmvtune/sparse"

// A matrix with more rows or columns than manyLines and fewer than one entry to
// sparsest of them would spend its memory, and every kernel its time, on row
// offsets; and a few bytes of header must not cost gigabytes.
const (
	manyLines = 1 << 27
	sparsest  = 64
)

// assemble makes the matrix of the triplets in b.
func assemble(b *body) (*Matrix, error) {
	h := b.h
	if size := max(h.rows, h.cols); size > manyLines && size/sparsest > len(b.val) {
		return nil, b.s.errorf(h.sizeLine, "%d×%d with %s: nearly all rows or columns are empty, and row offsets alone would take gigabytes; drop the empty ones", h.rows, h.cols, count(h.entries, "entry", "entries"))
	}
	m, err := sparse.FromTriplets(h.rows, h.cols, b.row, b.col, b.val)
	if err != nil {
		return nil, b.s.errorf(h.sizeLine, "%v", err)
	}
	return &Matrix{
		A:      m,
		Format: h.format, Field: h.field, Symmetry: h.symmetry, Comment: h.comment,
		Declared:   h.entries,
		Duplicates: len(b.val) - m.NNZ(),
		NonFinite:  b.nonFinite,
	}, nil
}
