// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"math"
	"slices"

	"example.org/spmvtune/sparse"
)

// planDelaunay makes the graph of the Delaunay triangulation of random points,
// numbered along the Z-order curve. It needs about 200 bytes a point, the matrix
// included. The number of nonzeros is an upper bound: n points, h of them on the hull,
// have 3n − 3 − h edges, and h is at least 3.
func planDelaunay(v values) (plan, error) {
	n := v.int("points")
	edges := n - 1
	if n > 2 {
		edges = 3*n - 6
	}
	return plan{square(n, 2*edges), func(ctx context.Context) (*sparse.CSR[float64], error) {
		anywhere := func(point) bool { return true }
		t, err := triangulate(ctx, scatter(newSource(v.seed(), forStructure), nil, n, anywhere))
		if err != nil {
			return nil, err
		}
		return t.graph(ctx)
	}}, nil
}

// graph returns the adjacency matrix of the points, values 1.
func (t *triangulation) graph(ctx context.Context) (*sparse.CSR[float64], error) {
	first := t.first()
	return square(len(t.points), 0).draw(ctx, 0, one, func(i int, _ *stream, columns []int32) []int32 {
		t.around(first[i], func(e int32) { columns = append(columns, t.dest(e)) })
		return columns
	})
}

// first returns for each point the first half-edge that leaves it, or none.
func (t *triangulation) first() []int32 {
	first := slices.Repeat([]int32{none}, len(t.points))
	for e := len(t.half) - 1; e >= 0; e-- {
		if p := t.half[e].org; p != none {
			first[p] = int32(e)
		}
	}

	return first
}

// around calls visit for e and the other half-edges with its origin, counterclockwise.
func (t *triangulation) around(e int32, visit func(e int32)) {
	if e == none {
		return
	}
	visit(e)
	for f := t.half[e].next; f != e; f = t.half[f].next {
		visit(f)
	}
}

// planDual makes the dual graph of a Delaunay triangulation: its vertices are the
// triangles, neighbours if they share an edge. The triangulated points are random in a
// square and evenly spaced on its border, h of them, which makes the size exact: n
// points have 2n − 2 − h triangles. A triangle is numbered by its first point. It needs
// about 110 bytes a triangle, the matrix included.
//
// If their number is not given, edges on the border are as long as those inside are on average,
// 32/(9π√density) (Miles, Math. Biosci. 6, 1970): 2.5·√rows of them, one more if that has the
// wrong parity.
func planDual(v values) (plan, error) {
	rows, border := v.int("rows"), v.int("border")
	if border == 0 {
		border = min(max(4, int(2.5*math.Sqrt(float64(rows)))), rows+2)
		border += (rows + border) % 2
	}
	switch {
	case border < 4 || border > rows+2:
		return plan{}, wrong("border",
			"%d is out of range; %d triangles have 0 (as many as usual), or 4 to %d edges on the border of a square",
			border, rows, rows+2)
	case (rows+border)%2 != 0:
		return plan{}, wrong("border", "%d is wrong for %d triangles; the two must both be even or both be odd", border,
			rows)
	}

	return plan{square(rows, 3*rows-border), func(ctx context.Context) (*sparse.CSR[float64], error) {
		n := (rows + 2 + border) / 2
		t, err := triangulate(ctx, scatter(newSource(v.seed(), forStructure), rim(border), n, insideSquare))
		if err != nil {
			return nil, err
		}
		return t.dual(ctx)
	}}, nil
}

// far is the largest coordinate.
const far = 1<<gridBits - 1

func insideSquare(p point) bool { return 0 < p.x && p.x < far && 0 < p.y && p.y < far }

// rim returns n points on the border of the grid, n at least 4, its corners among
// them, the others evenly between.
func rim(n int) []point {
	var points []point
	for side := range 4 {
		count := (n + side) / 4 // on the side, its first corner counted
		for k := range count {
			at := int32(k * far / count)
			points = append(points, [4]point{{at, 0}, {far, at}, {far - at, far}, {0, far - at}}[side])
		}
	}
	return points
}

// dual returns the adjacency matrix of the triangles, values 1.
func (t *triangulation) dual(ctx context.Context) (*sparse.CSR[float64], error) {
	triangle, sides := t.triangles()
	return square(len(sides), 0).draw(ctx, 0, one, func(i int, _ *stream, columns []int32) []int32 {
		e := sides[i]
		for range 3 {
			if other := triangle[e^1]; other != none {
				columns = append(columns, other)
			}
			e = t.leftNext(e)
		}
		return columns
	})
}

// triangles numbers the triangles by their first point, and around it counterclockwise. It
// returns for each half-edge the triangle to the left (none for the outer face), and for each
// triangle one of its half-edges.
func (t *triangulation) triangles() (triangle, sides []int32) {
	triangle = slices.Repeat([]int32{none}, len(t.half))
	sides = make([]int32, 0, 2*len(t.points))

	for p, e := range t.first() {
		t.around(e, func(e int32) {
			c, ok := t.third(e)
			if !ok || t.dest(e) < int32(p) || c < int32(p) {
				return
			}
			number := int32(len(sides))
			sides = append(sides, e)

			for range 3 {
				triangle[e] = number
				e = t.leftNext(e)
			}
		})
	}

	return triangle, sides
}
