package generate

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"spmvtune/sparse"
)

// mirror makes the symmetric matrix whose rows have the columns given left of the diagonal, and
// diagonal entries in those that on tells. It needs 8 bytes a row in addition to its input and
// the matrix.
func mirror(ctx context.Context, start, columns []int32, on func(i int) bool) (*sparse.CSR[float64], error) {
	n := len(start) - 1
	above, err := countAbove(ctx, start, columns)
	if err != nil {
		return nil, err
	}

	m := &sparse.CSR[float64]{Rows: n, Cols: n, RowPtr: make([]int32, n+1)}
	for i := range n {
		length := start[i+1] - start[i] + above[i]
		if on(i) {
			length++
		}
		m.RowPtr[i+1] = m.RowPtr[i] + length
		above[i] = m.RowPtr[i+1] - above[i] // from here on where the next goes
	}

	m.ColIdx = make([]int32, m.RowPtr[n])
	err = parallel(ctx, n, func(lo, hi int) {
		var first []int32
		for i := lo; i < hi; i++ {
			row := columns[start[i]:start[i+1]]
			at := m.RowPtr[i] + int32(copy(m.ColIdx[m.RowPtr[i]:], row))
			if on(i) {
				m.ColIdx[at] = int32(i)
			}

			for _, j := range row {
				if j == 0 {
					first = append(first, int32(i))
				} else {
					m.ColIdx[atomic.AddInt32(&above[j], 1)-1] = int32(i)
				}
			}
		}

		if len(first) > 0 {
			copy(m.ColIdx[int(atomic.AddInt32(&above[0], int32(len(first))))-len(first):], first)
		}
	})
	if err != nil {
		return nil, err
	}

	err = parallel(ctx, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			below := m.RowPtr[i] + start[i+1] - start[i]
			sortRow(m.ColIdx[below:m.RowPtr[i+1]], n)
		}
	})
	return m, err
}

// countAbove counts the entries above the diagonal, by row. Counting and scattering them in
// any order is allowed, because rows are sorted later. The first row, where a hub is, is
// counted piece by piece.
func countAbove(ctx context.Context, start, columns []int32) ([]int32, error) {
	above := make([]int32, len(start)-1)
	err := parallel(ctx, len(above), func(lo, hi int) {
		first := int32(0)
		for _, j := range columns[start[lo]:start[hi]] {
			if j == 0 {
				first++
			} else {
				atomic.AddInt32(&above[j], 1)
			}
		}
		if first > 0 {
			atomic.AddInt32(&above[0], first)
		}
	})
	return above, err
}

// sortRow sorts distinct columns, below n; very many of them by a bit for each column.
func sortRow(row []int32, n int) {
	if len(row) < 1<<16 || len(row) < n/64 {
		slices.Sort(row)
		return
	}
	there := make([]uint64, n/64+1)
	for _, j := range row {
		there[j>>6] |= 1 << (j & 63)
	}

	k := 0
	for w, word := range there {
		for ; word != 0; word &= word - 1 {
			row[k] = int32(w<<6 | bits.TrailingZeros64(word))
			k++
		}
	}
}
