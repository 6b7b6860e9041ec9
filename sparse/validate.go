package sparse

import "fmt"

// Validate checks everything that a CSR promises: sizes in range, row offsets
// that start at 0, never fall and end at the number of entries, columns within
// the matrix and strictly increasing in each row. Values are free. The error
// names the first row, counted from 0, that breaks a promise.
func (m *CSR[V]) Validate() error {
	if err := checkSize(m.Rows, m.Cols, len(m.ColIdx)); err != nil {
		return err
	}
	if len(m.RowPtr) != m.Rows+1 {
		return fmt.Errorf("%d row offsets for %d rows: there must be one more than rows", len(m.RowPtr), m.Rows)
	}

	if len(m.ColIdx) != len(m.Val) {
		return fmt.Errorf("%d columns but %d values", len(m.ColIdx), len(m.Val))
	}
	if m.RowPtr[0] != 0 {
		return fmt.Errorf("row offsets start at %d, not 0", m.RowPtr[0])
	}

	if last := m.RowPtr[m.Rows]; int(last) != len(m.ColIdx) {
		return fmt.Errorf("row offsets end at %d, but there are %d entries", last, len(m.ColIdx))
	}
	for i := range m.Rows {
		if m.RowPtr[i] > m.RowPtr[i+1] {
			return fmt.Errorf("row %d ends at offset %d before it starts at %d", i, m.RowPtr[i+1], m.RowPtr[i])
		}
	}

	for i := range m.Rows {
		last := int32(-1)
		for _, j := range m.ColIdx[m.RowPtr[i]:m.RowPtr[i+1]] {
			if int(j) < 0 || int(j) >= m.Cols {
				return fmt.Errorf("row %d has column %d, outside [0, %d)", i, j, m.Cols)
			}
			if j <= last {
				return fmt.Errorf("row %d has column %d after %d: columns must increase", i, j, last)
			}
			last = j
		}
	}

	return nil
}
