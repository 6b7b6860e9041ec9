// SPDX-License-Identifier: Apache-2.0

package file

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"example.org/spmvtune/internal/base/term"
)

// A lineForm says how entries stand in a file, one a line: row, column, and as many numbers as Numbers says.
type lineForm struct {
	Comment byte // what begins a line that says nothing
	Numbers int  // to an entry; the first is its value
	Least   uint64
	Size    [2]uint64 // how many rows and columns there are from Least on

	// Names are those of an index of a row and of a column. Where names what they lie in, Entry says what
	// an entry is.
	Names        [2]string
	Where, Entry string
	// Words, which may be empty, is what to do about lines with another number of words.
	Words string

	empty atomic.Int64 // lines without entries
}

// mostEmpty is how many lines without entries a file may have: packed, gigabytes of them take next to nothing.
const mostEmpty = 100_000_000

// An entryList is the entries in a block. Each core has one, with room for the entries of a block.
type entryList[I int32 | uint64] struct {
	*lineForm
	Row, Col []I       // from 0
	Val      []float64 // nil without numbers
	skipped  []gap
}

// A gap is some lines without entries, behind so many.
type gap struct{ before, lines int }

// A part is what became of a block: how many entries it has, and where.
type part struct {
	entries, line int
	skipped       []gap
}

// part describes b, which was read last; up to the line that was refused, if one was.
func (l *entryList[I]) part(b block) part { return part{len(l.Row), b.Line, slices.Clone(l.skipped)} }

// lineOf returns the number of the line of entry k, counted from 0.
func (p part) lineOf(k int) int {
	line := p.line + k
	for _, s := range p.skipped {
		if s.before <= k {
			line += s.lines
		}
	}
	return line
}

// read reads the entries in b. It stops at the first line that is not exactly one, which is left to refuse to explain.
// What comes before that line is in l.
func (l *entryList[I]) read(s *source, b block) error {
	row, col, val := l.room(len(b.Text))
	n, err := l.fill(s, b, row, col, val)
	l.Row, l.Col = row[:n], col[:n]
	if l.Numbers > 0 {
		l.Val = val[:n]
	}
	if err == nil && l.empty.Add(int64(b.Lines-n)) > mostEmpty {
		err = s.errorf(b.Line, "the file has more than %d lines without an entry: is it a matrix?", mostEmpty)
	}
	return err
}

// fill fills row, col and val, and returns how many entries it read.
func (l *entryList[I]) fill(s *source, b block, row, col []I, val []float64) (n int, err error) {
	block, line := b.Text, b.Line
	l.skipped = l.skipped[:0]
	for i := 0; i < len(block); i, line = i+1, line+1 { // past the '\n' of the line before
		i = skipBlanks(block, i)
		if block[i] == l.Comment {
			i = endOfLine(block, i)
		}
		if block[i] == '\n' {
			if last := len(l.skipped) - 1; last >= 0 && l.skipped[last].before == n {
				l.skipped[last].lines++
			} else {
				l.skipped = append(l.skipped, gap{n, 1})
			}
			continue
		}

		start := i
		r, next, okRow := parseIndex(block, i)
		c, next, okCol := parseIndex(block, skipBlanks(block, next))
		if !okRow || !okCol || r-l.Least >= l.Size[0] || c-l.Least >= l.Size[1] { // below Least wraps around
			return n, l.refuse(s, line, block[start:endOfLine(block, start)])
		}
		row[n], col[n] = I(r-l.Least), I(c-l.Least)

		i = skipBlanks(block, next)
		for k := range l.Numbers {
			v, next, ok := parseValue(block, i)
			if !ok {
				return n, l.refuse(s, line, block[start:endOfLine(block, start)])
			}
			if k == 0 { // the imaginary part must be a number, but is not kept
				val[n] = v
			}
			i = skipBlanks(block, next)
		}
		if block[i] != '\n' {
			return n, l.refuse(s, line, block[start:endOfLine(block, start)])
		}
		n++
	}
	return n, nil
}

// room makes room for the entries of a block of that many bytes, or of any block unless it is a small one.
func (l *entryList[I]) room(bytes int) (row, col []I, val []float64) {
	shortest := len("1 1\n")
	if l.Numbers > 0 {
		shortest = len("1 1 1\n")
	}
	if bytes/shortest >= cap(l.Row) {
		if bytes > blockSize/2 {
			bytes = blockSize + 1
		}
		l.Row, l.Col = make([]I, bytes/shortest+1), make([]I, bytes/shortest+1)
		if l.Numbers > 0 {
			l.Val = make([]float64, bytes/shortest+1)
		}
	}
	return l.Row[:cap(l.Row)], l.Col[:cap(l.Col)], l.Val[:cap(l.Val)]
}

// refuse says what is wrong with a line.
func (l *lineForm) refuse(s *source, line int, content []byte) error {
	words := bytes.FieldsFunc(content, func(r rune) bool { return r < 0x80 && blank(byte(r)) })
	reason := fmt.Sprintf("the line has %s", term.Count(len(words), "word", "words"))
	if len(words) == 2+l.Numbers {
		reason = "the numbers are not in plain digits"
	}
	for _, w := range words[min(2, len(words)):min(2+l.Numbers, len(words))] {
		if _, _, ok := parseValue(append(bytes.Clone(w), '\n'), 0); !ok {
			reason = fmt.Sprintf("value %s is not a number", quote(w))
			break
		}
	}

	remedy := "; " + l.Entry
	if len(words) != 2+l.Numbers && l.Words != "" {
		remedy += "; " + l.Words
	}
	for k, name := range l.Names[:min(2, len(words))] {
		n, err := strconv.ParseUint(string(words[k]), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange), err == nil && n >= l.Least && n-l.Least >= l.Size[k]:
			reason, remedy = fmt.Sprintf("%s %s lies outside %s", name, words[k], l.Where), ""
		case err != nil:
			reason = fmt.Sprintf("%s %s is not a whole number from %d on", name, quote(words[k]), l.Least)
		case n < l.Least:
			reason = fmt.Sprintf("%s %d: indices count from %d; if this file counts from %d, add %d to every row and "+
				"column", name, n, l.Least, n, l.Least-n)
			remedy = ""
		default:
			continue
		}
		break
	}
	return s.errorf(line, "%s: %s%s", quote(bytes.TrimRight(content, "\r")), reason, remedy)
}
