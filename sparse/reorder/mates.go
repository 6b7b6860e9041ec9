package reorder

import (
	"slices"

	"spmvtune/sparse"
)

// A transposed is the pattern of a matrix by columns.
type transposed struct {
	ptr  []int32 // where the nonzeros of a column begin
	rows []int32 // their rows, rising
	of   []int32 // which nonzero of the matrix each is
}

// transpose goes through the nonzeros of m once, or twice if the pattern is not symmetric. Where it
// is, the arrays of the transpose are those of m.
func transpose[V sparse.Float](m *sparse.CSR[V]) *transposed {
	if m.Rows == m.Cols {
		if of := mates(m); of != nil {
			return &transposed{m.RowPtr, m.ColIdx, of}
		}
	}
	t := &transposed{make([]int32, m.Cols+1), make([]int32, m.NNZ()), make([]int32, m.NNZ())}
	for _, j := range m.ColIdx {
		t.ptr[j+1]++
	}
	for j := range m.Cols {
		t.ptr[j+1] += t.ptr[j]
	}
	next := slices.Clone(t.ptr[:m.Cols])
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			at := &next[m.ColIdx[k]]
			t.rows[*at], t.of[*at] = int32(i), k
			*at++
		}
	}
	return t
}

// mates returns for each nonzero (i, j) which one is (j, i), or nil if one has none. Rows i come in
// order, so that (j, i) is the first nonzero of row j that was not asked for.
func mates[V sparse.Float](m *sparse.CSR[V]) []int32 {
	next := slices.Clone(m.RowPtr[:m.Rows])
	of := make([]int32, m.NNZ())
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			j := m.ColIdx[k]
			mate := next[j]
			if mate == m.RowPtr[j+1] || m.ColIdx[mate] != int32(i) {
				return nil
			}
			of[k] = mate
			next[j]++
		}
	}
	return of
}
