package generate

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"spmvtune/internal/base/panics"
	"spmvtune/sparse"
)

// An assembly describes a matrix by its rows, each of which can be made
// without the others.
type assembly struct {
	rows, cols int
	length     func(i int) int                // nonzeros of row i
	fill       func(i int, columns []int32)   // the columns of row i, strictly increasing
	value      func(i, j int) (value float64) // of an entry; nil leaves Val out
}

// build makes the matrix in two passes over the rows, in parallel: lengths
// first, so that the arrays are allocated once and at their final size.
func (a assembly) build(ctx context.Context) (*sparse.CSR[float64], error) {
	m := &sparse.CSR[float64]{Rows: a.rows, Cols: a.cols, RowPtr: make([]int32, a.rows+1)}
	err := parallel(ctx, a.rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.RowPtr[i+1] = int32(a.length(i))
		}
	})
	if err != nil {
		return nil, err
	}

	nnz := 0
	for i, n := range m.RowPtr {
		nnz += int(n)
		if nnz > sparse.MaxIndex {
			return nil, fmt.Errorf("more than the %d nonzeros that 32-bit indices can hold", sparse.MaxIndex)
		}
		m.RowPtr[i] = int32(nnz)
	}

	m.ColIdx = make([]int32, nnz)
	if a.value != nil {
		m.Val = make([]float64, nnz)
	}
	err = parallel(ctx, a.rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			start, end := m.RowPtr[i], m.RowPtr[i+1]
			columns := m.ColIdx[start:end]
			a.fill(i, columns)
			if a.value != nil {
				for k, j := range columns {
					m.Val[int(start)+k] = a.value(i, int(j))
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}

	return m, nil
}

// visited describes a matrix by a function that calls visit for the columns of a row, increasing.
func visited(rows, cols int, each func(i int, visit func(j int)), value func(i, j int) float64) assembly {
	return assembly{
		rows: rows, cols: cols,
		length: func(i int) (count int) {
			each(i, func(int) { count++ })
			return count
		},
		fill: func(i int, columns []int32) {
			k := 0
			each(i, func(j int) {
				columns[k] = int32(j)
				k++
			})
		},
		value: value,
	}
}

// parallel calls do for pieces of [0, n) on all cores and stops early when ctx is done. Which
// piece runs where is random, so do must not depend on it.
func parallel(ctx context.Context, n int, do func(lo, hi int)) error {
	workers := runtime.GOMAXPROCS(0)
	// Small enough to balance uneven rows and to notice ctx, large enough that
	// taking a piece costs nothing.
	piece := max(1, min(4096, n/(8*workers)))
	var taken atomic.Int64
	g, ctx := panics.NewGroup(ctx)

	for range workers {
		g.Go(func() error {
			for {
				if err := ctx.Err(); err != nil {
					return err
				}
				lo := int(taken.Add(int64(piece))) - piece
				if lo >= n {
					return nil
				}
				do(lo, min(lo+piece, n))
			}
		})
	}

	return g.Wait()
}
