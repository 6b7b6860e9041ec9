package reorder

import (
	"runtime"

	"spmvtune/internal/base/panics"
	"spmvtune/sparse"
)

// Apply returns m in the order o.
func Apply[V sparse.Float](m *sparse.CSR[V], o Order) *sparse.CSR[V] {
	out, from := Structure(m, o)
	out.Val = make([]V, m.NNZ())
	eachPart(m.NNZ(), func(lo, hi int) {
		val := out.Val[lo:hi]
		for k, i := range from[lo:hi] {
			val[k] = m.Val[i]
		}
	})
	return out
}

// Structure returns m in the order o, but for the values, which are those of m as they are, and for each
// of its nonzeros which one of m it is.
func Structure[V sparse.Float](m *sparse.CSR[V], o Order) (*sparse.CSR[V], []int32) {
	out := &sparse.CSR[V]{
		Rows: m.Rows, Cols: m.Cols,
		RowPtr: make([]int32, m.Rows+1),
		ColIdx: make([]int32, m.NNZ()),
		Val:    m.Val,
	}
	for i, row := range o.Rows {
		out.RowPtr[i+1] = out.RowPtr[i] + m.RowPtr[row+1] - m.RowPtr[row]
	}
	from := make([]int32, m.NNZ())
	if o.Cols != nil {
		t := o.columns
		if t == nil {
			t = transpose(m)
		}
		moveColumns(out, from, o, t)
		return out, from
	}
	eachPart(m.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at, first, end := out.RowPtr[i], m.RowPtr[o.Rows[i]], m.RowPtr[o.Rows[i]+1]
			copy(out.ColIdx[at:], m.ColIdx[first:end])
			own := from[at : at+end-first]
			for k := range own {
				own[k] = first + int32(k)
			}
		}
	})
	return out, from
}

// eachPart calls f for parts of [0, n) on all cores, and waits for all of them.
func eachPart(n int, f func(lo, hi int)) {
	var wg panics.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		wg.Go(func() { f(n*part/parts, n*(part+1)/parts) })
	}
	wg.Wait()
}

// moveColumns makes the columns of out, and which nonzeros of the matrix they are. Columns come in
// their new order, so that those of each row do.
func moveColumns[V sparse.Float](out *sparse.CSR[V], from []int32, o Order, t *transposed) {
	next := make([]int32, out.Rows) // by the old number of the row
	for i, row := range o.Rows {
		next[row] = out.RowPtr[i]
	}
	for j, column := range o.Cols {
		lo, hi := t.ptr[column], t.ptr[column+1]
		of := t.of[lo:hi]
		for k, row := range t.rows[lo:hi] {
			at := next[row]
			out.ColIdx[at], from[at] = int32(j), of[k]
			next[row] = at + 1
		}
	}
}
