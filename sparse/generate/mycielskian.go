package generate

import (
	"context"

	"spmvtune/sparse"
)

// planMycielskian follows the recurrence: from n vertices and m arcs to 2n + 1
// vertices and 3m + 2n arcs.
func planMycielskian(v values) (Size, error) {
	n, nnz := 2, 2
	for range v.int("order") - 2 {
		n, nnz = 2*n+1, 3*nnz+2*n
	}
	return Size{Rows: n, Cols: n, NNZ: nnz}, nil
}

func buildMycielskian(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	m := &sparse.CSR[float64]{Rows: 2, Cols: 2, RowPtr: []int32{0, 1, 2}, ColIdx: []int32{1, 0}}
	for range v.int("order") - 2 {
		var err error
		if m, err = mycielski(ctx, m); err != nil {
			return nil, err
		}
	}

	m.Val = make([]float64, m.NNZ())
	err := parallel(ctx, m.NNZ(), func(lo, hi int) {
		for k := lo; k < hi; k++ {
			m.Val[k] = 1
		}
	})
	return m, err
}

// mycielski returns the pattern of the Mycielskian of a graph with adjacency
// matrix A (Mycielski, Colloq. Math. 3, 1955): every vertex gets a shadow that
// sees the vertex's neighbours, and one more vertex w sees all shadows,
//
//	A  A  0
//	A  0  1
//	0  1ᵀ 0
func mycielski(ctx context.Context, m *sparse.CSR[float64]) (*sparse.CSR[float64], error) {
	n := m.Rows
	neighbours := func(i int) []int32 { return m.ColIdx[m.RowPtr[i]:m.RowPtr[i+1]] }
	a := assembly{
		rows: 2*n + 1, cols: 2*n + 1,
		length: func(i int) int {
			switch {
			case i < n:
				return 2 * len(neighbours(i))
			case i < 2*n:
				return len(neighbours(i-n)) + 1
			}
			return n
		},
		fill: func(i int, columns []int32) {
			switch {
			case i < n:
				old := neighbours(i)
				shadows := columns[copy(columns, old):]
				for k, j := range old {
					shadows[k] = j + int32(n)
				}
			case i < 2*n:
				columns[copy(columns, neighbours(i-n))] = int32(2 * n)

			default:
				for k := range columns {
					columns[k] = int32(n + k)
				}
			}
		},
	}

	return a.build(ctx)
}
