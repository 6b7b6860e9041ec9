package text

import (
	"spmvtune/internal/base/term"
	"spmvtune/sparse"
)

// A Header is what the first lines of a file say of its matrix, in the words of Matrix Market.
type Header struct {
	Format, Field, Symmetry string
	Comment                 string
	Rows, Cols              int
	Entries                 int // in the file
	TypeLine, SizeLine      int // where the field stands, and where the sizes do
}

// ParseHeader is a Format's ParseSize where read reads the header.
func ParseHeader[H interface{ Size() Size }](read func(*Source, Options) (H, error)) func(*Source, Options) (Size, error) {
	return func(s *Source, opt Options) (Size, error) {
		h, err := read(s, opt)
		if err != nil {
			return Size{}, err
		}
		return h.Size(), nil
	}
}

// Size is the size of the matrix.
func (h *Header) Size() Size {
	return Size{Rows: h.Rows, Cols: h.Cols, Entries: h.Entries, Symmetric: h.Symmetry != "general"}
}

// Wanted refuses what opt does not ask for.
func (h *Header) Wanted(s *Source, opt Options) error {
	if h.Field == "complex" && opt.Complex == "" {
		return s.Errorf(h.TypeLine, "%s", RefusesComplex)
	}
	return nil
}

// Numbers is how many numbers the value of an entry has.
func (h *Header) Numbers() int {
	switch h.Field {
	case "pattern":
		return 0
	case "complex":
		return 2
	}
	return 1
}

// Layout says how the entries become a matrix.
func (h *Header) Layout(opt Options) *Layout {
	return Layout{
		Rows: h.Rows, Cols: h.Cols,
		Pattern: h.Numbers() == 0,
		Mirror:  opt.Expand && h.Symmetry != "general",
		Negate:  h.Symmetry == "skew-symmetric",
	}.Cut(h.Entries)
}

// TooMany refuses a matrix that indices can't hold.
func (h *Header) TooMany(s *Source) error { return s.Errorf(h.SizeLine, tooMany, sparse.MaxIndex) }

// Worthwhile refuses a matrix that has next to nothing in its rows or columns, and one of too many entries.
func (h *Header) Worthwhile(s *Source, entries int) error {
	if entries > sparse.MaxIndex {
		return h.TooMany(s)
	}
	if isHollow(h.Rows, h.Cols, entries) {
		return s.Errorf(h.SizeLine, "%d×%d with %s: %s", h.Rows, h.Cols, term.Count(h.Entries, "entry", "entries"), hollow)
	}
	return nil
}

// Matrix describes a, which was made of this many entries after mirroring.
func (h *Header) Matrix(a *sparse.CSR[float64], entries, nonFinite int) *Matrix {
	return &Matrix{
		A: a, Format: h.Format, Field: h.Field, Symmetry: h.Symmetry, Comment: h.Comment,
		Declared: h.Entries, Duplicates: entries - a.NNZ(), NonFinite: nonFinite,
	}
}

// Assemble makes the matrix of chunks.
func (h *Header) Assemble(s *Source, l *Layout, chunks []*Chunk, nonFinite int) (*Matrix, error) {
	entries := 0
	for _, c := range chunks {
		entries += c.Len()
	}
	if err := h.Worthwhile(s, entries); err != nil {
		return nil, err
	}
	m := h.Matrix(Assemble(l, chunks), entries, nonFinite)
	m.Odd = odd(l, chunks, m.Duplicates)
	return m, nil
}
