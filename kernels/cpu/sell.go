package cpu

import (
	"fmt"
	"math"
	"strconv"
	"time"

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
