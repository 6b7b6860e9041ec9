package generate

import (
	"math"
	"slices"
)

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
