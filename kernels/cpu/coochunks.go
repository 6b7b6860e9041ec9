package cpu

import (
	"math"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

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
