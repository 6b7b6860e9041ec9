package sparse

// A COO is a matrix in coordinate form: entry k is Val[k] at (Row[k], Col[k]).
// Entries are sorted by row, then column, and no position occurs twice.
type COO[V Float] struct {
	Rows, Cols int
	Row, Col   []int32 // from 0
	Val        []V
}

// NNZ returns the number of stored entries.
func (m *COO[V]) NNZ() int { return len(m.Row) }

// COO gives m in coordinate form. Only the row indices are new: columns and
// values are m's own arrays.
func (m *CSR[V]) COO() *COO[V] {
	row := make([]int32, m.NNZ())
	for i := range m.Rows {
		part := row[m.RowPtr[i]:m.RowPtr[i+1]]
		for k := range part {
			part[k] = int32(i)
		}
	}
	return &COO[V]{Rows: m.Rows, Cols: m.Cols, Row: row, Col: m.ColIdx, Val: m.Val}
}
