// SPDX-License-Identifier: Apache-2.0

// Package triplets makes matrices for tests of readers, by sorting.
package triplets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/spmvtune/sparse"
)

// CSR is the matrix whose entry k is val[k] at (row[k], col[k]); those at one place are added up in their order.
func CSR(rows, cols int, row, col []int32, val []float64) *sparse.CSR[float64] {
	order := make([]int, len(val))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(row[a], row[b]), cmp.Compare(col[a], col[b])) })
	m := &sparse.CSR[float64]{Rows: rows, Cols: cols, RowPtr: make([]int32, rows+1)}
	for n, k := range order {
		if n > 0 && row[k] == row[order[n-1]] && col[k] == col[order[n-1]] {
			m.Val[len(m.Val)-1] += val[k]
			continue
		}
		m.ColIdx, m.Val = append(m.ColIdx, col[k]), append(m.Val, val[k])
		m.RowPtr[row[k]+1]++
	}
	for i := range rows {
		m.RowPtr[i+1] += m.RowPtr[i]
	}
	return m
}

// Text lists the entries of a matrix by rows, as row,column=value, both counted from first.
func Text(m *sparse.CSR[float64], first int32) string {
	var list []string
	c := m.COO()
	for k, v := range c.Val {
		list = append(list, fmt.Sprintf("%d,%d=%g", c.Row[k]+first, c.Col[k]+first, v))
	}
	return strings.Join(list, " ")
}
