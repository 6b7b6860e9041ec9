// SPDX-License-Identifier: Apache-2.0

// Package sparse holds sparse matrices and what can be said about them without
// multiplying: conversions between formats, validity, a content hash, and the
// features of their structure.
//
// Data flow one way. A reader or a generator makes a [CSR], and everything else starts from it: [CSR.COO] and
// SELL for kernels that want another format, [Convert] for another precision,
// [CSR.Hash] for the identity of a trial, [Analyze] for rules and reports. A CSR
// is not changed once it is built, so formats share its arrays.
//
// This package is opinionated. Indices are 32 bits wide, because that is what every kernel here
// uses and half the traffic of a product is indices; matrices that do not fit are refused
// rather than widened. Columns are sorted and distinct within a row. Explicit zeros are kept:
// they cost what other entries cost. Values may be infinite or NaN, because real files hold
// such values.
//
// Conversions take O(nonzeros + rows + columns) time, and results do not depend
// on the number of cores.
package sparse

import (
	"cmp"
	"embed"
	"fmt"
	"runtime"

	"example.org/spmvtune/internal/base/panics"
)

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

// workers is the number of cores that some work is shared out to: small work takes one.
func workers(steps int) int {
	if steps < 1e5 {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// Source has the files with the matrix and the formats that kernels prepare. They are part of
// the identity of a kernel's trials; tests of the kernels say which file is missing.
//
//go:embed bsr.go csr.go diagonals.go jagged.go narrow.go sell.go
var Source embed.FS

// Transpose returns the transpose of m. It is one stable bucket pass over the
// columns (Gustavson, "Two fast algorithms for sparse matrices", 1978), so its
// rows are sorted even where m's are not. That of a pattern, which has no Val, has none either.
func (m *CSR[V]) Transpose() *CSR[V] {
	t := &CSR[V]{
		Rows: m.Cols, Cols: m.Rows,
		RowPtr: make([]int32, m.Cols+2), // of row j, two places on: filling it moves it to the end of row j
		ColIdx: make([]int32, m.NNZ()),
		Val:    make([]V, len(m.Val)),
	}
	for _, j := range m.ColIdx {
		t.RowPtr[j+2]++
	}
	for j := range m.Cols {
		t.RowPtr[j+2] += t.RowPtr[j+1]
	}

	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			at := &t.RowPtr[m.ColIdx[k]+1]
			if t.ColIdx[*at] = int32(i); len(m.Val) > 0 {
				t.Val[*at] = m.Val[k]
			}
			*at++
		}
	}
	t.RowPtr = t.RowPtr[:m.Cols+1]
	return t
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

	failures := make([]error, workers(len(m.ColIdx)))
	panics.Parts(m.Rows, len(failures), func(part, lo, hi int) {
		failures[part] = m.validateRows(lo, hi)
	})
	return cmp.Or(failures...)
}

// validateRows checks the columns of rows [lo, hi).
func (m *CSR[V]) validateRows(lo, hi int) error {
	for i := lo; i < hi; i++ {
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
