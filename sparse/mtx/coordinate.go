package mtx

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// coordinates parses the entries in block, one a line: row, column, and as many
// numbers as the field has. line is the number of block's first line. A line
// that is not exactly this is left to badEntry to explain.
func (b *body) coordinates(block []byte, line int) error {
	rows, cols := uint(b.h.rows), uint(b.h.cols)
	for i := 0; i < len(block); i++ { // past the '\n' of the line before
		i = skipBlanks(block, i)
		if block[i] == '\n' {
			continue
		}
		if block[i] == '%' {
			i = endOfLine(block, i)
			continue
		}
		start := i
		if b.done == b.h.entries {
			return b.s.errorf(lineAt(block, start, line), "more entries than the %d declared in line %d", b.h.entries, b.h.sizeLine)
		}
		r, i2, okRow := parseIndex(block, i)
		c, i2, okCol := parseIndex(block, skipBlanks(block, i2))
		if !okRow || !okCol || r-1 >= rows || c-1 >= cols { // 0 wraps around
			return b.badEntry(block, start, line)
		}
		i = i2
		v, ok := 1.0, true
		if b.numbers > 0 {
			v, i, ok = parseValue(block, skipBlanks(block, i))
		}
		if b.numbers > 1 && ok { // the imaginary part must be a number, but is not kept
			_, i, ok = parseValue(block, skipBlanks(block, i))
		}
		i = skipBlanks(block, i)
		if !ok || block[i] != '\n' {
			return b.badEntry(block, start, line)
		}
		b.push(int32(r-1), int32(c-1), v)
	}
	return nil
}

// badEntry says what is wrong with the line that starts at start.
func (b *body) badEntry(block []byte, start, line int) error {
	text := block[start:endOfLine(block, start)]
	line = lineAt(block, start, line)
	fail := func(format string, args ...any) error {
		return b.s.errorf(line, "%s: %s", quote(bytes.TrimRight(text, "\r")), fmt.Sprintf(format, args...))
	}
	want := map[int]string{
		0: "row and column, since the field is pattern",
		1: "row, column and value",
		2: "row, column, real and imaginary part",
	}[b.numbers]

	words := bytes.FieldsFunc(text, func(r rune) bool { return r < 0x80 && blank(byte(r)) })
	for k, side := range []struct {
		name, plural string
		size         int
	}{{"row", "rows", b.h.rows}, {"column", "columns", b.h.cols}} {
		if k >= len(words) {
			break
		}
		n, err := strconv.Atoi(string(words[k]))
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && n > side.size:
			return fail("%s %s lies outside the matrix, which has %s (line %d)", side.name, words[k], count(side.size, side.name, side.plural), b.h.sizeLine)
		case err != nil:
			return fail("%s %s is not a whole number; an entry is %s", side.name, quote(words[k]), want)
		case n == 0:
			return fail("%s 0: indices count from 1; if this file counts from 0, add 1 to every row and column", side.name)
		case n < 0:
			return fail("%s %d is negative: indices count from 1", side.name, n)
		}
	}
	for _, w := range words[min(2, len(words)):min(2+b.numbers, len(words))] {
		if !isValue(w) {
			return fail("value %s is not a number", quote(w))
		}
	}
	switch n := len(words); {
	case n == 2 && b.numbers > 0:
		return fail("there is no value; an entry is %s; a file without values says pattern in line 1", want)
	case n < 2+b.numbers:
		return fail("the line is too short; an entry is %s", want)
	case n == 3 && b.numbers == 0:
		return fail("there is a value; an entry is %s; a file with values says real in line 1", want)
	case n == 4 && b.numbers == 1:
		return fail("there are two values; an entry is %s; a file with imaginary parts says complex in line 1", want)
	case n > 2+b.numbers:
		return fail("there is something after the entry, which is %s", want)
	}
	return fail("not an entry, which is %s, in plain digits", want)
}

// isValue reports whether all of word is a value.
func isValue(word []byte) bool {
	_, _, ok := parseValue(append(bytes.Clone(word), '\n'), 0)
	return ok
}

// lineAt is the number of the line that position i of block is in, where the
// block starts with the line of the given number.
func lineAt(block []byte, i, line int) int {
	return line + bytes.Count(block[:i], []byte("\n"))
}
