package trial

import "spmvtune/sparse"

// A Matrix describes a matrix of a sweep, without its entries.
type Matrix struct {
	Name string `json:"name"` // short, unique within a sweep
	// Source says in words where the matrix comes from: a path, a generator with its
	// arguments, "SuiteSparse Group/Name", or "twin of Group/Name: " and the generator.
	Source   string `json:"source"`
	Class    string `json:"class"` // structure class: matrices of a class are one family
	Hash     string `json:"hash"`  // content: sizes, row pointers, columns, values
	Field    string `json:"field"` // real, integer, pattern
	Symmetry string `json:"symmetry"`
	// TwinOf is the name of the published matrix that a twin is a likeness of, "" of a
	// matrix that is no twin.
	TwinOf string `json:"twin_of,omitempty"`
	// TwinScale is the size of a twin as a multiple of the published matrix's rows,
	// columns and nonzeros.
	TwinScale float64         `json:"twin_scale,omitempty"`
	Features  sparse.Features `json:"features"`
	// FeaturesSeconds is how long it took to read the features; 0: not known.
	FeaturesSeconds float64 `json:"features_seconds,omitempty"`
	// Pattern shows where the entries lie. Older runs have none.
	Pattern sparse.Thumbnail `json:"pattern,omitempty"`
	// NonFinite is the number of entries of the file that are NaN or infinite.
	NonFinite int `json:"non_finite,omitempty"`
	// Odd says in what the entries of the file contradict the symmetry that it announces, or "".
	Odd string `json:"odd,omitempty"`
	// Note is a remark about this run only: why the cache could not keep the matrix, or
	// why a twin takes its place.
	Note string `json:"-"`
}

// A Size is what a plan needs to know of a matrix that is not loaded.
type Size struct {
	Rows, Cols, Nonzeros int
	// Longest is the number of entries of the longest row; 0: not known.
	Longest int
}

// Size returns the size of m, which was loaded.
func (m Matrix) Size() Size {
	return Size{m.Features.Rows, m.Features.Cols, m.Features.Nonzeros, m.Features.RowMax}
}
