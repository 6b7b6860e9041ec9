package generate

import "math/bits"

// golden is 2⁶⁴ over the golden ratio, the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A source is a counter-based generator: SplitMix64, read at any position.
//
// Note: math/rand/v2's PCG seeded per row does the same, but needs two words of
// seed and leaves the derivation of bounded integers to the standard library,
// on which the bytes of a generated matrix would then depend.
type source uint64

// newSource separates the uses of one seed: structure, values, and so on.
func newSource(seed, use uint64) source { return source(mix(mix(seed+golden) + use*golden)) }

// Uses of a seed.
const (
	forStructure = 0
	forValues    = 1
	forStencil   = 2
	forJunctions = 3 // and 4, by side
	forMeeting   = 5 // and 6, by side
	forLengths   = 7
	forOrder     = 8
	forColumns   = 9
)

// at returns the random number at position key.
func (s source) at(key uint64) uint64 { return mix(uint64(s) + key*golden) }

// stream starts a separate sequence at position key.
func (s source) stream(key uint64) stream { return stream(s.at(key)) }

// value returns the value of entry (i, j): an odd multiple of 2⁻²⁴ in (−1, 1),
// which is never zero and is exact in float32.
func (s source) value(i, j int) float64 {
	k := int64(s.at(uint64(i)<<32|uint64(j)) >> 40)
	return float64(2*k+1-1<<24) * 0x1p-24
}

// symmetricValue is value of an entry and of its mirror image.
func (s source) symmetricValue(i, j int) float64 { return s.value(min(i, j), max(i, j)) }

// A stream is SplitMix64, read in order.
type stream uint64

func (s *stream) next() uint64 {
	*s += golden
	return mix(uint64(*s))
}

// below returns a number in [0, n), for n > 0 (Lemire, TOMACS 29, 2019, without
// the rejection: for n below 2³¹ the bias is less than 2⁻³³).
func (s *stream) below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

// unit returns a number in (0, 1].
func (s *stream) unit() float64 { return float64(s.next()>>11+1) * 0x1p-53 }
