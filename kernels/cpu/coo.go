// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"math"
	"time"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
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

// noRow marks a chunk that begins a new row.
const noRow = -1

// planCOOChunks is cpu_coo_chunks. A row belongs to the chunk that holds its
// first entry; a chunk whose first entries continue an earlier chunk's row
// leaves their sum aside, and these are added once all chunks are done, so that
// no two workers write the same element of y.
func planCOOChunks[V sparse.Float](b *Backend, o *operand[V], c kernels.Config) plan {
	m, cost := viewCOO(b, o)
	start := time.Now()
	share := newShare(ceilDiv(m.nnz, c.Block))
	rows, sums := make([]int32, share.chunks), make([]V, share.chunks)
	cost += time.Since(start)

	work := func(int) {
		for i, ok := share.take(); ok; i, ok = share.take() {
			rows[i], sums[i] = m.chunk(i*c.Block, min((i+1)*c.Block, m.nnz))
		}
	}
	y := o.y
	return plan{
		run: func() {
			if m.nnz == 0 {
				clear(y)
				return
			}
			share.reset()
			b.pool.run(c.Grid, work)

			for i, row := range rows {
				if row != noRow {
					y[row] += sums[i]
				}
			}
		},
		poison: func() {
			clear(rows)
			fill(sums, V(math.NaN()))
		},
		cost:   cost,
		format: cooBytes(o.a),
		own:    int64(share.chunks) * (4 + sizeOf[V]()),
		facts:  map[string]float64{"chunks": float64(share.chunks)},
	}
}

// chunk writes the rows that begin in entries [lo, hi), and zeros to the empty
// rows before each of them. What continues the row of entry lo−1 it returns
// with that row, which is noRow if nothing does.
func (m cooView[V]) chunk(lo, hi int) (int32, V) {
	row, cols, val, x, y := m.row, m.cols, m.val, m.x, m.y
	last := -1
	if lo > 0 {
		last = col(row, lo-1)
	}

	k, carryRow, carrySum := lo, int32(noRow), V(0)
	if col(row, k) == last {
		for ; k < hi && col(row, k) == last; k++ {
			carrySum += val.at(k) * x.at(col(cols, k))
		}
		carryRow = int32(last)
	}

	for k < hi {
		i := col(row, k)
		m.zero(last+1, i)
		sum := val.at(k) * x.at(col(cols, k))
		for k++; k < hi && col(row, k) == i; k++ {
			sum += val.at(k) * x.at(col(cols, k))
		}

		y.set(i, sum)
		last = i
	}

	if hi == m.nnz {
		m.zero(last+1, m.rows)
	}
	return carryRow, carrySum
}

func (m cooView[V]) zero(lo, hi int) {
	for i := lo; i < hi; i++ {
		m.y.set(i, 0)
	}
}
