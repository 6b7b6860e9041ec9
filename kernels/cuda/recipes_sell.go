package cuda

import (
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A sellPacking is a matrix in SELL-C-sigma form, as the device gets it.
type sellPacking struct {
	chunkPtr, columns, order []int32
	perm                     []int32 // empty if no row was moved
	err                      error   // why there is none
}

// sellRecipe converts the matrix.
func sellRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	const (
		chunkPtr = "sell_chunks"
		columns  = "sell_columns"
		values   = "sell_values"
		perm     = "sell_rows"
	)
	type key struct{ height, sigma int }

	k := key{settingInt(c, "chunk"), settingInt(c, "sigma")}
	s := pack(m, k, func() (*sellPacking, int64) { return packSELL(m, k.height, k.sigma) })
	if s.err != nil {
		return nil, invalid("%v", s.err)
	}

	sorted := 0
	if len(s.perm) > 0 {
		sorted = 1
	}
	return &recipe{
		Aux: []aux{
			{Name: chunkPtr, Ints: s.chunkPtr},
			{Name: columns, Ints: s.columns},
			{Name: values, Vals: s.order},
			{Name: perm, Ints: s.perm},
		},
		Steps: []step{{
			Entry: c.Kernel, Grid: c.Grid, Block: c.Block,
			Args: []arg{ptr(chunkPtr), ptr(columns), ptr(values), ptr(vecX), ptr(vecY), num(m.Rows),
				ptr(perm), num(sorted), num(k.height)},
		}},
	}, nil
}

// packSELL converts m. A matrix whose padding is too large has an error.
func packSELL(m *structure, height, sigma int) (*sellPacking, int64) {
	s, err := sparse.NewSELL(m, height, sigma, mostEntries(m.NNZ()))
	if err != nil {
		return &sellPacking{err: err}, 0
	}
	p := &sellPacking{
		chunkPtr: make([]int32, len(s.ChunkPtr)),
		columns:  s.ColIdx,
		order:    sellOrder(m, s),
		perm:     s.Perm,
	}

	for i, o := range s.ChunkPtr {
		p.chunkPtr[i] = int32(o) // below mostEntries
	}
	if slices.IsSorted(s.Perm) {
		p.perm = []int32{}
	}
	return p, 4 * int64(len(p.chunkPtr)+len(p.columns)+len(p.order)+len(p.perm))
}

// mostEntries bounds the padding: a matrix may always take twice its nonzeros, and
// at least 2²⁹ entries (6 GB in float64), but never more than indices reach.
func mostEntries(nnz int) int { return min(max(1<<29, 2*nnz), sparse.MaxIndex) }

// sellOrder gives for every entry of s the index of its nonzero in m, or −1 for padding.
func sellOrder(m *structure, s *sparse.SELL[float64]) []int32 {
	order := make([]int32, len(s.ColIdx))
	eachShare(s.Chunks(), shares(len(order)), func(_, from, to int) {
		for h := from; h < to; h++ {
			for lane := range s.C {
				var next, end int32 // none beyond the last row
				if slot := h*s.C + lane; slot < s.Rows {
					row := s.Perm[slot]
					next, end = m.RowPtr[row], m.RowPtr[row+1]
				}
				for at := s.ChunkPtr[h] + lane; at < s.ChunkPtr[h+1]; at += s.C {
					order[at] = -1
					if next < end {
						order[at] = next
						next++
					}
				}
			}
		}
	})
	return order
}
