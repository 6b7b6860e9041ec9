package sparse

// Transpose returns the transpose of m. It is one stable bucket pass over the
// columns (Gustavson, "Two fast algorithms for sparse matrices", 1978), so its
// rows are sorted even where m's are not.
func (m *CSR[V]) Transpose() *CSR[V] {
	t := &CSR[V]{
		Rows: m.Cols, Cols: m.Rows,
		RowPtr: make([]int32, m.Cols+1),
		ColIdx: make([]int32, m.NNZ()),
		Val:    make([]V, m.NNZ()),
	}
	for _, j := range m.ColIdx {
		t.RowPtr[j+1]++
	}

	next := startsOf(t.RowPtr)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			at := next[j]
			next[j]++
			t.ColIdx[at], t.Val[at] = int32(i), vals[k]
		}
	}

	return t
}
