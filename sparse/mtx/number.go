package mtx

import (
	"errors"
	"math"
	"strconv"
)

// blank reports whether c separates the words of a line.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// skipBlanks returns the first position from i on that is not blank. There is
// one: blocks end in '\n'.
func skipBlanks(b []byte, i int) int {
	for blank(b[i]) {
		i++
	}
	return i
}

// endOfWord returns where the word at i ends.
func endOfWord(b []byte, i int) int {
	for !blank(b[i]) && b[i] != '\n' {
		i++
	}
	return i
}

// endOfLine returns the position of the '\n' of the line that i is in.
func endOfLine(b []byte, i int) int {
	for b[i] != '\n' {
		i++
	}
	return i
}

// parseIndex reads a decimal number without sign at i. ok is false where there
// is none, where it runs into something else, or where it exceeds 2³¹−1.
func parseIndex(b []byte, i int) (n uint, next int, ok bool) {
	start := i
	for ; i-start < 10; i++ {
		d := uint(b[i]) - '0'
		if d > 9 {
			break
		}
		n = n*10 + d
	}
	ok = i > start && n <= math.MaxInt32 && (blank(b[i]) || b[i] == '\n')
	return n, i, ok
}

// powers are the powers of ten that float64 holds exactly.
var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseValue reads a number at i, correctly rounded. Where the digits fit in 53
// bits and the power of ten is exact, one multiplication or division rounds
// once (Clinger, "How to read floating point numbers accurately", 1990);
// anything else goes through strconv.
func parseValue(b []byte, i int) (v float64, next int, ok bool) {
	start := i
	neg := b[i] == '-'
	if neg || b[i] == '+' {
		i++
	}
	var (
		mantissa uint64
		exponent int
		digits   = i
	)
	for ; b[i]-'0' <= 9; i++ {
		mantissa = mantissa*10 + uint64(b[i]-'0')
	}
	digits = i - digits
	if b[i] == '.' {
		i++
		point := i
		for ; b[i]-'0' <= 9; i++ {
			mantissa = mantissa*10 + uint64(b[i]-'0')
		}
		exponent = point - i
		digits += i - point
	}
	if b[i]|0x20 == 'e' {
		e := i + 1
		minus := b[e] == '-'
		if minus || b[e] == '+' {
			e++
		}
		from, n := e, 0
		for ; b[e]-'0' <= 9 && e-from < 4; e++ {
			n = n*10 + int(b[e]-'0')
		}
		if e == from {
			return slowValue(b, start)
		}
		if minus {
			n = -n
		}
		exponent += n
		i = e
	}
	// At most 19 digits never wrap a uint64.
	if digits == 0 || digits > 19 || mantissa >= 1<<53 || exponent < -22 || exponent > 22 || !(blank(b[i]) || b[i] == '\n') {
		return slowValue(b, start)
	}
	v = float64(mantissa)
	if exponent < 0 {
		v /= powers[-exponent]
	} else {
		v *= powers[exponent]
	}
	if neg {
		v = -v
	}
	return v, i, true
}

// slowValue reads the word at i through strconv, which also knows inf and nan,
// and rounds what exceeds float64 to an infinity. It does not take what strconv
// takes beyond that: hexadecimal, underscores.
func slowValue(b []byte, i int) (v float64, next int, ok bool) {
	next = endOfWord(b, i)
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
