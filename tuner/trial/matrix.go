package trial

import "spmvtune/sparse"

// A Matrix describes a matrix of a sweep, without its entries.
type Matrix struct {
	Name     string          `json:"name"`   // short, unique within a sweep
	Source   string          `json:"source"` // path, generator with its arguments, "SuiteSparse Group/Name", or "twin of Group/Name: " and the generator
	Class    string          `json:"class"`  // structure class: matrices of a class are one family
	Hash     string          `json:"hash"`   // content: sizes, row pointers, columns, values
	Field    string          `json:"field"`  // real, integer, pattern
	Symmetry string          `json:"symmetry"`
	Features sparse.Features `json:"features"`
	// FeaturesSeconds is what reading the features took, when that was done; 0: not known.
	FeaturesSeconds float64 `json:"features_seconds,omitempty"`
	// Pattern shows where the entries lie. Runs before it was kept have none.
	Pattern sparse.Thumbnail `json:"pattern,omitempty"`
	// NonFinite is how many entries of its file are NaN or infinite.
	NonFinite int `json:"non_finite,omitempty"`
	// Note is what is to be known of it in this run only: why the cache could not keep
	// it, or why it is a twin.
	Note string `json:"-"`
}

// A Size is what a plan without identities needs of a matrix.
type Size struct {
	Rows, Cols, Nonzeros int
}

// size is that of a matrix that was loaded.
func (m Matrix) Size() Size {
	return Size{m.Features.Rows, m.Features.Cols, m.Features.Nonzeros}
}
