// SPDX-License-Identifier: Apache-2.0

package file

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Blank reports whether c separates the words of a line.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// SkipBlanks returns the first position from i on that is not blank. There is one, because
// blocks end in '\n'.
func skipBlanks(b []byte, i int) int {
	for blank(b[i]) {
		i++
	}
	return i
}

// EndOfWord returns where the word at i ends.
func endOfWord(b []byte, i int) int {
	for !blank(b[i]) && b[i] != '\n' {
		i++
	}
	return i
}

// EndOfLine returns the position of the '\n' of the line that i is in.
func endOfLine(b []byte, i int) int {
	for b[i] != '\n' {
		i++
	}
	return i
}

// ParseIndex reads a decimal number without sign at i. ok is false if there is none, if it runs
// into something else, or if it has more than 19 digits, which a uint64 may not hold.
func parseIndex(b []byte, i int) (n uint64, next int, ok bool) {
	n, next = appendDigits(0, b, i)
	digits := next - i
	if digits > 19 {
		digits -= leadingZeros(b, i)
	}
	return n, next, next > i && digits <= 19 && (blank(b[next]) || b[next] == '\n')
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
func parseValue(b []byte, i int) (v float64, next int, ok bool) {
	start := i
	neg := b[i] == '-'
	if neg || b[i] == '+' {
		i++
	}

	from := i
	mantissa, i := appendDigits(0, b, i)
	digits, exponent := i-from, 0
	if b[i] == '.' {
		i++
		point := i
		mantissa, i = appendDigits(mantissa, b, i)
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
	if digits > 19 || !(blank(b[i]) || b[i] == '\n') {
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

// appendDigits reads decimal digits from position i on and appends them to those
// of n, modulo 2⁶⁴, which 19 digits never reach. It returns the position behind.
//
// Note: eight digits at once in one word (Lemire 2021) took as much processor time for whole files,
// of 17 digits, of few and of indices alone.
func appendDigits(n uint64, b []byte, i int) (uint64, int) {
	for ; b[i]-'0' <= 9; i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	return n, i
}

// The powers of ten that roundDecimal knows. Numbers with 17 digits and an
// exponent beyond them are rare in matrices, and strconv reads those.
const (
	leastPower = -80
	mostPower  = 80
)

// wide holds the first 128 bits of the powers of ten, the highest bit set, the
// rest cut off: 10^e is within one unit of the last bit of wide[e-leastPower].
var wide = widePowers()

type uint128 struct{ hi, lo uint64 }

func widePowers() (table [mostPower - leastPower + 1]uint128) {
	low := new(big.Int).SetUint64(math.MaxUint64)
	for k := range table {
		e := leastPower + k
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
		if e < 0 { // enough bits for a quotient of 128
			ten.Div(new(big.Int).Lsh(big.NewInt(1), uint(ten.BitLen()+128)), ten)
		} else {
			ten.Lsh(ten, 128)
		}

		ten.Rsh(ten, uint(ten.BitLen()-128))
		table[k] = uint128{hi: new(big.Int).Rsh(ten, 64).Uint64(), lo: new(big.Int).And(ten, low).Uint64()}
	}

	return table
}

// roundDecimal returns the float64 nearest to mantissa·10^exponent, ties to even, by the method
// of Eisel and Lemire (Lemire, "Number parsing at a gigabyte per second", 2021), as strconv has
// it. ok is false if 128 bits of the power of ten don't determine the nearest, or if it is not
// a normal number.
func roundDecimal(mantissa uint64, exponent int) (v float64, ok bool) {
	if mantissa == 0 {
		return 0, true
	}
	if exponent < leastPower || exponent > mostPower {
		return 0, false
	}

	power := &wide[exponent-leastPower]
	zeros := bits.LeadingZeros64(mantissa)
	mantissa <<= zeros

	// 217706/2¹⁶ is log₂10, near enough for these exponents; 1023 is the bias.
	exp2 := uint64(217706*exponent>>16+64+1023) - uint64(zeros)

	hi, lo := bits.Mul64(mantissa, power.hi)
	if hi&0x1ff == 0x1ff && lo+mantissa < mantissa { // the other 64 bits may carry
		hi2, lo2 := bits.Mul64(mantissa, power.lo)
		var carry uint64
		lo, carry = bits.Add64(lo, hi2, 0)
		hi += carry
		if hi&0x1ff == 0x1ff && lo+1 == 0 && lo2+mantissa < mantissa {
			return 0, false
		}
	}

	top := hi >> 63
	significand := hi >> (top + 9) // 54 bits: one more than are kept
	exp2 -= 1 ^ top
	if lo == 0 && hi&0x1ff == 0 && significand&3 == 1 { // perhaps halfway between two
		return 0, false
	}

	significand += significand & 1
	significand >>= 1
	if significand>>53 > 0 {
		significand >>= 1
		exp2++
	}

	if exp2-1 >= 0x7ff-1 {
		return 0, false
	}
	return math.Float64frombits(exp2<<52 | significand&(1<<52-1)), true
}
