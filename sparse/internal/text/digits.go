package text

import (
	"encoding/binary"
	"math/bits"
)

// scale holds the powers of ten by which eightDigits shift what is left of them.
var scale = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// eightDigits reads the decimal digits that b starts with, at most eight of
// them, all at once in one word. b has at least eight bytes.
//
// A digit is the difference of its byte to '0', and is below ten where adding 0x76 leaves its
// highest bit clear; a carry out of a byte can only touch bytes after the first that is not a
// digit. The sum of the digits by their powers takes three steps, over pairs, fours and eights
// (Lemire 2021, as in powers.go).
func eightDigits(b []byte) (n uint64, digits int) {
	w := binary.LittleEndian.Uint64(b) ^ 0x3030303030303030
	digits = bits.TrailingZeros64((w+0x7676767676767676|w)&0x8080808080808080) / 8
	w <<= 64 - 8*digits // zeros in front, none of the bytes behind
	w = w*10 + w>>8
	const pairs = 0x000000ff000000ff
	return (w&pairs*(100+1000000<<32) + w>>16&pairs*(1+10000<<32)) >> 32, digits
}

// AppendDigits reads decimal digits from position i on and appends them to those
// of n, modulo 2⁶⁴, which 19 digits never reach. It returns the position behind.
func AppendDigits(n uint64, b []byte, i int) (uint64, int) {
	for i+8 <= len(b) {
		more, digits := eightDigits(b[i:])
		n = n*scale[digits] + more
		i += digits
		if digits < 8 {
			return n, i
		}
	}

	for ; b[i]-'0' <= 9; i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	return n, i
}
