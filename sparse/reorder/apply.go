package reorder

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"spmvtune/sparse"
)

// Apply returns m in the order o, and for each of its nonzeros which one of m it is.
func Apply[V sparse.Float](m *sparse.CSR[V], o Order) (*sparse.CSR[V], []int32) {
	out := &sparse.CSR[V]{
		Rows: m.Rows, Cols: m.Cols,
		RowPtr: make([]int32, m.Rows+1),
		ColIdx: make([]int32, m.NNZ()),
		Val:    make([]V, m.NNZ()),
	}
	for i, row := range o.Rows {
		out.RowPtr[i+1] = out.RowPtr[i] + m.RowPtr[row+1] - m.RowPtr[row]
	}

	from := make([]int32, m.NNZ())
	if o.Cols != nil {
		moveColumns(out, from, o)
	}
	var g errgroup.Group
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		lo, hi := m.Rows*part/parts, m.Rows*(part+1)/parts
		g.Go(func() error {
			if o.Cols == nil {
				for i, row := range o.Rows[lo:hi] {
					moveRow(m, out, from, lo+i, row)
				}
				return nil
			}
			for k := out.RowPtr[lo]; k < out.RowPtr[hi]; k++ {
				out.Val[k] = m.Val[from[k]]
			}
			return nil
		})
	}
	g.Wait()
	return out, from
}

// moveRow makes row i of out, which is a row of m.
func moveRow[V sparse.Float](m, out *sparse.CSR[V], from []int32, i int, row int32) {
	at, lo, hi := out.RowPtr[i], m.RowPtr[row], m.RowPtr[row+1]
	copy(out.ColIdx[at:], m.ColIdx[lo:hi])
	copy(out.Val[at:], m.Val[lo:hi])
	for k := range hi - lo {
		from[at+k] = lo + k
	}
}

// moveColumns makes the columns of out, and which nonzeros of the matrix they are. Columns come in
// their new order, so that those of each row do.
func moveColumns[V sparse.Float](out *sparse.CSR[V], from []int32, o Order) {
	next := make([]int32, out.Rows) // by the old number of the row
	for i, row := range o.Rows {
		next[row] = out.RowPtr[i]
	}
	t := o.columns
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
