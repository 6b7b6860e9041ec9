package snap

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"spmvtune/sparse/internal/text"
)

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
