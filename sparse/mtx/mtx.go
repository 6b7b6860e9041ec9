package mtx

import "spmvtune/sparse/internal/text"

// Format is Matrix Market.
var Format = text.Format{
	Name:       "Matrix Market",
	Extensions: []string{".mtx", ".mm"},
	Version:    "2",
	Starts:     starts,
	Parse:      parse,
	ParseSize:  parseSize,
	Write:      write,
	Triangle:   true,
}

// parse reads the matrix in s, to its end.
func parse(s *text.Source, opt text.Options) (*text.Matrix, error) {
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

// parseSize reads the header of the matrix in s.
func parseSize(s *text.Source, opt text.Options) (text.Size, error) {
	h, err := readHeader(s)
	if err == nil {
		err = h.wanted(s, opt)
	}
	if err != nil {
		return text.Size{}, err
	}
	return text.Size{Rows: h.rows, Cols: h.cols, Entries: h.entries, Symmetric: h.symmetry != "general"}, nil
}
