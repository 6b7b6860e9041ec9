package cpu

import (
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A cooView is a product in COO form as the inner loops see it: entries sorted
// by row.
type cooView[V sparse.Float] struct {
	rows, nnz int
	row, cols span[int32]
	val, x, y span[V]
}

// rowIndices returns the row of each entry, and what finding them cost.
func rowIndices[V sparse.Float](b *Backend, o *operand[V]) ([]int32, time.Duration) {
	rows, cost, _ := build(b.formats, formatKey{format: kernels.COO, order: o.order}, func() ([]int32, int64, error) {
		rows := o.a.COO().Row
		return rows, 4 * int64(len(rows)), nil
	})
	return rows, cost
}

// viewCOO returns the product in COO form and what building the row indices
// cost; columns and values are those of CSR.
func viewCOO[V sparse.Float](b *Backend, o *operand[V]) (cooView[V], time.Duration) {
	rows, cost := rowIndices(b, o)
	return cooView[V]{
		rows: o.a.Rows, nnz: o.a.NNZ(),
		row: spanOf(rows), cols: spanOf(o.a.ColIdx),
		val: spanOf(o.a.Val), x: spanOf(o.x), y: spanOf(o.y),
	}, cost
}

// cooBytes is the size of the three arrays of COO.
func cooBytes[V sparse.Float](a *sparse.CSR[V]) int64 {
	return int64(a.NNZ()) * (4 + 4 + sizeOf[V]())
}

// planCOO is cpu_coo.
func planCOO[V sparse.Float](b *Backend, o *operand[V]) plan {
	m, cost := viewCOO(b, o)
	y := o.y
	return plan{
		run: func() {
			clear(y)
			m.all()
		},
		cost:   cost,
		format: cooBytes(o.a),
	}
}

// all adds every product to y in order, coo-spmv-final Alg. 1.
func (m cooView[V]) all() {
	row, cols, val, x, y := m.row, m.cols, m.val, m.x, m.y
	for k := 0; k < m.nnz; k++ {
		i := col(row, k)
		y.set(i, y.at(i)+val.at(k)*x.at(col(cols, k)))
	}
}
