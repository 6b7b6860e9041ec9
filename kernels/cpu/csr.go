// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"math"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
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

// A carry is a worker's partial sum of a row that a later worker completes. It fills a cache
// line, so that workers do not share one.
type carry[V sparse.Float] struct {
	row int // the number of rows if there is none
	sum V
	_   [48]byte
}

// planMerge is cpu_csr_merge: Merrill and Garland, SC16, Sec. III. The merge
// path runs from (row 0, entry 0) to (rows, nnz); a step down ends a row, a step
// right takes an entry, and each worker has an equal number of steps.
func planMerge[V sparse.Float](b *Backend, o *operand[V], c kernels.Config) plan {
	m := viewCSR(o)
	steps := m.rows + m.nnz
	carries := make([]carry[V], c.Grid)
	work := func(w int) {
		row, k := m.pathAt(splitAt(steps, w, c.Grid))
		endRow, end := m.pathAt(splitAt(steps, w+1, c.Grid))
		if row < endRow { // the first row may have begun with an earlier worker
			m.y.set(row, m.dot(k, int(m.ptr.at(row+1))))
			m.rowsOf(row+1, endRow)
			k = int(m.ptr.at(endRow))
		}
		carries[w].row, carries[w].sum = endRow, m.dot(k, end)
	}

	return plan{
		run: func() {
			b.pool.run(c.Grid, work)
			for _, c := range carries {
				if c.row < m.rows {
					m.y.set(c.row, m.y.at(c.row)+c.sum)
				}
			}
		},
		poison: func() { fill(carries, carry[V]{sum: V(math.NaN())}) },
		format: csrBytes(o.a),
		own:    int64(c.Grid) * (8 + sizeOf[V]()),
	}
}

// splitAt is where part i of n equal parts of steps begins.
func splitAt(steps, i, n int) int { return int(int64(steps) * int64(i) / int64(n)) }

// pathAt returns the point of the merge path after the given number of steps:
// how many rows have ended and how many entries are taken. Row i ends before
// entry k is taken if ptr[i+1] ≤ k.
func (m csrView[V]) pathAt(step int) (row, entry int) {
	lo, hi := max(0, step-m.nnz), min(step, m.rows)
	for lo < hi {
		mid := (lo + hi) / 2
		if int(m.ptr.at(mid+1)) <= step-mid-1 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}

	return lo, step - lo
}

// dot sums the products of entries [k, end), as rowsOf does.
func (m csrView[V]) dot(k, end int) V {
	cols, val, x := m.cols, m.val, m.x
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
	return (s0 + s1) + (s2 + s3)
}
