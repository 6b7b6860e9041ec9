package rb

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"spmvtune/sparse/internal/text"
)

// A format is how Fortran lays numbers out on lines: a fixed number to a line, each in its own
// columns.
type format struct {
	text    string
	perLine int
	width   int  // of a field, in bytes
	whole   bool // whole numbers
	digits  int  // behind the point of a number that is written without one
	scale   int  // of a number without an exponent: it is read as 10^−scale of itself
}

// formatPattern takes (26I3), (4D20.12), (1P,5E16.8), (1P3ES25.16E3).
var formatPattern = regexp.MustCompile(`^\((?:([+-]?\d{1,3})P,?)?(\d*)(I|F|G|D|E[SN]?)(\d+)(?:\.(\d+)(?:E\d+)?)?\)$`)

// parseFormat reads a format as it stands in a header.
func parseFormat(s string) (format, error) {
	f := format{text: s}
	parts := formatPattern.FindStringSubmatch(strings.ToUpper(strings.ReplaceAll(s, " ", "")))
	if parts == nil {
		return f, fmt.Errorf("the format %s is not one that is read, such as (26I3), (4D20.12) or (1P,5E16.8)",
			text.Quote([]byte(s)))
	}

	number := func(s string, none int) int {
		if s == "" {
			return none
		}
		n, err := strconv.Atoi(s)
		if err != nil { // too large
			return text.BlockSize
		}

		return n
	}

	f.scale, f.perLine, f.width, f.digits = number(parts[1], 0), number(parts[2], 1), number(parts[4],
		0), number(parts[5], 0)
	f.whole = parts[3] == "I"
	if f.whole {
		f.scale, f.digits = 0, 0
	}

	if f.perLine < 1 || f.width < 1 || f.perLine >= text.BlockSize/f.width || f.digits >= text.BlockSize {
		return f, fmt.Errorf("the format %s has lines of no or of too many bytes", text.Quote([]byte(s)))
	}
	return f, nil
}

// lines is how many lines that many numbers take.
func (f *format) lines(numbers int) int { return (numbers + f.perLine - 1) / f.perLine }

// index reads a whole number without sign in a field. ok is false if there is none, or if it
// exceeds 2³¹−1.
func index(field []byte) (n int, ok bool) {
	i := 0
	for i < len(field) && field[i] == ' ' {
		i++
	}
	from := i

	for ; i < len(field) && field[i]-'0' <= 9; i++ {
		if n = n*10 + int(field[i]-'0'); n > 1<<31-1 {
			return n, false
		}
	}

	ok = i > from
	for ; i < len(field); i++ {
		ok = ok && field[i] == ' '
	}
	return n, ok
}

// value reads the number in block[lo:hi]; at hi there is something in block, which
// is changed for a moment.
func (f *format) value(block []byte, lo, hi int) (v float64, ok bool) {
	behind := block[hi]
	block[hi] = '\n'
	i := text.SkipBlanks(block, lo)
	if i == hi {
		block[hi] = behind
		return 0, true
	}

	v, next, ok := text.ParseValue(block, i)
	ok = ok && text.SkipBlanks(block, next) == hi
	block[hi] = behind
	if field := block[lo:hi]; !ok || f.digits > 0 && bytes.IndexByte(field, '.') < 0 || f.scale != 0 &&
		!bytes.ContainsAny(field, "eEdD") {
		return f.slowValue(field)
	}

	return v, true
}

var numberPattern = regexp.MustCompile(`^([+-]?)(\d*)(\.?)(\d*)(?:[EQD]?([+-]\d+)|[EQD](\d+))?$`)

// slowValue reads a field as Fortran does, whatever it holds.
func (f *format) slowValue(field []byte) (v float64, ok bool) {
	word := strings.ToUpper(strings.ReplaceAll(string(field), " ", ""))
	switch strings.TrimLeft(word, "+-") {
	case "INF", "INFINITY", "NAN":
		v, err := strconv.ParseFloat(word, 64)
		return v, err == nil
	}

	parts := numberPattern.FindStringSubmatch(word)
	if parts == nil || parts[2]+parts[4] == "" {
		return 0, false
	}
	written := parts[5] + parts[6]
	if len(written) > 8 {
		return 0, false
	}

	exponent, _ := strconv.Atoi(written)
	if written == "" {
		exponent -= f.scale
	}
	if parts[3] == "" {
		exponent -= f.digits
	}

	v, err := strconv.ParseFloat(fmt.Sprintf("%s%s.%se%d", parts[1], parts[2], parts[4], exponent), 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}
