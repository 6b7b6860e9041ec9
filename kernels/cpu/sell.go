// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// SELL may store maxPadding entries per nonzero, and freePadding on top, before
// a configuration is refused: beyond that a product mostly reads padding, and
// one long row could take all memory.
const (
	maxPadding  = 8
	freePadding = 1 << 20
)

// planSELL is cpu_sell.
func planSELL[V sparse.Float](b *Backend, o *operand[V], k kernels.Kernel, c kernels.Config) (plan, error) {
	s, cost, err := sellFormat(b, o, k, c)
	if err != nil {
		return plan{}, err
	}

	m := sellView[V]{
		rows: s.Rows, c: s.C,
		chunk: spanOf(s.ChunkPtr), perm: spanOf(s.Perm),
		cols: spanOf(s.ColIdx), val: spanOf(s.Val),
		x: spanOf(o.x), y: spanOf(o.y),
	}
	chunks := s.Chunks()

	perTake := chunksPerTake(chunks, s.C, c.Grid)
	share := newShare(ceilDiv(chunks, perTake))
	stride := 0 // of the workers' sums; far enough that they write to different lines
	if s.C >= tallChunk {
		stride = s.C + cacheLine
	}

	sums := make([]V, c.Grid*stride)
	work := func(w int) {
		own := spanOf(sums[w*stride:])
		for i, ok := share.take(); ok; i, ok = share.take() {
			for h := i * perTake; h < min((i+1)*perTake, chunks); h++ {
				if stride > 0 {
					m.tall(h, own)
				} else {
					m.short(h)
				}
			}
		}
	}

	return plan{
		poison: func() { fill(sums, V(math.NaN())) },
		run: func() {
			share.reset()
			b.pool.run(c.Grid, work)
		},
		cost:   cost,
		format: sellBytes(s),
		own:    int64(len(sums)) * sizeOf[V](),
		facts: map[string]float64{
			"chunks":  float64(chunks),
			"padding": s.Padding(),
		},
	}, nil
}

// sellFormat returns the matrix in the form that c asks for, and what building it cost.
func sellFormat[V sparse.Float](b *Backend, o *operand[V], k kernels.Kernel, c kernels.Config) (
	*sparse.SELL[V], time.Duration, error,
) {
	sigma, err := strconv.Atoi(k.Setting(c.Params, "sigma"))
	if err != nil {
		return nil, 0, fmt.Errorf("reading sigma: %w", err)
	}
	if sigma > 1 { // a window holds whole chunks
		sigma = ceilDiv(sigma, c.Block) * c.Block
	}

	most := maxPadding*o.a.NNZ() + freePadding
	if b.device.Memory > 0 {
		most = min(most, int(b.device.Memory/2/(4+sizeOf[V]())))
	}
	key := formatKey{format: kernels.SELL, precision: c.Precision, order: o.order, c: c.Block, sigma: sigma}
	s, cost, err := build(b.formats, key, func() (*sparse.SELL[V], int64, error) {
		s, err := sparse.NewSELL(o.a, c.Block, sigma, most)
		if err != nil {
			return nil, 0, err
		}
		return s, sellBytes(s), nil
	})
	if err != nil { // block and sigma are legal, so it is the padding
		return nil, 0, &kernels.InvalidError{Reason: fmt.Sprintf("%v; a larger sigma or a smaller block pads less",
			err)}
	}
	return s, cost, nil
}

// chunksPerTake is how many chunks a worker takes at a time. C is chosen for the
// layout, and one chunk can be too little work to pay for the shared counter: a
// take is some 65,536 rows, less where that would leave a worker fewer than 16.
func chunksPerTake(chunks, c, workers int) int {
	return max(1, min(65536/c, chunks/(16*workers)))
}

// sellBytes is the size of the four arrays of SELL-C-sigma, padding included.
func sellBytes[V sparse.Float](s *sparse.SELL[V]) int64 {
	return 8*int64(len(s.ChunkPtr)) + 4*int64(len(s.Perm)) + int64(len(s.Val))*(4+sizeOf[V]())
}

// A sellView is a product in SELL-C-sigma form as the inner loops see it.
type sellView[V sparse.Float] struct {
	rows, c int
	chunk   span[int] // offset of each chunk's first entry
	perm    span[int32]
	cols    span[int32]
	val     span[V]
	x, y    span[V]
}

// tallChunk is the C from which a chunk is taken column by column. Below it, a
// column is at most a cache line or two of values, and four rows at a time in
// registers read it without gaps; above it, that would jump from line to line,
// which took twice the time of streaming at C = 64 and more on a 5-point grid.
const tallChunk = 16

// short computes the rows of chunk i four at a time: entries of neighbouring
// lanes lie side by side, and their sums do not wait for each other.
func (m sellView[V]) short(i int) {
	cols, val, x, c := m.cols, m.val, m.x, m.c
	lo, hi := m.chunk.at(i), m.chunk.at(i+1)
	lanes := min(c, m.rows-i*c)
	r := 0

	for ; r+4 <= lanes; r += 4 {
		var s0, s1, s2, s3 V
		for k := lo + r; k < hi; k += c {
			s0 += val.at(k) * x.at(col(cols, k))
			s1 += val.at(k+1) * x.at(col(cols, k+1))
			s2 += val.at(k+2) * x.at(col(cols, k+2))
			s3 += val.at(k+3) * x.at(col(cols, k+3))
		}

		m.y.set(col(m.perm, i*c+r), s0)
		m.y.set(col(m.perm, i*c+r+1), s1)
		m.y.set(col(m.perm, i*c+r+2), s2)
		m.y.set(col(m.perm, i*c+r+3), s3)
	}

	for ; r < lanes; r++ {
		var sum V
		for k := lo + r; k < hi; k += c {
			sum += val.at(k) * x.at(col(cols, k))
		}
		m.y.set(col(m.perm, i*c+r), sum)
	}
}

// tall computes the rows of chunk i column by column, with one sum per lane in
// sums, which has at least C elements.
func (m sellView[V]) tall(i int, sums span[V]) {
	cols, val, x, c := m.cols, m.val, m.x, m.c
	lo, hi := m.chunk.at(i), m.chunk.at(i+1)
	lanes := min(c, m.rows-i*c)
	for r := 0; r < lanes; r++ {
		sums.set(r, 0)
	}

	for k := lo; k < hi; k += c {
		for r := 0; r < lanes; r++ {
			sums.set(r, sums.at(r)+val.at(k+r)*x.at(col(cols, k+r)))
		}
	}

	for r := 0; r < lanes; r++ {
		m.y.set(col(m.perm, i*c+r), sums.at(r))
	}
}
