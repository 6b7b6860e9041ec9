// Package snap reads edge lists as the Stanford Large Network Dataset Collection has
// them (Leskovec and Krevl, snap.stanford.edu/data), from a [text.Source].
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
// vertices become ranks, by a bitmap where numbers lie close together and by maps of
// ranges where they do not; and edges become entries, of which package text makes a
// sorted CSR. The result does not depend on the number of cores.
//
// Memory is the matrix, 12 bytes to an edge, and one working copy of the edges: first
// 8 bytes to each, 16 where a block has vertices beyond 2³², and 8 with weights; from
// these, piece by piece, 6 bytes, 14 with weights. For the numbers, it is up to 4
// bytes to an edge, or about 40 bytes to a vertex where they are far apart.
//
// What the format leaves open:
//
//   - A third number is the weight of the edge, as in the collection's signed and
//     weighted networks; all lines have it or none. In its temporal networks it is a
//     time, which nothing tells apart: cut it off if weights matter. Without it the
//     matrix is a pattern.
//   - An edge that is listed more than once is one entry: weights, or ones, are added
//     up, as package mtx does. An edge from a vertex to itself is on the diagonal.
//   - Where comments before the first edge say "Nodes: 5 Edges: 7", fewer edges than
//     that mean that the file was cut off.
//
// Numbers of vertices go from 0 to 2⁶³. Every refusal is a [*text.Error] with file,
// line and reason.
package snap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"spmvtune/sparse"
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

	l := text.Layout{Rows: r.count(), Cols: r.count(), Pattern: !h.weighted}.Cut(edges)
	a := text.Assemble(l, distribute(l, pieces, r))
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
func distribute(l *text.Layout, pieces []*piece, r ranks) []*text.Chunk {
	chunks := make([]*text.Chunk, len(pieces))
	text.EachOf(len(pieces), func() func(k int) {
		d := text.Distributor{Layout: l}
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

// A header has the facts known before the first edge.
type header struct {
	comment  string
	weighted bool
	nodes    int // as a comment has it; −1 if none has
	edges    int
	line     int // of that comment
}

// mostComment bounds the comments that are kept, in bytes.
const mostComment = 64 << 10

var countsPattern = regexp.MustCompile(`(?i)\bnodes:?\s*(\d+)[\s,;]+edges:?\s*(\d+)`)

// starts reports whether a text starts as files of the collection do: with a comment
// that counts vertices and edges, or names the columns.
func starts(start []byte) bool {
	return bytes.HasPrefix(start, []byte("#")) && (countsPattern.Match(start) ||
		bytes.Contains(start, []byte("FromNodeId")))
}

// readHeader reads the comments before the first edge, and inspects that edge.
func readHeader(s *text.Source) (*header, error) {
	h := &header{nodes: -1, edges: -1}
	var comment strings.Builder
	for {
		line, err := s.PeekLine()
		if errors.Is(err, io.EOF) && s.Line == 1 {
			return nil, s.Errorf(1, "the file is empty")
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}

		words := bytes.Fields(line)
		if err != nil || len(words) > 0 && words[0][0] != '#' {
			h.comment = strings.TrimSuffix(comment.String(), "\n")
			h.weighted = len(words) == 3
			return h, nil
		}

		if len(words) > 0 {
			note := bytes.TrimSpace(line)[1:]
			if comment.Len()+len(note) <= mostComment {
				comment.Write(note)
				comment.WriteByte('\n')
			}

			if counts := countsPattern.FindSubmatch(note); counts != nil && h.nodes < 0 {
				nodes, err := strconv.Atoi(string(counts[1]))
				edges, err2 := strconv.Atoi(string(counts[2]))
				if err == nil && err2 == nil {
					h.nodes, h.edges, h.line = nodes, edges, s.Line
				}
			}
		}
		s.NextLine()
	}
}

// A piece is the edges of a block of lines: vertices in pairs, as small as they fit.
type piece struct {
	small     []uint32
	large     []uint64  // instead of small, where one is beyond 2³²
	val       []float64 // nil without weights
	nonFinite int
	least     uint64 // vertices
	most      uint64
}

// edges is the number of edges.
func (p *piece) edges() int { return (len(p.small) + len(p.large)) / 2 }

// largestID is the largest number that a vertex may have.
const largestID = 1 << 63

// A parser turns blocks into pieces. Each core has one, with room for the edges of
// a block.
type parser struct {
	s        *text.Source
	weighted bool
	ids      []uint64
	val      []float64
}

// parse reads the edges in block, whose first line has that number.
func (q *parser) parse(block []byte, line int) (*piece, error) {
	q.ids, q.val = q.ids[:0], q.val[:0]
	p := &piece{least: largestID}
	for i := 0; i < len(block); i++ { // past the '\n' of the line before
		i = text.SkipBlanks(block, i)
		if block[i] == '#' {
			i = text.EndOfLine(block, i)
		}
		if block[i] == '\n' {
			line++
			continue
		}

		start := i
		from, next, ok := id(block, i)
		i = text.SkipBlanks(block, next)
		to, next, ok2 := id(block, i)
		i = text.SkipBlanks(block, next)
		if !ok || !ok2 {
			return p, q.badEdge(block, start, line)
		}

		if q.weighted {
			v, next, ok := text.ParseValue(block, i)
			if !ok {
				return p, q.badEdge(block, start, line)
			}
			if v-v != 0 {
				p.nonFinite++
			}

			q.val = append(q.val, v)
			i = text.SkipBlanks(block, next)
		}

		if block[i] != '\n' {
			return p, q.badEdge(block, start, line)
		}
		q.ids = append(q.ids, from, to)
		p.least, p.most = min(p.least, from, to), max(p.most, from, to)
		line++
	}

	p.keep(q)
	return p, nil
}

// keep copies the parsed edges.
func (p *piece) keep(q *parser) {
	if q.weighted {
		p.val = append(make([]float64, 0, len(q.val)), q.val...)
	}
	if p.most >= 1<<32 {
		p.large = append(make([]uint64, 0, len(q.ids)), q.ids...)
		return
	}

	p.small = make([]uint32, len(q.ids))
	for k, v := range q.ids {
		p.small[k] = uint32(v)
	}
}

// id reads the number of a vertex at i.
func id(b []byte, i int) (v uint64, next int, ok bool) {
	v, next = text.AppendDigits(0, b, i)
	digits := next - i
	if digits > 19 { // perhaps zeros in front
		for b[i] == '0' {
			i++
		}
		digits = max(next-i, 1)
	}
	return v, next, digits > 0 && digits <= 19 && v <= largestID && (text.Blank(b[next]) || b[next] == '\n')
}

// badEdge says what is wrong with the line that starts at start.
func (q *parser) badEdge(block []byte, start, line int) error {
	content := bytes.TrimRight(block[start:text.EndOfLine(block, start)], "\r")
	want := "two numbers of vertices"
	if q.weighted {
		want = "two numbers of vertices and a weight, as in the first line"
	}

	fail := func(format string, args ...any) error {
		return q.s.Errorf(line, "%s: %s; an edge is %s", text.Quote(content), fmt.Sprintf(format, args...), want)
	}
	words := bytes.Fields(content)

	for k, word := range words[:min(2, len(words))] {
		n, err := strconv.ParseInt(string(word), 10, 64)
		_, tooLarge := strconv.ParseUint(string(word), 10, 64)
		switch {
		case err == nil && n < 0:
			return fail("vertex %s is negative", word)
		case errors.Is(tooLarge, strconv.ErrRange) || errors.Is(err, strconv.ErrRange) && tooLarge == nil &&
			string(word) != strconv.FormatUint(largestID, 10):
			return fail("vertex %s is beyond 2⁶³", text.Quote(word))
		case tooLarge != nil && bytes.IndexByte(word, ',') >= 0:
			return fail("%s: write a tab or a blank where commas are", text.Quote(word))

		case tooLarge != nil:
			return fail("%s is not the number of a vertex, from 0 on%s", text.Quote(word),
				map[bool]string{true: "; is this an edge list?"}[k == 0])
		}
	}

	switch {
	case len(words) < 2:
		return fail("there is no second vertex")
	case q.weighted && len(words) == 2:
		return fail("there is no weight")
	case q.weighted && len(words) == 3:
		return fail("weight %s is not a number", text.Quote(words[2]))
	case !q.weighted && len(words) == 3:
		return fail("there is a third number, and the first line has none")
	}

	return fail("there are %d columns: cut -f1,2 keeps the vertices", len(words))
}

// write writes a line for each entry, row and column from 0 with a tab between.
func write(w io.Writer, m *sparse.CSR[float64], opt text.Writing) error {
	for line := range strings.Lines(opt.Comment) {
		fmt.Fprintf(w, "# %s\n", strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprintf(w, "# Nodes: %d Edges: %d\n# FromNodeId\tToNodeId\n", max(m.Rows, m.Cols), m.NNZ())
	var line []byte

	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			line = strconv.AppendInt(line[:0], int64(i), 10)
			line = append(line, '\t')
			line = strconv.AppendInt(line, int64(j), 10)
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}

	return nil
}
