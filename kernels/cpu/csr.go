package cpu

import (
	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A csrView is a product in CSR form as the inner loops see it.
type csrView[V sparse.Float] struct {
	rows, nnz int
	ptr, cols span[int32]
	val, x, y span[V]
}

func viewCSR[V sparse.Float](o *operand[V]) csrView[V] {
	return csrView[V]{
		rows: o.a.Rows, nnz: o.a.NNZ(),
		ptr: spanOf(o.a.RowPtr), cols: spanOf(o.a.ColIdx),
		val: spanOf(o.a.Val), x: spanOf(o.x), y: spanOf(o.y),
	}
}

// rowsOf computes y in rows [lo, hi), coo-spmv-final Alg. 2. Four sums per row,
// because one would wait for the latency of every addition.
func (m csrView[V]) rowsOf(lo, hi int) {
	if lo >= hi {
		return
	}
	cols, val, x := m.cols, m.val, m.x
	k := int(m.ptr.at(lo))

	for i := lo; i < hi; i++ {
		end := int(m.ptr.at(i + 1))
		var s0, s1, s2, s3 V
		for ; k+4 <= end; k += 4 {
			s0 += val.at(k) * x.at(col(cols, k))
			s1 += val.at(k+1) * x.at(col(cols, k+1))
			s2 += val.at(k+2) * x.at(col(cols, k+2))
			s3 += val.at(k+3) * x.at(col(cols, k+3))
		}

		for ; k < end; k++ {
			s0 += val.at(k) * x.at(col(cols, k))
		}
		m.y.set(i, (s0+s1)+(s2+s3))
	}
}

// csrBytes is the size of the three arrays of CSR.
func csrBytes[V sparse.Float](a *sparse.CSR[V]) int64 {
	return 4*int64(a.Rows+1) + int64(a.NNZ())*(4+sizeOf[V]())
}

// planCSR is cpu_csr.
func planCSR[V sparse.Float](o *operand[V]) plan {
	m := viewCSR(o)
	return plan{
		run:    func() { m.rowsOf(0, m.rows) },
		format: csrBytes(o.a),
	}
}

// planCSRRows is cpu_csr_rows.
func planCSRRows[V sparse.Float](b *Backend, o *operand[V], c kernels.Config) plan {
	m := viewCSR(o)
	share := newShare(ceilDiv(m.rows, c.Block))
	work := func(int) {
		for i, ok := share.take(); ok; i, ok = share.take() {
			m.rowsOf(i*c.Block, min((i+1)*c.Block, m.rows))
		}
	}

	return plan{
		run: func() {
			share.reset()
			b.pool.run(c.Grid, work)
		},
		format: csrBytes(o.a),
		facts:  map[string]float64{"chunks": float64(share.chunks)},
	}
}
