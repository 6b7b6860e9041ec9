package cpu

import (
	"fmt"
	"strconv"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// SELL may store maxPadding entries per nonzero, and freePadding on top, before
// a configuration is refused: beyond that a product mostly reads padding, and
// one long row could take all memory.
const (
	maxPadding  = 8
	freePadding = 1 << 20
)

// A sellView is a product in SELL-C-sigma form as the inner loops see it.
type sellView[V sparse.Float] struct {
	rows, c int
	chunk   span[int] // offset of each chunk's first entry
	perm    span[int32]
	cols    span[int32]
	val     span[V]
	x, y    span[V]
}

// planSELL is cpu_sell.
func planSELL[V sparse.Float](b *Backend, o *operand[V], k kernels.Kernel, c kernels.Config) (plan, error) {
	sigma, err := strconv.Atoi(k.Setting(c.Params, "sigma"))
	if err != nil {
		return plan{}, fmt.Errorf("reading sigma: %w", err)
	}
	if sigma > 1 { // a window holds whole chunks
		sigma = ceilDiv(sigma, c.Block) * c.Block
	}
	most := maxPadding*o.a.NNZ() + freePadding
	if b.device.Memory > 0 {
		most = min(most, int(b.device.Memory/2/(4+sizeOf[V]())))
	}
	key := formatKey{format: kernels.SELL, precision: c.Precision, c: c.Block, sigma: sigma}
	s, cost, err := build(b.formats, key, func() (*sparse.SELL[V], int64, error) {
		s, err := sparse.NewSELL(o.a, c.Block, sigma, most)
		if err != nil {
			return nil, 0, err
		}
		return s, sellBytes(s), nil
	})
	if err != nil { // block and sigma are legal, so it is the padding
		return plan{}, &kernels.InvalidError{Reason: fmt.Sprintf("%v; a larger sigma or a smaller block pads less", err)}
	}
	m := sellView[V]{
		rows: s.Rows, c: s.C,
		chunk: spanOf(s.ChunkPtr), perm: spanOf(s.Perm),
		cols: spanOf(s.ColIdx), val: spanOf(s.Val),
		x: spanOf(o.x), y: spanOf(o.y),
	}
	share := newShare(ceilDiv(s.Rows, s.C))
	work := func(int) {
		for i, ok := share.take(); ok; i, ok = share.take() {
			m.chunkOf(i)
		}
	}
	return plan{
		run: func() {
			share.reset()
			b.pool.run(c.Grid, work)
		},
		cost:  cost,
		bytes: sellBytes(s),
		facts: map[string]float64{
			"chunks":  float64(share.chunks),
			"padding": s.Padding(),
		},
	}, nil
}

// sellBytes is the size of the four arrays of SELL-C-sigma, padding included.
func sellBytes[V sparse.Float](s *sparse.SELL[V]) int64 {
	return 8*int64(len(s.ChunkPtr)) + 4*int64(len(s.Perm)) + int64(len(s.Val))*(4+sizeOf[V]())
}

// chunkOf computes the rows of chunk i, four at a time: entries of neighbouring
// slots lie side by side, and their sums do not wait for each other.
func (m sellView[V]) chunkOf(i int) {
	cols, val, x, c := m.cols, m.val, m.x, m.c
	lo, hi := m.chunk.at(i), m.chunk.at(i+1)
	slots := min(c, m.rows-i*c)
	s := 0
	for ; s+4 <= slots; s += 4 {
		var s0, s1, s2, s3 V
		for k := lo + s; k < hi; k += c {
			s0 += val.at(k) * x.at(col(cols, k))
			s1 += val.at(k+1) * x.at(col(cols, k+1))
			s2 += val.at(k+2) * x.at(col(cols, k+2))
			s3 += val.at(k+3) * x.at(col(cols, k+3))
		}
		m.y.set(col(m.perm, i*c+s), s0)
		m.y.set(col(m.perm, i*c+s+1), s1)
		m.y.set(col(m.perm, i*c+s+2), s2)
		m.y.set(col(m.perm, i*c+s+3), s3)
	}
	for ; s < slots; s++ {
		var sum V
		for k := lo + s; k < hi; k += c {
			sum += val.at(k) * x.at(col(cols, k))
		}
		m.y.set(col(m.perm, i*c+s), sum)
	}
}
