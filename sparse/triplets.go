package sparse

import "fmt"

// FromTriplets builds the rows×cols matrix whose entry k is val[k] at
// (row[k], col[k]), counted from 0, in any order. Entries at the same position
// are added up in the order given, so that the sum does not depend on anything
// else; the caller sees how many there were from the result's NNZ. The inputs
// are neither changed nor kept.
//
// It takes O(len(val) + rows + cols) time: one bucket pass over the rows where
// each row's columns come in order, as they do in files sorted by row or by
// column, and two more where they do not.
//
// The error says which size or entry is out of range.
func FromTriplets[V Float](rows, cols int, row, col []int32, val []V) (*CSR[V], error) {
	if err := checkSize(rows, cols, len(val)); err != nil {
		return nil, err
	}
	if len(row) != len(val) || len(col) != len(val) {
		return nil, fmt.Errorf("triplets of unequal length: %d rows, %d columns, %d values", len(row), len(col),
			len(val))
	}

	m := &CSR[V]{
		Rows: rows, Cols: cols,
		RowPtr: make([]int32, rows+1),
		ColIdx: make([]int32, len(val)),
		Val:    make([]V, len(val)),
	}

	for k, i := range row {
		if uint(i) >= uint(rows) || uint(col[k]) >= uint(cols) {
			return nil, fmt.Errorf("entry %d at (%d, %d) lies outside a %d×%d matrix", k, i, col[k], rows, cols)
		}
		m.RowPtr[i+1]++
	}

	next := startsOf(m.RowPtr)
	for k, i := range row {
		at := next[i]
		next[i]++
		m.ColIdx[at], m.Val[at] = col[k], val[k]
	}

	switch sorted, distinct := m.order(); {
	case !sorted:
		m = m.Transpose().Transpose()
		m.sumDuplicates()
	case !distinct:
		m.sumDuplicates()
	}

	return m, nil
}

// checkSize refuses what 32-bit indices can't hold.
func checkSize(rows, cols, entries int) error {
	if rows < 0 || cols < 0 {
		return fmt.Errorf("matrix of %d×%d: sizes can't be negative", rows, cols)
	}
	if rows > MaxIndex || cols > MaxIndex || entries > MaxIndex {
		return fmt.Errorf("matrix of %d×%d with %d entries: 32-bit indices hold at most %d", rows, cols, entries,
			MaxIndex)
	}
	return nil
}

// startsOf turns counts, where ptr[i+1] holds the size of bucket i, into offsets
// in place, and returns a copy of the starts for filling the buckets.
func startsOf(ptr []int32) []int32 {
	for i := 1; i < len(ptr); i++ {
		ptr[i] += ptr[i-1]
	}
	next := make([]int32, len(ptr)-1)
	copy(next, ptr)
	return next
}

// order reports whether the columns of every row are in order, and whether they
// are then distinct.
func (m *CSR[V]) order() (sorted, distinct bool) {
	distinct = true
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for k := 1; k < len(cols); k++ {
			if cols[k] < cols[k-1] {
				return false, false
			}
			distinct = distinct && cols[k] != cols[k-1]
		}
	}

	return true, distinct
}

// sumDuplicates merges entries at the same position in place. Columns are sorted.
func (m *CSR[V]) sumDuplicates() {
	out := int32(0)
	lo := m.RowPtr[0]
	for i := range m.Rows {
		hi := m.RowPtr[i+1]
		start := out
		for k := lo; k < hi; k++ {
			if out > start && m.ColIdx[out-1] == m.ColIdx[k] {
				m.Val[out-1] += m.Val[k]
				continue
			}
			m.ColIdx[out], m.Val[out] = m.ColIdx[k], m.Val[k]
			out++
		}

		m.RowPtr[i+1] = out
		lo = hi
	}
	m.ColIdx, m.Val = m.ColIdx[:out], m.Val[:out]
}
