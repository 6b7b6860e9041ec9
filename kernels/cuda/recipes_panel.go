package cuda

import "spmvtune/kernels"

// panelRecipe packs a panel of columns for each block.
func panelRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const (
		panels    = "panels"
		slicePair = "panel_slices"
		columns   = "panel_columns"
		values    = "panel_values"
		pieceSlot = "panel_piece_slots"
		rowSlot   = "panel_row_slots"
		parts     = "panel_parts"
		sumBlock  = 1024 // 32·SUM_WARPS of panel_sell.cu
	)
	type key struct{ blocks, columns int }

	if m.Rows > mostPanelRows {
		return nil, invalid("%d rows; a slot has 16 bits, so there may be %d", m.Rows, mostPanelRows)
	}
	k := key{panelBlocks(m, c.Grid), settingInt(c, "columns")}
	p := pack(m, k, func() (*panelPacking, int64) { return packPanels(m, k.blocks, k.columns) })
	if p.slots > mostPanelRows {
		return nil, invalid("a panel has %d pieces of rows; a slot has 16 bits, so there may be %d", p.slots,
			mostPanelRows)
	}
	return &recipe{
		Aux: []aux{
			{Name: panels, Ints: p.panels},
			{Name: slicePair, Ints: p.pair},
			{Name: columns, Ints: p.columns},
			{Name: values, Vals: p.order},
			{Name: pieceSlot, Ints: p.pieceSlot},
			{Name: rowSlot, Ints: p.rowSlot},
			{Name: parts, Values: k.blocks * m.Rows},
		},
		Steps: []step{
			{
				Entry: "panel_sell", Grid: c.Grid, Block: c.Block, Shared: (p.slots+p.widest)*v + 2*(m.Rows+1),
				Args: []arg{ptr(panels), ptr(slicePair), ptr(columns), ptr(values), ptr(pieceSlot), ptr(rowSlot),
					ptr(vecX), ptr(parts), num(m.Rows), num(p.slots), num(p.widest), num(p.each), num(k.blocks),
					num(settingInt(c, "keep"))},
			},
			{
				Entry: "panel_sell_sum", Grid: ceilDiv(m.Rows, warp), Block: sumBlock,
				Args: []arg{ptr(parts), ptr(vecY), num(m.Rows), num(k.blocks)},
			},
		},
	}, nil
}

// panelBlocks is the number of blocks that get panels: at most so many that all parts of rows are a
// quarter of the nonzeros.
func panelBlocks(m *structure, grid int) int {
	if m.NNZ() == 0 {
		return 0
	}
	return max(1, min(grid, m.Cols, m.NNZ()/(4*m.Rows)))
}
