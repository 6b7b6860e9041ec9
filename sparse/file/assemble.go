// SPDX-License-Identifier: Apache-2.0

package file

import (
	"slices"

	"example.org/spmvtune/sparse"
)

// assemble makes the matrix of the chunks, which have so many entries, one band of rows at a time on each core. There are
// at most [sparse.MaxIndex]; the missing ones were added to others.
func assemble(l *layout, chunks []*chunk, entries int) *sparse.CSR[float64] {
	a := &assembly{
		layout: l, chunks: chunks, starts: make([]int32, l.bands+1), ends: make([]int32, l.bands),
		m: &sparse.CSR[float64]{
			Rows: l.Rows, Cols: l.Cols,
			RowPtr: make([]int32, l.Rows+1),
			ColIdx: make([]int32, entries),
			Val:    make([]float64, entries),
		},
	}

	for band := range l.bands {
		a.starts[band+1] = a.starts[band]
		for _, c := range chunks {
			a.starts[band+1] += c.starts[band+1] - c.starts[band]
		}
	}

	eachOf(l.bands, func() func(band int) {
		next := make([]int32, min(1<<l.shift, l.Rows))
		var rows sorter
		return func(band int) { a.band(band, next, &rows) }
	})
	a.closeGaps()
	return a.m
}

// An assembly is a matrix whose bands are sorted each in its place. A band with
// duplicates ends before the next one starts.
type assembly struct {
	*layout
	chunks []*chunk
	m      *sparse.CSR[float64]
	starts []int32 // of each band, before duplicates are added up; and the end
	ends   []int32 // of each band, after
}

// band fills the rows of a band from all chunks, sorts them, and adds up
// duplicates. next has room for a number to each row of a band.
func (a *assembly) band(band int, next []int32, rows *sorter) {
	lo, hi := a.rows(band)
	ends := a.m.RowPtr[lo+1 : hi+1] // counts at first
	for _, c := range a.chunks {
		for _, i := range c.row[c.starts[band]:c.starts[band+1]] {
			ends[i]++
		}
	}

	end := a.starts[band]
	for i, n := range ends {
		next[i] = end
		end += n
		ends[i] = end
	}

	cols, vals := a.m.ColIdx, a.m.Val
	for _, c := range a.chunks {
		from, to := c.starts[band], c.starts[band+1]
		col := c.col[from:to]
		if c.val == nil {
			for k, i := range c.row[from:to] {
				cols[next[i]] = col[k]
				next[i]++
			}
			continue
		}

		val := c.val[from:to]
		for k, i := range c.row[from:to] {
			at := next[i]
			next[i]++
			cols[at], vals[at] = col[k], val[k]
		}
	}

	if a.Pattern {
		for k := a.starts[band]; k < end; k++ {
			vals[k] = 1
		}
	}

	distinct := true
	start := a.starts[band]
	for _, end := range ends {
		if a.Pattern {
			distinct = sortColumns(cols[start:end]) && distinct
		} else {
			distinct = rows.sortRow(cols[start:end], vals[start:end]) && distinct
		}
		start = end
	}

	a.ends[band] = end
	if !distinct {
		a.ends[band] = a.addUp(a.starts[band], ends)
	}
}

// addUp merges entries of the same row and column, in the order of the file, and
// returns where the last row, which started from position start, now ends.
func (a *assembly) addUp(start int32, ends []int32) int32 {
	cols, vals := a.m.ColIdx, a.m.Val
	out, from := start, start
	for i, end := range ends {
		first := out
		for k := from; k < end; k++ {
			if out > first && cols[out-1] == cols[k] {
				vals[out-1] += vals[k]
				continue
			}
			cols[out], vals[out] = cols[k], vals[k]
			out++
		}

		from = end
		ends[i] = out
	}

	return out
}

// closeGaps moves bands down to where the one before them ends.
func (a *assembly) closeGaps() {
	m, end := a.m, int32(0)
	for band, from := range a.starts[:a.bands] {
		size := a.ends[band] - from
		if gap := from - end; gap > 0 {
			copy(m.ColIdx[end:], m.ColIdx[from:from+size])
			copy(m.Val[end:], m.Val[from:from+size])
			lo, hi := a.rows(band)
			for i := range m.RowPtr[lo+1 : hi+1] {
				m.RowPtr[lo+1+i] -= gap
			}
		}
		end += size
	}
	m.ColIdx, m.Val = m.ColIdx[:end], m.Val[:end]
}

// shortRow is the most entries for which shifting them into place is fastest.
const shortRow = 32

// A sorter sorts rows. What it allocates for long ones serves the next.
type sorter struct {
	keys []uint64
	vals []float64
}

// sortRow sorts the entries of a row by column. Entries of the same column stay
// in the order of the file. It reports whether there are none.
func (s *sorter) sortRow(cols []int32, vals []float64) (distinct bool) {
	vals = vals[:len(cols)]
	sorted, distinct := order(cols)
	if sorted {
		return distinct
	}

	if len(cols) > shortRow {
		return s.sortLongRow(cols, vals)
	}
	distinct = true

	for k := 1; k < len(cols); k++ {
		c, v, at := cols[k], vals[k], k
		for ; at > 0 && cols[at-1] > c; at-- {
			cols[at], vals[at] = cols[at-1], vals[at-1]
		}
		if at > 0 && cols[at-1] == c {
			distinct = false
		}
		cols[at], vals[at] = c, v
	}

	return distinct
}

// sortLongRow sorts the columns with their positions, and copies the values.
func (s *sorter) sortLongRow(cols []int32, vals []float64) (distinct bool) {
	s.keys = slices.Grow(s.keys[:0], len(cols))
	for k, c := range cols {
		s.keys = append(s.keys, uint64(c)<<32|uint64(k))
	}
	slices.Sort(s.keys)
	s.vals = append(slices.Grow(s.vals[:0], len(vals)), vals...)
	for k, key := range s.keys {
		cols[k], vals[k] = int32(key>>32), s.vals[uint32(key)]
	}

	_, distinct = order(cols)
	return distinct
}

// sortColumns sorts the columns of a row of a pattern, whose values are all one,
// and reports whether none occurs twice.
func sortColumns(cols []int32) (distinct bool) {
	sorted, distinct := order(cols)
	if !sorted {
		slices.Sort(cols)
		_, distinct = order(cols)
	}
	return distinct
}

// order reports whether columns are in order, and whether they are then distinct.
func order(cols []int32) (sorted, distinct bool) {
	distinct = true
	for k := 1; k < len(cols); k++ {
		if cols[k] <= cols[k-1] {
			if cols[k] < cols[k-1] {
				return false, false
			}
			distinct = false
		}
	}

	return true, distinct
}
