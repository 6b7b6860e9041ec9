package generate

import (
	"context"
	"math/bits"
	"sort"

	"spmvtune/internal/base/panics"
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
	err := parallel(ctx, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			t.points[i] = pointAt(codes[i])
		}
	})

	if err != nil || n == 0 {
		return t, err
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
