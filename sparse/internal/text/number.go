package text

import (
	"errors"
	"math"
	"strconv"
)

// Blank reports whether c separates the words of a line.
func Blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// SkipBlanks returns the first position from i on that is not blank. There is one, because
// blocks end in '\n'.
func SkipBlanks(b []byte, i int) int {
	for Blank(b[i]) {
		i++
	}
	return i
}

// EndOfWord returns where the word at i ends.
func EndOfWord(b []byte, i int) int {
	for !Blank(b[i]) && b[i] != '\n' {
		i++
	}
	return i
}

// EndOfLine returns the position of the '\n' of the line that i is in.
func EndOfLine(b []byte, i int) int {
	for b[i] != '\n' {
		i++
	}
	return i
}

// ParseIndex reads a decimal number without sign at i. ok is false if there is none, if it runs
// into something else, or if it exceeds 2³¹−1.
func ParseIndex(b []byte, i int) (n uint, next int, ok bool) {
	value, next := AppendDigits(0, b, i)
	digits := next - i
	ok = digits > 0 && digits <= 10 && value <= math.MaxInt32 && (Blank(b[next]) || b[next] == '\n')
	return uint(value), next, ok
}

// powers are the powers of ten that float64 holds exactly.
var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// ParseValue reads a number at i, correctly rounded. Where the digits fit in 53
// bits and the power of ten is exact, one multiplication or division rounds
// once (Clinger, "How to read floating point numbers accurately", 1990); other
// numbers of at most 19 digits go through roundDecimal; anything else, and what
// that can't decide, through strconv.
func ParseValue(b []byte, i int) (v float64, next int, ok bool) {
	start := i
	neg := b[i] == '-'
	if neg || b[i] == '+' {
		i++
	}

	from := i
	mantissa, i := AppendDigits(0, b, i)
	digits, exponent := i-from, 0
	if b[i] == '.' {
		i++
		point := i
		mantissa, i = AppendDigits(mantissa, b, i)
		exponent = point - i
		digits += i - point
	}

	if digits == 0 { // inf and nan, too
		return slowValue(b, start)
	}
	if digits > 19 {
		digits -= leadingZeros(b, from)
	}

	if c := b[i] | 0x20; c == 'e' || c == 'd' {
		n, end, ok := parseExponent(b, i+1)
		if !ok {
			return slowValue(b, start)
		}
		exponent += n
		i = end
	}

	// At most 19 digits never wrap a uint64.
	if digits > 19 || !(Blank(b[i]) || b[i] == '\n') {
		return slowValue(b, start)
	}
	switch {
	case mantissa < 1<<53 && -22 <= exponent && exponent <= 0:
		v = float64(mantissa) / powers[-exponent]
	case mantissa < 1<<53 && 0 < exponent && exponent <= 22:
		v = float64(mantissa) * powers[exponent]
	default:
		if v, ok = roundDecimal(mantissa, exponent); !ok {
			return slowValue(b, start)
		}
	}

	if neg {
		v = -v
	}
	return v, i, true
}

// parseExponent reads a signed number of up to four digits at b[i]; ok is false without any.
func parseExponent(b []byte, i int) (n, end int, ok bool) {
	minus := b[i] == '-'
	if minus || b[i] == '+' {
		i++
	}
	from := i
	for ; b[i]-'0' <= 9 && i-from < 4; i++ {
		n = n*10 + int(b[i]-'0')
	}
	if minus {
		n = -n
	}
	return n, i, i > from
}

// leadingZeros counts the zeros that a number starts with at i, before and
// behind its point.
func leadingZeros(b []byte, i int) (n int) {
	for ; b[i] == '0' || b[i] == '.'; i++ {
		if b[i] == '0' {
			n++
		}
	}
	return n
}

// slowValue reads the word at i through strconv, which also knows inf and nan,
// and rounds what exceeds float64 to an infinity. It does not take what strconv
// takes beyond that: hexadecimal, underscores.
func slowValue(b []byte, i int) (v float64, next int, ok bool) {
	next = EndOfWord(b, i)
	word := b[i:next]
	fortran := -1
	for k, c := range word {
		switch c {
		case 'x', 'X', 'p', 'P', '_':
			return 0, next, false
		case 'd', 'D':
			fortran = k
		}
	}

	v, err := strconv.ParseFloat(string(word), 64)
	if errors.Is(err, strconv.ErrSyntax) && fortran > 0 {
		v, err = strconv.ParseFloat(string(word[:fortran])+"e"+string(word[fortran+1:]), 64)
	}
	return v, next, err == nil || errors.Is(err, strconv.ErrRange)
}
