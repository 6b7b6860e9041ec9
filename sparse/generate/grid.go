package generate

import (
	"context"

	"spmvtune/sparse"
)

func planGrid(v values) (Size, error) {
	nx, ny := v.int("nx"), v.int("ny")
	n := nx * ny
	return Size{Rows: n, Cols: n, NNZ: 5*n - 2*nx - 2*ny}, nil
}

// buildGrid makes the 5-point stencil. Point (x, y) is row y·nx + x.
func buildGrid(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	nx, ny := v.int("nx"), v.int("ny")
	n := nx * ny
	a := assembly{
		rows: n, cols: n,
		length: func(i int) int {
			_, count := stencil5(i, nx, n)
			return count
		},
		fill: func(i int, columns []int32) {
			points, count := stencil5(i, nx, n)
			copy(columns, points[:count])
		},
		value: func(i, j int) float64 {
			if i == j {
				return 4
			}
			return -1
		},
	}

	return a.build(ctx)
}

// stencil5 returns the points that row i of an nx-wide grid of n points
// couples: below, left, itself, right, above.
func stencil5(i, nx, n int) (points [5]int32, count int) {
	x := i % nx
	add := func(ok bool, j int) {
		if ok {
			points[count] = int32(j)
			count++
		}
	}

	add(i >= nx, i-nx)
	add(x > 0, i-1)
	add(true, i)
	add(x < nx-1, i+1)
	add(i < n-nx, i+nx)
	return points, count
}
