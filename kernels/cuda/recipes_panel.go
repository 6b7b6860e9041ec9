// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"
	"math/bits"
	"slices"

	"example.org/spmvtune/kernels"
)

// panelRecipe packs a panel of columns for each block.
func panelRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const sumBlock = 1024 // 32·SUM_WARPS of panel_sell.cu
	if m.Rows > mostPanelRows {
		return nil, invalid("%d rows; a slot has 16 bits, so there may be %d", m.Rows, mostPanelRows)
	}
	blocks, columns := panelBlocks(m, c.Grid), settingInt(c, "columns")
	p, _ := pack(m, fmt.Sprint("panels ", blocks, columns), func() (*panelPacking, error) {
		return packPanels(m, blocks, columns), nil
	})
	if p.slots > mostPanelRows {
		return nil, invalid("a panel has %d pieces of rows; a slot has 16 bits, so there may be %d", p.slots,
			mostPanelRows)
	}
	parts := scratch("panel_parts", blocks*m.Rows)
	main := configStep(c, "panel_sell", (p.slots+p.widest)*v+2*(m.Rows+1), ints("panels", p.panels),
		ints("panel_slices", p.pair), ints("panel_columns", p.columns), permuted("panel_values", p.order),
		ints("panel_piece_slots", p.pieceSlot), ints("panel_row_slots", p.rowSlot), ptr(vecX), parts, num(m.Rows),
		num(p.slots), num(p.widest), num(p.each), num(blocks), kept)
	sum := threadStep(m.Rows, warp, "panel_sell_sum", parts, ptr(vecY), num(m.Rows), num(blocks))
	sum.Block = sumBlock // a warp for each 32 rows of a part
	return &recipe{Steps: []step{main, sum}}, nil
}

// panelBlocks is the number of blocks that get panels: at most so many that all parts of rows are a
// quarter of the nonzeros.
func panelBlocks(m *structure, grid int) int {
	if m.NNZ() == 0 {
		return 0
	}
	return max(1, min(grid, m.Cols, m.NNZ()/(4*m.Rows)))
}

const (
	// pieceLength is the most nonzeros of a piece of a row: longer ones would keep a lane busy when the
	// others of the block are done.
	pieceLength = 64
	// mostPanelRows is how many slots 16 bits can name, beside the one for none.
	mostPanelRows = 1<<16 - 2
	noSlot        = 1<<16 - 1
)

// A panelPacking is a matrix in panels of columns, as panel_sell.cu describes it.
type panelPacking struct {
	panels, pair       []int32 // of each panel: first column, columns, first slice, and the next panel's
	columns, order     []int32
	pieceSlot, rowSlot []int32 // two of 16 bits in each
	slots, widest      int     // the most of any panel
	each               int     // panels of a block
}

// A panelPiece is a part of a row.
type panelPiece struct {
	at, code     int32 // the first nonzero, and the place of its column in codes
	length, slot uint16
}

// packPanels cuts the columns into panels for so many blocks, which get about the same number of nonzeros,
// and panels of at most `most` columns.
func packPanels(m *structure, blocks, most int) *panelPacking {
	p := &panelPacking{}
	column := p.cutColumns(m, blocks, most)
	panels := len(column) - 1
	starts := panelStarts(m, column)

	codes, first := panelCodes(m, column, starts)
	pieces := make([][]panelPiece, panels)
	rowSlot := make([]uint16, panels*(m.Rows+1))
	each(panels, 1, func(i int) {
		pieces[i] = panelPieces(starts[i*m.Rows:], m.Rows, rowSlot[i*(m.Rows+1):], first[i])
	})
	p.layOut(column, pieces)
	pieceSlot := make([]uint16, warp*(len(p.pair)-1))
	p.columns, p.order = make([]int32, p.pair[len(p.pair)-1]), make([]int32, 2*p.pair[len(p.pair)-1])
	each(panels, 1, func(i int) { p.fill(codes, p.panels[4*i:4*i+4], pieces[i], pieceSlot) })
	p.pieceSlot, p.rowSlot = words(pieceSlot), words(rowSlot)
	return p
}

// cutColumns finds the first column of each panel, and the end of the last.
func (p *panelPacking) cutColumns(m *structure, blocks, most int) []int32 {
	share := make([]int, 1, blocks+1)
	// Below 65,536 buckets of columns.
	shift, seen := max(0, bits.Len(uint(m.Cols))-16), 0
	for bucket, n := range columnDegrees(m.ColIdx, m.Cols, shift) {
		for ; len(share) < blocks && seen >= m.NNZ()*len(share)/blocks; share = append(share, bucket<<shift) {
		}
		seen += int(n)
	}
	for len(share) <= blocks {
		share = append(share, m.Cols)
	}
	for b := range blocks {
		p.each = max(p.each, ceilDiv(share[b+1]-share[b], most))
	}

	column := []int32{0}
	for b := range blocks {
		from, columns := share[b], share[b+1]-share[b]
		for i := range p.each {
			column = append(column, int32(from+columns*(i+1)/p.each))
			p.widest = max(p.widest, ceilDiv(columns, p.each))
		}
	}
	return column
}

// panelStarts gives for each panel, and for the end of the last, where its part of each row begins.
func panelStarts(m *structure, column []int32) []int32 {
	starts := make([]int32, len(column)*m.Rows)
	each(m.Rows, 16, func(r int) {
		k, end := m.RowPtr[r], m.RowPtr[r+1]
		search := int(end-k) > 16*len(column)
		for p, from := range column {
			if search {
				k += int32(lowerBound(m.ColIdx[k:end], int(from)))
			}
			for k < end && m.ColIdx[k] < from {
				k++
			}
			starts[p*m.Rows+r] = k
		}
	})
	return starts
}

// panelCodes collects the columns of each panel, less its first, row by row, and says where each panel's
// begin. It goes through some rows for all panels before it goes on, since a panel has little of a row.
func panelCodes(m *structure, column, starts []int32) (codes []uint16, first []int32) {
	panels := len(column) - 1
	first = make([]int32, panels+1)
	each(panels, 1, func(i int) {
		for r := range m.Rows {
			first[i+1] += starts[(i+1)*m.Rows+r] - starts[i*m.Rows+r]
		}
	})
	for i := range panels {
		first[i+1] += first[i]
	}

	codes = make([]uint16, m.NNZ())
	eachShare(panels, 1, func(lo, hi int) {
		next := slices.Clone(first[lo:hi])
		rows := max(1, 1<<15*m.Rows/max(1, m.NNZ()))
		for from := 0; from < m.Rows; from += rows {
			for i := lo; i < hi; i++ {
				to := next[i-lo]
				for r := from; r < min(from+rows, m.Rows); r++ {
					for k := starts[i*m.Rows+r]; k < starts[(i+1)*m.Rows+r]; k++ {
						codes[to] = uint16(m.ColIdx[k] - column[i])
						to++
					}
				}
				next[i-lo] = to
			}
		}
	})
	return codes, first
}

// panelPieces cuts the rows of a panel into pieces, and sorts them, the longest first. starts has the
// beginnings of the panel's rows and of the next panel's; code is the place of the first column in codes.
func panelPieces(starts []int32, rows int, rowSlot []uint16, code int32) []panelPiece {
	var pieces []panelPiece
	for r := range rows {
		rowSlot[r] = uint16(len(pieces))
		at, n := starts[r], int(starts[rows+r]-starts[r])
		for parts := ceilDiv(n, pieceLength); parts > 0; parts-- {
			length := ceilDiv(n, parts)
			pieces = append(pieces, panelPiece{at, code, uint16(length), uint16(len(pieces))})
			at, code, n = at+int32(length), code+int32(length), n-length
		}
	}
	rowSlot[rows] = uint16(len(pieces))
	sorted, _ := bucketed(pieces, pieceLength, func(p panelPiece) int { return pieceLength - int(p.length) })
	return sorted
}

// layOut finds where panels and slices begin.
func (p *panelPacking) layOut(column []int32, pieces [][]panelPiece) {
	p.pair = []int32{0}
	for i, of := range pieces {
		p.slots = max(p.slots, len(of))
		first := len(p.pair) - 1
		for j := 0; j < len(of); j += warp {
			steps := int32(of[j].length+1) / 2
			p.pair = append(p.pair, p.pair[len(p.pair)-1]+warp*steps)
		}
		p.panels = append(p.panels, column[i], column[i+1]-column[i], int32(first), int32(len(p.pair)-1))
	}
}

// fill writes the slices of a panel.
func (p *panelPacking) fill(codes []uint16, panel []int32, pieces []panelPiece, pieceSlot []uint16) {
	first := panel[2]
	for s := first; s < panel[3]; s++ {
		for lane := range int32(warp) {
			piece := panelPiece{slot: noSlot}
			if i := int((s-first)*warp + lane); i < len(pieces) {
				piece = pieces[i]
			}
			pieceSlot[s*warp+lane] = piece.slot
			p.fillLane(codes[piece.code:][:piece.length], s, lane, piece)
		}
	}
}

// fillLane writes the entries of a piece, and padding behind them, which repeats the last column.
func (p *panelPacking) fillLane(codes []uint16, s, lane int32, piece panelPiece) {
	at, k, column := int(p.pair[s]+lane), piece.at, int32(0)
	for ; len(codes) > 1; codes = codes[2:] {
		column = int32(codes[1])
		p.order[2*at], p.order[2*at+1] = k, k+1
		p.columns[at] = int32(codes[0]) | column<<16
		k, at = k+2, at+warp
	}
	if len(codes) > 0 {
		column = int32(codes[0])
	}
	for odd := piece.length%2 == 1; at < int(p.pair[s+1]); at += warp {
		p.order[2*at], p.order[2*at+1] = -1, -1
		if odd {
			p.order[2*at], odd = k, false
		}
		p.columns[at] = column | column<<16
	}
}
