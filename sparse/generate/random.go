package generate

import (
	"math"
	"math/bits"
	"slices"
)

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

// of gives the values of a source in one of these ways.
func (s source) of(value func(s source, i, j int) float64) func(i, j int) float64 {
	return func(i, j int) float64 { return value(s, i, j) }
}

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

// A zipf is the law of Zipf and Mandelbrot with exponent 1: of n ranks, rank r from 0 on has a
// share in proportion to 1/(r + offset). The smaller the offset, the more the first ranks have.
type zipf struct {
	n           int
	offset, log float64 // log is ln(1 + n/offset)
}

func newZipf(n int, offset float64) zipf { return zipf{n, offset, math.Log1p(float64(n) / offset)} }

// before is the share of the ranks before r.
func (z zipf) before(r int) float64 { return math.Log1p(float64(r)/z.offset) / z.log }

// ranks chooses len(columns) ranks, increasing: one from each of as many equal parts of the law
// or, where one rank has many parts, the next.
func (z zipf) ranks(columns []int32, s *stream) {
	next, n := 0, len(columns)
	for k := range columns {
		u := (float64(k) + s.unit()) / float64(n)
		rank := int(z.offset * math.Expm1(u*z.log))
		next = min(max(next, rank), z.n-n+k) + 1
		columns[k] = int32(next - 1)
	}
}

// A split gives each of n rows, by rank, its part of a number of nonzeros: one, and of the rest
// what the law says.
type split struct {
	law  zipf
	rest float64
}

// newSplit splits total, at least n. The offset grows until no part is larger than most, which is
// at least twice the mean.
func newSplit(n, total int, offset float64, most int) split {
	p := split{newZipf(n, offset), float64(total - n)}
	for p.rest*p.law.before(1)+2 > float64(most) && p.law.offset < 1e6*float64(n) {
		p.law = newZipf(n, p.law.offset*1.25)
	}
	return p
}

// part is the part of rank r. All parts together are the total.
func (p split) part(r int) int {
	return 1 + int(p.rest*p.law.before(r+1)) - int(p.rest*p.law.before(r))
}

// permutation returns the numbers below n in random order.
func permutation(n int, src source) []int32 {
	order := make([]int32, n)
	s := src.stream(0)
	for i := range order {
		j := s.below(i + 1)
		order[i], order[j] = order[j], int32(i)
	}
	return order
}

// shuffle puts a list into random order (Fisher and Yates).
func shuffle(list []int32, s *stream) {
	for k := len(list) - 1; k > 0; k-- {
		j := s.below(k + 1)
		list[k], list[j] = list[j], list[k]
	}
}

// sample chooses len(columns) of n columns, increasing: as many random numbers, sorted, each moved
// by as many places as there are before it.
func sample(columns []int32, n int, s *stream) {
	for k := range columns {
		columns[k] = int32(s.below(n - len(columns) + 1))
	}
	slices.Sort(columns)
	for k := range columns {
		columns[k] += int32(k)
	}
}
