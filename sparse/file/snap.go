// SPDX-License-Identifier: Apache-2.0

package file

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"example.org/spmvtune/sparse"
)

// snap is the format of edge lists as the Stanford Large Network Dataset Collection has
// them (Leskovec and Krevl, snap.stanford.edu/data).
//
// A line is an edge: the number of the vertex that it leaves, a tab or blanks, and the number
// of the vertex that it reaches. Lines that start with # are comments. Numbers need not be
// consecutive: the vertices that occur, in the order of their numbers, are the rows and columns
// of the matrix, and an edge is an entry in the row that it leaves and the column that it
// reaches. So vertices without an edge are not in the matrix. Graphs are read as directed: the
// collection also has undirected ones that list each edge once, and does not say so in a form
// that programs could read.
//
// Three passes, each on all cores: blocks of lines become edges; the numbers of
// vertices become ranks, by a bitmap where numbers lie close together and by sorting
// them where they do not; and edges become entries.
//
// Memory is the matrix, 12 bytes to an edge, and one working copy of the edges: first
// 8 bytes to each, 16 where a block has vertices beyond 2³², and 8 with weights; from
// these, piece by piece, 6 bytes, 14 with weights. For the numbers, it is up to 4
// bytes to an edge, or 16 to each vertex of each block where they are far apart.
//
// What the format leaves open:
//
//   - A third number is the weight of the edge, as in the collection's signed and
//     weighted networks; all lines have it or none. In its temporal networks it is a
//     time, which nothing tells apart: cut it off if weights matter. Without it the
//     matrix is a pattern.
//   - An edge that is listed more than once is one entry: weights, or ones, are added
//     up, as in [mtx]. An edge from a vertex to itself is on the diagonal.
//   - Where comments before the first edge say "Nodes: 5 Edges: 7", fewer edges than
//     that mean that the file was cut off.
//
// Numbers of vertices go from 0 to 2⁶³.
var snap = format{
	Name:       "edge list",
	Extensions: []string{".txt"},
	Ambiguous:  true, // notes are called so more often
	Version:    "1",
	Starts:     startsSNAP,
	Open:       openSNAP,
	Write:      writeSNAP,
	Doc:        "as SNAP has them, vertices from 0",
	Loses:      "values, vertices without an edge, and that rows and columns may be of different numbers",
}

// openSNAP reads the comments before the first edge.
func openSNAP(s *source, _ Options) (*header, func() (*layout, []*chunk, error), error) {
	h, err := snapHeader(s)
	return h, func() (*layout, []*chunk, error) {
		pieces, edges, err := readEdges(s, h)
		if err != nil {
			return nil, nil, err
		}
		r := ranksOf(pieces)
		if r.count > sparse.MaxIndex {
			return nil, nil, s.errorf(1, "%d vertices: 32-bit indices hold at most %d", r.count, sparse.MaxIndex)
		}
		h.Rows, h.Cols, h.Entries = r.count, r.count, edges
		l := h.layout(Options{})
		return l, distribute(l, pieces, r), nil
	}, err
}

// readEdges parses all lines on all cores, and returns their edges in the order of
// the file.
func readEdges(s *source, h *header) (pieces []*piece, edges int, err error) {
	lines := &lineForm{
		Comment: '#', Numbers: h.numbers(), Size: [2]uint64{largestID + 1, largestID + 1},
		Names: [2]string{"vertex", "vertex"}, Where: "0 to 2⁶³",
		Entry: "an edge is two numbers of vertices with a blank between, as in the first line; cut -f1,2 keeps these",
	}
	if h.numbers() > 0 {
		lines.Entry = "an edge is two numbers of vertices and a weight, as in the first line"
	}
	var count atomic.Int64
	next := func(buf []byte) (block, error) {
		if count.Load() > sparse.MaxIndex {
			return block{}, s.errorf(s.Line, "more than %d edges: 32-bit indices hold no more", sparse.MaxIndex)
		}
		return s.nextBlock(buf)
	}

	pieces, err = eachBlock(next, func() func(block) (*piece, error) {
		list := entryList[uint64]{lineForm: lines}
		return func(b block) (*piece, error) {
			if err := list.read(s, b); err != nil {
				return nil, err
			}
			count.Add(int64(len(list.Row)))
			return newPiece(list), nil
		}
	})
	edges = int(count.Load())
	if err == nil && edges < h.Entries {
		err = s.cutOff(edges, h.Entries, "edges", h.SizeLine, "take that comment out")
	}
	return pieces, edges, err
}

// distribute makes chunks of the pieces and frees each piece.
func distribute(l *layout, pieces []*piece, r *ranks) []*chunk {
	chunks := make([]*chunk, len(pieces))
	eachOf(len(pieces), func() func(k int) {
		var row, col []int32
		return func(k int) {
			p := pieces[k]
			if p.edges > len(row) {
				row, col = make([]int32, p.edges), make([]int32, p.edges)
			}
			row, col := row[:p.edges], col[:p.edges]
			for k := range row {
				row[k], col[k] = r.rank(p.vertex(k)), r.rank(p.vertex(p.edges+k))
			}
			chunks[k], pieces[k] = l.chunk(row, col, p.val), nil
		}
	})

	return chunks
}

var countsPattern = regexp.MustCompile(`(?i)\bnodes:?\s*(\d+)[\s,;]+edges:?\s*(\d+)`)

// startsSNAP reports whether a text starts as files of the collection do: with a comment
// that counts vertices and edges, or names the columns.
func startsSNAP(start []byte) bool {
	return bytes.HasPrefix(start, []byte("#")) && (countsPattern.Match(start) ||
		bytes.Contains(start, []byte("FromNodeId")))
}

// snapHeader reads the comments before the first edge, and inspects that edge.
func snapHeader(s *source) (*header, error) {
	h := &header{Format: "edge-list", Field: "pattern", Symmetry: "general", Unsized: true}
	for {
		number := s.Line
		line, err := s.nextLine()
		if err == io.EOF {
			return h, nil
		}
		if err != nil {
			return nil, err
		}

		words := bytes.Fields(line)
		if len(words) > 0 && words[0][0] != '#' {
			if len(words) == 3 {
				h.Field = "real"
			}
			s.unread(block{Text: line, Lines: 1}, 0)
			return h, nil
		}
		if len(words) == 0 {
			continue
		}
		note := bytes.TrimSpace(line)[1:]
		h.note(note)
		counts := countsPattern.FindStringSubmatch(string(note))
		if counts == nil || !h.Unsized {
			continue
		}
		if n, err := readSizes(s, number, counts[1:], 2, 2, ""); err == nil {
			h.Rows, h.Cols, h.Entries, h.SizeLine, h.Unsized = n[0], n[0], n[1], number, false
		}
	}
}

// A piece is the edges of a block of lines, as small as they fit: the vertices that they leave, and then those that they
// reach.
type piece struct {
	edges       int
	small       []uint32
	large       []uint64  // instead of small, where one is beyond 2³²
	val         []float64 // nil without weights
	least, most uint64    // vertices
}

// largestID is the largest number that a vertex may have.
const largestID = 1 << 63

// newPiece copies the edges of a block.
func newPiece(list entryList[uint64]) *piece {
	n := len(list.Row)
	p := &piece{edges: n, least: largestID, val: slices.Clone(list.Val), small: make([]uint32, 2*n)}
	for k, vertices := range [][]uint64{list.Row, list.Col} {
		small := p.small[k*n:][:len(vertices)]
		for i, v := range vertices {
			p.least, p.most = min(p.least, v), max(p.most, v)
			small[i] = uint32(v)
		}
	}
	if p.most >= 1<<32 {
		p.small, p.large = nil, slices.Concat(list.Row, list.Col)
	}
	return p
}

// vertex is the k-th.
func (p *piece) vertex(k int) uint64 {
	if p.small != nil {
		return uint64(p.small[k])
	}
	return p.large[k]
}

// writeSNAP writes a line for each entry, row and column from 0 with a tab between.
func writeSNAP(w io.Writer, m *sparse.CSR[float64], opt Writing) error {
	for line := range strings.Lines(opt.Comment) {
		fmt.Fprintf(w, "# %s\n", strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprintf(w, "# Nodes: %d Edges: %d\n# FromNodeId\tToNodeId\n", max(m.Rows, m.Cols), m.NNZ())
	return writeEntries(w, m, 0, '\t', Writing{Pattern: true})
}
