// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"math/bits"
	"slices"
	"sort"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/panics"
)

// A triangulation is the Delaunay triangulation of points: its edges are those that have a
// circle through both ends with no point inside. If four or more points lie on an empty circle,
// it is one of several.
//
// Edges are pairs of half-edges 2k and 2k+1, one from each end, which lie on rings
// around their origins (Guibas and Stolfi's quad-edges, without the dual).
type triangulation struct {
	codes  []uint64 // positions on the curve, increasing; they number the points
	points []point
	half   []halfEdge // six for each point; unused ones have the origin none
}

// A halfEdge is one of two directions of an edge.
type halfEdge struct {
	org  int32 // the point where it starts
	next int32 // the next half-edge with this origin, counterclockwise
	prev int32 // the one before
}

const none = -1

func (t *triangulation) dest(e int32) int32 { return t.half[e^1].org }

// leftNext is the half-edge that follows e around the face to the left of e.
func (t *triangulation) leftNext(e int32) int32 { return t.half[e^1].prev }

// third returns the point opposite e in the triangle to its left; ok is false if that
// face is the outer one.
func (t *triangulation) third(e int32) (c int32, ok bool) {
	c = t.dest(t.half[e].next)
	return c, orient(t.points[t.half[e].org], t.points[t.dest(e)], t.points[c]) > 0
}

// triangulate makes the triangulation of the points with these codes, which increase.
//
// It is Guibas and Stolfi's algorithm, which joins the triangulations of two halves
// that a line separates. The halves are those of a cell of the curve, cut in turn
// along x and y as proposed by Dwyer (Algorithmica 2, 1987), so that seams are short:
// time O(n log n) for sorted points, and less for random ones. How the points fall
// apart is up to them alone, not to the number of cores.
func triangulate(ctx context.Context, codes []uint64) (*triangulation, error) {
	n := len(codes)
	t := &triangulation{codes: codes, points: make([]point, n), half: make([]halfEdge, 6*n)}
	for i, code := range codes {
		t.points[i] = pointAt(code)
	}
	if n == 0 {
		return t, nil
	}
	whole, err := t.fork(ctx, 0, n)
	if n == 1 {
		t.remove(&whole, whole.hull)
	}

	return t, err
}

// A part is the triangulation of some consecutive points.
type part struct {
	hull int32 // an edge of the hull, clockwise: the outer face is to the left
	// Edges that are not used, a list through next: planar graphs of n points have
	// less than 3n edges, so a part needs no more than its points brought along.
	free, last int32
}

// forkSize is the number of points from which on halves are worth a goroutine.
const forkSize = 1 << 13

// fork makes the part of points lo to hi−1, its halves side by side if they are large.
func (t *triangulation) fork(ctx context.Context, lo, hi int) (part, error) {
	if hi-lo < forkSize {
		return t.solve(lo, hi), ctx.Err()
	}
	mid, vertical := t.cut(lo, hi)
	var l, r part
	g, ctx := panics.NewGroup(ctx)
	g.Go(func() (err error) {
		l, err = t.fork(ctx, lo, mid)
		return err
	})

	g.Go(func() (err error) {
		r, err = t.fork(ctx, mid, hi)
		return err
	})
	if err := g.Wait(); err != nil {
		return part{}, err
	}

	return t.merge(l, r, vertical), nil
}

// solve makes the part of points lo to hi−1.
func (t *triangulation) solve(lo, hi int) part {
	if hi-lo == 1 {
		return t.single(int32(lo))
	}
	mid, vertical := t.cut(lo, hi)
	return t.merge(t.solve(lo, mid), t.solve(mid, hi), vertical)
}

// cut halves the smallest cell of the curve that has points lo to hi−1. The points
// before mid are those to the left of a vertical line, or below a horizontal one.
func (t *triangulation) cut(lo, hi int) (mid int, vertical bool) {
	bit := bits.Len64(t.codes[lo]^t.codes[hi-1]) - 1
	mid = lo + sort.Search(hi-lo, func(k int) bool { return t.codes[lo+k]>>bit&1 == 1 })
	return mid, bit%2 == 0
}

// single is the part of one point. An edge identifies a part, so there is one from the point to
// itself until the part is merged.
func (t *triangulation) single(p int32) part {
	for e := 6 * p; e < 6*p+6; e++ {
		t.half[e].org = none
	}
	t.half[6*p+2].next, t.half[6*p+4].next = 6*p+4, none
	own := part{free: 6*p + 2, last: 6*p + 4}
	t.half[6*p] = halfEdge{p, 6 * p, 6 * p}
	t.half[6*p+1] = halfEdge{p, 6*p + 1, 6*p + 1}
	own.hull = 6 * p
	return own
}

// connect adds an edge from the end of a to the origin of b, which have the same face
// to the left, and so has the edge.
func (t *triangulation) connect(p *part, a, b int32) int32 {
	e := p.free
	p.free = t.half[e].next
	t.insert(e, t.dest(a), t.leftNext(a))
	t.insert(e^1, t.half[b].org, b)
	return e
}

// insert makes e a half-edge from org, next to before.
func (t *triangulation) insert(e, org, before int32) {
	next := t.half[before].next
	t.half[e] = halfEdge{org, next, before}
	t.half[before].next = e
	t.half[next].prev = e
}

// remove takes e's edge away.
func (t *triangulation) remove(p *part, e int32) {
	for _, e := range [2]int32{e, e ^ 1} {
		h := t.half[e]
		t.half[h.prev].next = h.next
		t.half[h.next].prev = h.prev
		t.half[e].org = none
	}

	e &^= 1
	t.half[e].next = p.free
	if p.free == none {
		p.last = e
	}
	p.free = e
}

// join unites what two parts have free.
func (t *triangulation) join(l, r part) part {
	switch {
	case l.free == none:
		return part{free: r.free, last: r.last}
	case r.free == none:
		return part{free: l.free, last: l.last}
	}
	t.half[l.last].next = r.free
	return part{free: l.free, last: r.last}
}

// merge joins l and r, which a vertical line separates, l to the left; or a horizontal
// one, l below, which is the same turned by a quarter.
func (t *triangulation) merge(l, r part, vertical bool) part {
	p := t.join(l, r)
	base := t.tangent(&p, l, r, vertical)
	p.hull = base
	for _, e := range []int32{l.hull, r.hull} {
		if t.half[e].org == t.dest(e) { // of a single point
			t.remove(&p, e)
		}
	}

	for base != none {
		base = t.rise(&p, base)
	}
	return p
}

// tangent adds the lower common tangent, from r to l.
func (t *triangulation) tangent(p *part, l, r part, vertical bool) int32 {
	// From the points closest to the other part, clockwise on l and counterclockwise on
	// r, as long as the other end lies outside of the next edge of the hull.
	left := t.lowest(l.hull, vertical, true)
	right := t.lowest(r.hull, vertical, false)
	right = t.half[right].next // counterclockwise
	for {
		switch {
		case t.side(left, t.half[right].org) > 0:
			left = t.leftNext(left)
		case t.side(right, t.half[left].org) < 0:
			right = t.half[right^1].next
		default:
			return t.connect(p, right^1, left)
		}
	}
}

// lowest returns the clockwise edge of the hull whose origin is furthest right, or
// left, and of such points the lowest. The others may be inside of a hull without area,
// which passes them twice.
func (t *triangulation) lowest(hull int32, vertical, right bool) int32 {
	at := func(e int32) (x, y int32) {
		p := t.points[t.half[e].org]
		x, y = p.x, p.y
		if !vertical { // turned by a quarter, so that what is below is to the left
			x, y = y, -x
		}

		if right {
			x = -x
		}
		return x, y
	}

	best := hull
	x, y := at(hull)
	for e := t.leftNext(hull); e != hull; e = t.leftNext(e) {
		if ex, ey := at(e); ex < x || ex == x && ey < y {
			best, x, y = e, ex, ey
		}
	}

	return best
}

// side is positive if point c lies to the left of e, negative if to the right.
func (t *triangulation) side(e, c int32) int64 {
	return orient(t.points[t.half[e].org], t.points[t.dest(e)], t.points[c])
}

// rise adds the next edge across the seam above base, from the right part to the left one like
// base, and returns it, or none if base is the upper common tangent. Edges that are not part of
// the triangulation, by the circle through base and its neighbours, are removed.
func (t *triangulation) rise(p *part, base int32) int32 {
	right, left := t.points[t.half[base].org], t.points[t.dest(base)]
	end := func(e int32) point { return t.points[t.dest(e)] }
	above := func(e int32) bool { return orient(left, right, end(e)) > 0 }

	l := t.half[base^1].next
	if above(l) {
		for next := t.half[l].next; inCircle(left, right, end(l), end(next)); next = t.half[l].next {
			t.remove(p, l)
			l = next
		}
	}

	r := t.half[base].prev
	if above(r) {
		for next := t.half[r].prev; inCircle(left, right, end(r), end(next)); next = t.half[r].prev {
			t.remove(p, r)
			r = next
		}
	}

	switch onLeft, onRight := above(l), above(r); {
	case !onLeft && !onRight:
		return none
	case !onLeft || onRight && inCircle(end(l), left, right, end(r)):
		return t.connect(p, r, base^1)
	}
	return t.connect(p, base^1, l^1)
}

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
func scatter(src source, given []point, n int, inside func(point) bool) []uint64 {
	codes := append(make([]uint64, 0, n), lists.Of(given, point.code)...)
	for key := uint64(0); ; {
		for len(codes) < n {
			code := src.at(key) >> (64 - 2*gridBits)
			if key++; inside(pointAt(code)) {
				codes = append(codes, code)
			}
		}
		slices.Sort(codes)
		if codes = slices.Compact(codes); len(codes) == n {
			return codes
		}
	}
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
