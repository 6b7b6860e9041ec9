package snap

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/bands"
	"spmvtune/sparse/internal/text"
)

// Format is the edge lists of SNAP.
var Format = text.Format{
	Name:       "edge list",
	Extensions: []string{".txt"},
	Ambiguous:  true, // notes are called so more often
	Version:    "1",
	Starts:     starts,
	Parse:      parse,
	ParseSize:  parseSize,
	Write:      write,
	Doc:        "as SNAP has them, vertices from 0",
	Loses:      "values, vertices without an edge, and that rows and columns may be of different numbers",
}

// parse reads the graph in s, to its end, as its matrix.
func parse(s *text.Source, _ text.Options) (*text.Matrix, error) {
	h, err := readHeader(s)
	if err != nil {
		return nil, err
	}
	pieces, edges, err := readEdges(s, h)
	if err != nil {
		return nil, err
	}

	nonFinite := 0
	for _, p := range pieces {
		nonFinite += p.nonFinite
	}
	r := ranksOf(pieces)
	if r.count() > sparse.MaxIndex {
		return nil, s.Errorf(1, "%d vertices: 32-bit indices hold at most %d", r.count(), sparse.MaxIndex)
	}

	l := bands.Layout{Rows: r.count(), Cols: r.count(), Pattern: !h.weighted}.Cut(edges)
	a := bands.Assemble(l, distribute(l, pieces, r))
	m := &text.Matrix{
		A: a, Format: "edge-list", Field: "pattern", Symmetry: "general", Comment: h.comment,
		Declared: edges, Duplicates: edges - a.NNZ(), NonFinite: nonFinite,
	}
	if h.weighted {
		m.Field = "real"
	}

	return m, nil
}

// parseSize gives the size that a comment before the first edge says, or else that of
// the graph, which it reads.
func parseSize(s *text.Source, opt text.Options) (text.Size, error) {
	h, err := readHeader(s)
	if err != nil {
		return text.Size{}, err
	}
	if h.nodes >= 0 && max(h.nodes, h.edges) <= sparse.MaxIndex {
		return text.Size{Rows: h.nodes, Cols: h.nodes, Entries: h.edges}, nil
	}

	m, err := parse(s, opt)
	if err != nil {
		return text.Size{}, err
	}
	return text.Size{Rows: m.A.Rows, Cols: m.A.Cols, Entries: m.Declared}, nil
}

// readEdges parses all lines on all cores, and returns their edges in the order of
// the file.
func readEdges(s *text.Source, h *header) (pieces []*piece, edges int, err error) {
	type slot struct {
		*piece
		line int
	}
	var (
		all   []*slot
		count atomic.Int64
		first text.First
	)

	take := func(buf []byte) ([]byte, *slot, error) {
		block, err := s.NextBlock(buf)
		if err != nil {
			return nil, nil, err
		}
		t := &slot{line: s.Line}
		all = append(all, t)
		s.Line += bytes.Count(block, []byte("\n"))

		return block, t, nil
	}

	end := text.EachBlock(take, func() func([]byte, *slot) bool {
		q := &parser{s: s, weighted: h.weighted}
		return func(block []byte, t *slot) bool {
			var err error
			t.piece, err = q.parse(block, t.line)
			return first.Note(err) && count.Add(int64(t.edges())) <= sparse.MaxIndex
		}
	})
	if err := first.Err(); err != nil {
		return nil, 0, err
	}

	edges = int(count.Load())
	if edges > sparse.MaxIndex {
		return nil, 0, s.Errorf(s.Line, "more than %d edges: 32-bit indices hold no more", sparse.MaxIndex)
	}
	if !errors.Is(end, io.EOF) {
		return nil, 0, end
	}

	if edges < h.edges {
		return nil, 0, s.Errorf(s.Line, "the file ends after %d of the %d edges of line %d: it was cut off, get it "+
			"again; or take that comment out", edges, h.edges, h.line)
	}
	for _, t := range all {
		pieces = append(pieces, t.piece)
	}

	return pieces, edges, nil
}

// distribute makes chunks of the pieces and frees each piece.
func distribute(l *bands.Layout, pieces []*piece, r ranks) []*bands.Chunk {
	chunks := make([]*bands.Chunk, len(pieces))
	eachPiece(len(pieces), func() func(k int) {
		d := bands.Distributor{Layout: l}
		var row, col []int32
		return func(k int) {
			p := pieces[k]
			if n := p.edges(); n > len(row) {
				row, col = make([]int32, n), make([]int32, n)
			}
			n := p.edges()
			r.put(p, row, col)
			c := d.Chunk(row[:n], col[:n], p.val)
			chunks[k], pieces[k] = &c, nil
		}
	})

	return chunks
}
