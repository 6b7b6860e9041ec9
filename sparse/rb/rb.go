package rb

import (
	"errors"
	"io"

	"spmvtune/internal/base/term"
	"spmvtune/sparse"
	"spmvtune/sparse/internal/bands"
	"spmvtune/sparse/internal/text"
)

// Format is Rutherford-Boeing.
var Format = text.Format{
	Name:       "Rutherford-Boeing",
	Extensions: []string{".rb", ".hb"},
	Version:    "2",
	Starts:     starts,
	Parse:      parse,
	ParseSize:  parseSize,
	Write:      write,
	Triangle:   true,
	Doc:        "by columns",
}

// parse reads the matrix in s, to its end.
func parse(s *text.Source, opt text.Options) (*text.Matrix, error) {
	h, err := readHeader(s)
	if err == nil {
		err = h.wanted(s, opt)
	}
	if err != nil {
		return nil, err
	}

	mirror := opt.Expand && h.symmetry != "general"
	if mirror && 2*h.entries-h.cols > sparse.MaxIndex {
		return nil, s.Errorf(sizeLine, text.TooMany, sparse.MaxIndex)
	}
	r := &reader{s: s, h: h, layout: bands.Layout{
		Rows: h.rows, Cols: h.cols,
		Pattern: h.numbers == 0,
		Mirror:  mirror,
		Negate:  h.symmetry == "skew-symmetric",
	}.Cut(h.entries)}

	chunks, err := r.read()
	if err != nil {
		return nil, err
	}
	entries, nonFinite := 0, 0
	all := make([]*bands.Chunk, len(chunks))

	for k, c := range chunks {
		all[k] = &c.Chunk
		entries += c.Len()
		nonFinite += c.nonFinite
	}

	if entries > sparse.MaxIndex {
		return nil, s.Errorf(sizeLine, text.TooMany, sparse.MaxIndex)
	}
	if bands.IsHollow(h.rows, h.cols, entries) {
		return nil, s.Errorf(sizeLine, "%d×%d with %s: %s", h.rows, h.cols, term.Count(h.entries, "entry", "entries"),
			bands.Hollow)
	}

	a := bands.Assemble(r.layout, all)
	return &text.Matrix{
		A:      a,
		Format: "rutherford-boeing", Field: h.field, Symmetry: h.symmetry, Comment: h.title,
		Declared: h.entries, Duplicates: entries - a.NNZ(), NonFinite: nonFinite,
		Odd: bands.Odd(r.layout, all, entries-a.NNZ()),
	}, nil
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

// wanted refuses what opt does not ask for.
func (h *header) wanted(s *text.Source, opt text.Options) error {
	if h.field == "complex" && opt.Complex == "" {
		return s.Errorf(sizeLine, "%s", text.RefusesComplex)
	}
	return nil
}

// end reads on to the end of the file, where nothing may follow but right-hand
// sides.
func (r *reader) end() error {
	buf := make([]byte, text.BlockSize+1)
	for {
		block, err := r.s.NextBlock(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}

		for i, c := range block {
			if c == '\n' {
				r.s.Line++
			} else if !text.Blank(c) && !r.h.rightSides {
				return r.s.Errorf(r.s.Line,
					"%s: the file goes on behind its last section, and line 2 says of no right-hand sides",
					text.Quote(block[i:text.EndOfLine(block, i)]))
			}
		}
	}
}
