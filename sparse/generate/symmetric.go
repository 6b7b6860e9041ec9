package generate

import (
	"context"

	"spmvtune/sparse"
)

// symmetric makes the symmetric matrix that has these rows left of its diagonal, and a
// diagonal entry in the rows that on tells. It needs 8 bytes a row and 2 an entry in addition to
// the matrix.
func (a assembly) symmetric(ctx context.Context, on func(i int) bool) (*sparse.CSR[float64], error) {
	value := a.value
	a.value = nil
	below, err := a.build(ctx)
	if err != nil {
		return nil, err
	}

	m, err := mirror(ctx, below.RowPtr, below.ColIdx, on)
	if err != nil || value == nil {
		return m, err
	}
	m.Val = make([]float64, m.NNZ())
	err = parallel(ctx, m.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
				m.Val[k] = value(i, int(m.ColIdx[k]))
			}
		}
	})
	return m, err
}

func everywhere(int) bool { return true }

// rowsOf describes a pattern that is there already.
func rowsOf(m *sparse.CSR[float64]) assembly {
	return assembly{
		rows: m.Rows, cols: m.Cols,
		length: func(i int) int { return int(m.RowPtr[i+1] - m.RowPtr[i]) },
		fill:   func(i int, columns []int32) { copy(columns, m.ColIdx[m.RowPtr[i]:]) },
	}
}

// blocks has a dense block of dof by dof for each entry of a.
func (a assembly) blocks(dof int) assembly {
	return assembly{
		rows: a.rows * dof, cols: a.cols * dof,
		length: func(i int) int { return a.length(i/dof) * dof },
		fill: func(i int, columns []int32) {
			a.fill(i/dof, columns[:len(columns)/dof])
			for k := len(columns)/dof - 1; k >= 0; k-- { // backwards, so that none is overwritten before it is read
				run(columns[k*dof:(k+1)*dof], columns[k]*int32(dof))
			}
		},
		value: a.value,
	}
}
