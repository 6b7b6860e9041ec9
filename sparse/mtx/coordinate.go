package mtx

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"spmvtune/internal/base/term"
	"spmvtune/sparse/internal/text"
)

// coordinates parses the entries in block, one a line: row, column, and as many
// numbers as the field has. It stops at a line that is not exactly this, which
// is left to badEntry to explain, and at more entries than were declared.
func (p *parser) coordinates(block []byte) error {
	rows, cols := uint(p.h.rows), uint(p.h.cols)
	p.reset(len(block))
	n := 0
	for i := 0; i < len(block); i++ { // past the '\n' of the line before
		i = text.SkipBlanks(block, i)
		if block[i] == '\n' || block[i] == '%' {
			p.skipped = append(p.skipped, int32(n+len(p.skipped)))
			i = text.EndOfLine(block, i)
			continue
		}

		start := i
		r, i2, okRow := text.ParseIndex(block, i)
		c, i2, okCol := text.ParseIndex(block, text.SkipBlanks(block, i2))
		if !okRow || !okCol || r-1 >= rows || c-1 >= cols { // 0 wraps around
			p.n = n
			return p.badEntry(block, start)
		}

		i = i2
		if p.numbers > 0 {
			v, next, ok := text.ParseValue(block, text.SkipBlanks(block, i))
			if p.numbers > 1 && ok { // the imaginary part must be a number, but is not kept
				_, next, ok = text.ParseValue(block, text.SkipBlanks(block, next))
			}
			if !ok {
				p.n = n
				return p.badEntry(block, start)
			}

			if v-v != 0 {
				p.nonFinite++
			}
			p.val[n] = v
			i = next
		}

		i = text.SkipBlanks(block, i)
		if block[i] != '\n' {
			p.n = n
			return p.badEntry(block, start)
		}

		p.row[n], p.col[n] = int32(r-1), int32(c-1)
		n++
	}

	p.n = n
	return nil
}

// badEntry says what is wrong with the line that starts at start, the next one
// to count. Its number is counted from the start of block.
func (p *parser) badEntry(block []byte, start int) error {
	line := block[start:text.EndOfLine(block, start)]
	fail := func(format string, args ...any) error {
		return p.s.Errorf(p.s.Line+p.n+len(p.skipped), "%s: %s", text.Quote(bytes.TrimRight(line, "\r")),
			fmt.Sprintf(format, args...))
	}
	want := map[int]string{
		0: "row and column, since the field is pattern",
		1: "row, column and value",
		2: "row, column, real and imaginary part",
	}[p.numbers]

	words := bytes.FieldsFunc(line, func(r rune) bool { return r < 0x80 && text.Blank(byte(r)) })
	for k, side := range []struct {
		name, plural string
		size         int
	}{{"row", "rows", p.h.rows}, {"column", "columns", p.h.cols}} {
		if k >= len(words) {
			break
		}
		n, err := strconv.Atoi(string(words[k]))

		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && n > side.size:
			return fail("%s %s lies outside the matrix, which has %s (line %d)", side.name, words[k],
				term.Count(side.size, side.name, side.plural), p.h.sizeLine)
		case err != nil:
			return fail("%s %s is not a whole number; an entry is %s", side.name, text.Quote(words[k]), want)
		case n == 0:
			return fail("%s 0: indices count from 1; if this file counts from 0, add 1 to every row and column",
				side.name)
		case n < 0:
			return fail("%s %d is negative: indices count from 1", side.name, n)
		}
	}

	for _, w := range words[min(2, len(words)):min(2+p.numbers, len(words))] {
		if !isValue(w) {
			return fail("value %s is not a number", text.Quote(w))
		}
	}

	switch n := len(words); {
	case n == 2 && p.numbers > 0:
		return fail("there is no value; an entry is %s; a file without values says pattern in line 1", want)
	case n < 2+p.numbers:
		return fail("the line is too short; an entry is %s", want)
	case n == 3 && p.numbers == 0:
		return fail("there is a value; an entry is %s; a file with values says real in line 1", want)
	case n == 4 && p.numbers == 1:
		return fail("there are two values; an entry is %s; a file with imaginary parts says complex in line 1", want)
	case n > 2+p.numbers:
		return fail("there is something after the entry, which is %s", want)
	}

	return fail("not an entry, which is %s, in plain digits", want)
}

// isValue reports whether all of word is a value.
func isValue(word []byte) bool {
	_, _, ok := text.ParseValue(append(bytes.Clone(word), '\n'), 0)
	return ok
}
