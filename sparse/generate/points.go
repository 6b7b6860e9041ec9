package generate

import (
	"context"
	"math/bits"
	"slices"
)

// gridBits is the number of bits of a coordinate: the most with which inCircle is
// exact in 128 bits.
const gridBits = 30

// A point lies on a grid over the unit square. Its coordinates are 0 to 2³⁰−1.
type point struct{ x, y int32 }

// code is a point's position along the Z-order curve (Morton, IBM, 1966): the bits
// of x and y in turn, y's before x's.
func (p point) code() uint64 { return spreadBits(p.x) | spreadBits(p.y)<<1 }

// pointAt is the point at a position of the curve.
func pointAt(code uint64) point { return point{gatherBits(code), gatherBits(code >> 1)} }

// spreadBits moves bit b of x to bit 2b.
func spreadBits(x int32) uint64 {
	z := uint64(x)
	z = (z | z<<16) & 0x0000ffff0000ffff
	z = (z | z<<8) & 0x00ff00ff00ff00ff
	z = (z | z<<4) & 0x0f0f0f0f0f0f0f0f
	z = (z | z<<2) & 0x3333333333333333
	return (z | z<<1) & 0x5555555555555555
}

// gatherBits undoes spreadBits and ignores the odd bits.
func gatherBits(z uint64) int32 {
	z &= 0x5555555555555555
	z = (z | z>>1) & 0x3333333333333333
	z = (z | z>>2) & 0x0f0f0f0f0f0f0f0f
	z = (z | z>>4) & 0x00ff00ff00ff00ff
	z = (z | z>>8) & 0x0000ffff0000ffff
	return int32(z | z>>16)
}

// scatter adds points to the given ones until there are n distinct ones. It draws them
// uniformly from those that inside accepts, and returns their codes in increasing order. A
// random code is a random point.
func scatter(ctx context.Context, src source, given []point, n int, inside func(point) bool) ([]uint64, error) {
	codes := make([]uint64, 0, n)
	for _, p := range given {
		codes = append(codes, p.code())
	}
	for key := uint64(0); ; {
		for len(codes) < n {
			code := src.at(key) >> (64 - 2*gridBits)
			if key++; inside(pointAt(code)) {
				codes = append(codes, code)
			}
		}
		if err := sortCodes(ctx, codes); err != nil {
			return nil, err
		}

		if codes = slices.Compact(codes); len(codes) == n {
			return codes, nil
		}
	}
}

// sortCodes sorts by the first ten bits, and then what has them in common, in
// parallel: random codes fall apart evenly.
func sortCodes(ctx context.Context, codes []uint64) error {
	const buckets = 1 << 10
	bucket := func(code uint64) uint64 { return code >> (2*gridBits - 10) }
	var start [buckets + 1]int
	for _, c := range codes {
		start[bucket(c)+1]++
	}

	for b := range buckets {
		start[b+1] += start[b]
	}
	unsorted, at := slices.Clone(codes), start

	for _, c := range unsorted {
		codes[at[bucket(c)]] = c
		at[bucket(c)]++
	}
	return parallel(ctx, buckets, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			slices.Sort(codes[start[b]:start[b+1]])
		}
	})
}

// orient is positive if a, b, c turn left, negative if they turn right, and zero if
// they lie on a line.
func orient(a, b, c point) int64 {
	return int64(b.x-a.x)*int64(c.y-a.y) - int64(b.y-a.y)*int64(c.x-a.x)
}

// inCircle reports whether d lies inside of the circle through a, b, c, which turn
// left (Guibas and Stolfi, ACM Trans. Graphics 4, 1985). It is exact: coordinates
// relative to d have 30 bits and a sign, minors and squared lengths at most 61, so
// that three products of two fit in 128.
func inCircle(a, b, c, d point) bool {
	ax, ay := int64(a.x-d.x), int64(a.y-d.y)
	bx, by := int64(b.x-d.x), int64(b.y-d.y)
	cx, cy := int64(c.x-d.x), int64(c.y-d.y)
	hi, lo := multiply(ax*ax+ay*ay, bx*cy-by*cx)

	for _, p := range [2][2]int64{
		{bx*bx + by*by, cx*ay - cy*ax},
		{cx*cx + cy*cy, ax*by - ay*bx},
	} {
		h, l := multiply(p[0], p[1])
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}

	return int64(hi) > 0 || hi == 0 && lo > 0
}

// multiply returns the product of a, which is not negative, and b in two's
// complement.
func multiply(a, b int64) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(a), uint64(b))
	return hi - uint64(b>>63)&uint64(a), lo
}
