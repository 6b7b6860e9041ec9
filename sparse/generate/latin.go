package generate

import (
	"context"

	"spmvtune/sparse"
)

func planLatin(v values) (Size, error) {
	n := v.int("order")
	return Size{Rows: n * n, Cols: n * n, NNZ: 2 * n * n * (n - 1)}, nil
}

// buildLatin makes the graph of cells that must differ: those of a row of the square, and those of
// a column of it. Cell (r, c) is row r·n + c.
func buildLatin(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("order")
	a := assembly{
		rows: n * n, cols: n * n,
		length: func(int) int { return 2 * (n - 1) },
		fill: func(i int, columns []int32) {
			r, c, k := i/n, i%n, 0
			for row := range n {
				if row != r {
					columns[k] = int32(row*n + c)
					k++
					continue
				}
				for col := range n {
					if col != c {
						columns[k] = int32(row*n + col)
						k++
					}
				}
			}
		},
		value: func(i, j int) float64 { return 1 },
	}

	return a.build(ctx)
}
