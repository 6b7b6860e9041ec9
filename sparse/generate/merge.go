package generate

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
