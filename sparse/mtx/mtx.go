package mtx

import (
	"io"

	"spmvtune/sparse/internal/text"
)

// What readers are asked for, and what they give.
type (
	Options = text.Options
	Matrix  = text.Matrix
	Size    = text.Size
	Error   = text.Error
)

// RealPart is the setting of [Options.Complex] that drops imaginary parts.
const RealPart = text.RealPart

// DefaultOptions expand and refuse complex files.
var DefaultOptions = text.DefaultOptions

// Extension is that of Matrix Market files.
const Extension = ".mtx"

// Decode reads a matrix from r, which it reads to the end; name is what errors
// call it. A stream that breaks the format gives an *Error.
func Decode(r io.Reader, name string, opt Options) (*Matrix, error) {
	if err := opt.Check(name); err != nil {
		return nil, err
	}
	s, err := text.NewSource(r, name, Extension)
	if err != nil {
		return nil, err
	}
	return Parse(s, opt)
}

// Parse reads the matrix in s, to its end.
func Parse(s *text.Source, opt Options) (*Matrix, error) {
	h, err := readHeader(s)
	if err != nil {
		return nil, err
	}
	if err := h.wanted(s, opt); err != nil {
		return nil, err
	}
	l := newLayout(s, h, opt)
	if h.format == "array" {
		return newArray(l).read()
	}
	b := &body{layout: l}
	if err := b.read(); err != nil {
		return nil, err
	}
	return b.assemble()
}

// ParseSize reads the header of the matrix in s.
func ParseSize(s *text.Source, opt Options) (Size, error) {
	h, err := readHeader(s)
	if err == nil {
		err = h.wanted(s, opt)
	}
	if err != nil {
		return Size{}, err
	}
	return Size{Rows: h.rows, Cols: h.cols, Entries: h.entries, Symmetric: h.symmetry != "general"}, nil
}
