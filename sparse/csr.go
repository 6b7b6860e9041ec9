package sparse

import "fmt"

// Float is the type of a matrix's values.
type Float interface{ float32 | float64 }

// MaxIndex is the largest dimension and the largest number of nonzeros that
// the 32-bit indices of this package can hold.
const MaxIndex = 1<<31 - 1

// A CSR is a matrix in compressed sparse row form. Row i holds the entries
// k in [RowPtr[i], RowPtr[i+1]), at columns ColIdx[k], strictly increasing
// within a row, with values Val[k]. Explicit zeros are entries like any other.
type CSR[V Float] struct {
	Rows, Cols int
	RowPtr     []int32 // Rows+1 offsets
	ColIdx     []int32 // NNZ columns, from 0
	Val        []V     // NNZ values
}

// NNZ returns the number of stored entries.
func (m *CSR[V]) NNZ() int { return len(m.ColIdx) }

// Row returns the columns and values of row i.
func (m *CSR[V]) Row(i int) ([]int32, []V) {
	lo, hi := m.RowPtr[i], m.RowPtr[i+1]
	return m.ColIdx[lo:hi], m.Val[lo:hi]
}

// String gives the size of m, as in "1000×1000, 4996 nonzeros".
func (m *CSR[V]) String() string {
	return fmt.Sprintf("%d×%d, %d nonzeros", m.Rows, m.Cols, m.NNZ())
}
