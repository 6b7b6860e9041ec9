package generate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
)

// planDelaunay is an upper bound: n points, h of them on the hull, have 3n − 3 − h
// edges, and h is at least 3.
func planDelaunay(v values) (Size, error) {
	n := v.int("points")
	edges := n - 1
	if n > 2 {
		edges = 3*n - 6
	}
	return Size{Rows: n, Cols: n, NNZ: 2 * edges}, nil
}

// buildDelaunay makes the graph of the Delaunay triangulation of random points,
// numbered along the Z-order curve. It needs about 170 bytes a point, the matrix
// included.
func buildDelaunay(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	anywhere := func(point) bool { return true }
	codes, err := scatter(ctx, newSource(v.seed(), forStructure), nil, v.int("points"), anywhere)
	if err != nil {
		return nil, err
	}

	t, err := triangulate(ctx, codes)
	if err != nil {
		return nil, err
	}
	return t.graph(ctx)
}

// buildShuffled makes the same graph with its points in random order.
func buildShuffled(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	m, err := buildDelaunay(ctx, v)
	if err != nil {
		return nil, err
	}
	order := permutation(m.Rows, newSource(v.seed(), forOrder))
	m = reorder.Apply(m, reorder.Order{Rows: order, Cols: order})
	return m, nil
}

// graph returns the adjacency matrix of the points, values 1.
func (t *triangulation) graph(ctx context.Context) (*sparse.CSR[float64], error) {
	first := t.first()
	a := assembly{
		rows: len(t.points), cols: len(t.points),
		length: func(i int) (count int) {
			t.around(first[i], func(int32) { count++ })
			return count
		},
		fill: func(i int, columns []int32) {
			k := 0
			t.around(first[i], func(e int32) {
				columns[k] = t.dest(e)
				k++
			})
			slices.Sort(columns)
		},
		value: func(i, j int) float64 { return 1 },
	}

	return a.build(ctx)
}

// first returns for each point the first half-edge that leaves it, or none.
func (t *triangulation) first() []int32 {
	first := make([]int32, len(t.points))
	for p := range first {
		first[p] = none
	}
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

func planDual(v values) (Size, error) {
	rows, border := v.int("rows"), borderDual(v)
	switch {
	case border < 4 || border > rows+2:
		return Size{}, &ArgError{"triangulation_dual", "border", fmt.Sprintf(
			"%d is out of range; %d triangles have 0 (as many as usual), or 4 to %d edges on the border of a square",
			border, rows, rows+2)}
	case (rows+border)%2 != 0:
		return Size{}, &ArgError{"triangulation_dual", "border", fmt.Sprintf(
			"%d is wrong for %d triangles; the two must both be even or both be odd", border, rows)}
	}

	return Size{Rows: rows, Cols: rows, NNZ: 3*rows - border}, nil
}

// borderDual is the number of edges on the border. If not given, they are as long as
// those inside are on average, 32/(9π√density) (Miles, Math. Biosci. 6, 1970): 2.5·√rows
// of them, one more if that has the wrong parity.
func borderDual(v values) int {
	if border := v.int("border"); border != 0 {
		return border
	}
	rows := v.int("rows")
	border := min(max(4, int(2.5*math.Sqrt(float64(rows)))), rows+2)
	return border + (rows+border)%2
}

// buildDual makes the dual graph of a Delaunay triangulation: its vertices are the
// triangles, neighbours if they share an edge. The triangulated points are random in a
// square and evenly spaced on its border, h of them, which makes the size exact: n
// points have 2n − 2 − h triangles. A triangle is numbered by its first point. It needs
// about 100 bytes a triangle, the matrix included.
func buildDual(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	border := borderDual(v)
	n := (v.int("rows") + 2 + border) / 2
	codes, err := scatter(ctx, newSource(v.seed(), forStructure), square(border), n, insideSquare)
	if err != nil {
		return nil, err
	}

	t, err := triangulate(ctx, codes)
	if err != nil {
		return nil, err
	}
	return t.dual(ctx)
}

// far is the largest coordinate.
const far = 1<<gridBits - 1

func insideSquare(p point) bool { return 0 < p.x && p.x < far && 0 < p.y && p.y < far }

// square returns n points on the border of the grid, n at least 4, its corners among
// them, the others evenly between.
func square(n int) []point {
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
	neighbours := func(i int) (found [3]int32, count int) {
		e := sides[i]
		for range 3 {
			if other := triangle[e^1]; other != none {
				found[count] = other
				count++
			}
			e = t.leftNext(e)
		}

		slices.Sort(found[:count])
		return found, count
	}

	a := assembly{
		rows: len(sides), cols: len(sides),
		length: func(i int) int {
			_, count := neighbours(i)
			return count
		},
		fill: func(i int, columns []int32) {
			found, count := neighbours(i)
			copy(columns, found[:count])
		},
		value: func(i, j int) float64 { return 1 },
	}

	return a.build(ctx)
}

// triangles numbers the triangles by their first point, and around it counterclockwise. It
// returns for each half-edge the triangle to the left (none for the outer face), and for each
// triangle one of its half-edges.
func (t *triangulation) triangles() (triangle, sides []int32) {
	triangle = make([]int32, len(t.half))
	for e := range triangle {
		triangle[e] = none
	}
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
