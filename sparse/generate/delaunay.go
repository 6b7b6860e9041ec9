package generate

import (
	"context"
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
