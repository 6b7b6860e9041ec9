package text

import (
	"math"
	"math/big"
	"math/bits"
)

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
