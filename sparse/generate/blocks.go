package generate

import (
	"context"

	"spmvtune/sparse"
)

func planBlocks(v values) (Size, error) {
	size, err := planGrid(v)
	dof := v.int("dof")
	return Size{Rows: size.Rows * dof, Cols: size.Cols * dof, NNZ: size.NNZ * dof * dof}, err
}

// buildBlocks makes the 5-point stencil with a dense dof by dof block for each of its
// entries. Unknown d of point (x, y) is row (y·nx + x)·dof + d.
func buildBlocks(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	nx, dof := v.int("nx"), v.int("dof")
	n := nx * v.int("ny")
	a := assembly{
		rows: n * dof, cols: n * dof,
		length: func(i int) int {
			_, count := stencil5(i/dof, nx, n)
			return count * dof
		},
		fill: func(i int, columns []int32) {
			points, _ := stencil5(i/dof, nx, n)
			for k := range columns {
				columns[k] = points[k/dof]*int32(dof) + int32(k%dof)
			}
		},
		value: newSource(v.seed(), forValues).symmetricValue,
	}

	return a.build(ctx)
}
