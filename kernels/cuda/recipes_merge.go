package cuda

import "spmvtune/kernels"

// mergeItems is ITEMS of csr_merge.cu: the steps of a thread per tile.
func mergeItems(v int) int {
	if v > 4 {
		return 5
	}
	return 7
}

// mergeRecipe cuts rows + nonzeros into tiles of equal work. The device finds the borders, as
// part of the product: the algorithm's point is that it needs no preparation.
func mergeRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const (
		borders = "merge_borders"
		carries = "merge_carries"
		block   = 256 // of the kernels with a thread per tile
	)
	tile := c.Block * mergeItems(v)
	tiles := ceilDiv(m.Rows+m.NNZ(), tile)

	return &recipe{
		Aux: []aux{{Name: borders, Bytes: 4 * (tiles + 1)}, {Name: carries, Values: tiles}},
		Steps: []step{
			{
				Entry: "csr_merge_borders",
				Grid:  ceilDiv(tiles+1, block),
				Block: block,
				Args: []arg{ptr(rowPtr), num(m.Rows), num(m.NNZ()), ptr(borders),
					num(tiles), num(tile)},
			},
			// The products and ends of rows of a tile share its memory; the open row adds one
			// more end.
			csrStep(m, c, "csr_merge", tile*v+4, num(m.NNZ()), ptr(borders), ptr(carries), num(tiles)),
			{
				Entry: "csr_merge_carries",
				Grid:  ceilDiv(tiles, block),
				Block: block,
				Args:  []arg{ptr(vecY), num(m.Rows), ptr(borders), ptr(carries), num(tiles)},
			},
		},
	}, nil
}
