package reorder

import (
	"cmp"
	"runtime"
	"slices"

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
	var column []int32 // where a column went
	if o.Cols != nil {
		column = Inverse(o.Cols)
	}

	from := make([]int32, m.NNZ())
	var g errgroup.Group
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		lo, hi := m.Rows*part/parts, m.Rows*(part+1)/parts
		g.Go(func() error {
			for i := lo; i < hi; i++ {
				moveRow(m, out, from, column, i, o.Rows[i])
			}
			return nil
		})
	}
	g.Wait()
	return out, from
}

// moveRow makes row i of out, which is a row of m.
func moveRow[V sparse.Float](m, out *sparse.CSR[V], from, column []int32, i int, row int32) {
	at, n := out.RowPtr[i], m.RowPtr[row+1]-m.RowPtr[row]
	order := from[at : at+n]
	for k := range order {
		order[k] = m.RowPtr[row] + int32(k)
	}
	moved := func(k int32) int32 { return m.ColIdx[k] }
	if column != nil {
		moved = func(k int32) int32 { return column[m.ColIdx[k]] }
		slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(moved(a), moved(b)) })
	}
	for k, source := range order {
		out.ColIdx[at+int32(k)], out.Val[at+int32(k)] = moved(source), m.Val[source]
	}
}
