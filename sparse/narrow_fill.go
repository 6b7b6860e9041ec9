package sparse

import "fmt"

// outline writes Heads, and makes room in Starts and Upper. Behind the tiles' starts is the end of the last.
func (t *Narrow) outline(rowPtr, colIdx []int32, tiles []tileStart) error {
	n := len(tiles) - 1
	t.Heads = make([]int32, 4*n)
	eachPart(len(colIdx), func(part, parts int) {
		lo, hi := share(n, part, parts)
		for i := lo; i < hi; i++ {
			copy(t.Heads[4*i:], describe(rowPtr, colIdx, tiles[i], tiles[i+1]))
		}
	})

	upper := 0
	for i := range n {
		head := t.Heads[4*i : 4*i+4]
		head[1] = int32(t.Entries / eight)
		own := int(head[3] & 0xffff)
		t.Entries += own
		if head[2] < 0 {
			head[2] = int32(-1 - upper/eight)
			upper += own
		}
	}
	if t.Entries > MaxIndex {
		return fmt.Errorf("%d entries with padding are more than indices reach", t.Entries)
	}
	t.Upper = make([]uint16, upper)
	if n > 0 {
		t.Starts = make([]uint16, StartsAt(n, int32(t.Rows)))
	}
	return nil
}

// describe gives the head of a tile, but for what depends on the tiles before it.
func describe(rowPtr, colIdx []int32, tile, next tileStart) []int32 {
	low, high, end := int32(MaxIndex), int32(0), max(next.row, tile.row+1)
	for r := tile.row; r < end; r++ {
		if from, to := max(rowPtr[r], tile.nonzero), min(rowPtr[r+1], next.nonzero); from < to {
			low, high = min(low, colIdx[from]), max(high, colIdx[to-1])
		}
	}
	switch {
	case low > high: // there are no nonzeros
		low = 0
	case high-low >= 1<<16:
		low = -1
	}
	entries := (next.nonzero - tile.nonzero + eight - 1) / eight * eight
	if !isPiece(rowPtr, tile, next) {
		entries |= (next.row - tile.row) << 16
	}
	return []int32{tile.row, 0, low, entries}
}

// isPiece reports whether a tile is a piece of a row.
func isPiece(rowPtr []int32, tile, next tileStart) bool {
	return next.row == tile.row || tile.nonzero > rowPtr[tile.row]
}

// begin writes the starts of tile i.
func (t *Narrow) begin(rowPtr []int32, tiles []tileStart, i int) {
	tile, next := tiles[i], tiles[i+1]
	starts, first := t.Starts[StartsAt(i, tile.row):], rowPtr[tile.row]
	if !isPiece(rowPtr, tile, next) {
		for r := tile.row; r <= next.row; r++ {
			starts[r-tile.row] = uint16(rowPtr[r] - first)
		}
		return
	}

	piece := next.nonzero - tile.nonzero
	if next.row > tile.row { // the last, which may be shorter
		piece = tile.nonzero - tiles[i-1].nonzero
	}
	before, pieces := int(tile.nonzero-first)/int(piece), (rowPtr[tile.row+1]-first+piece-1)/piece
	for k, v := range []int32{int32(i - before), pieces, next.nonzero - tile.nonzero} {
		starts[2*k], starts[2*k+1] = uint16(v), uint16(v>>16)
	}
}

// fill writes the entries of tile i.
func (t *Narrow) fill(rowPtr, colIdx []int32, tiles []tileStart, i int) {
	t.begin(rowPtr, tiles, i)
	at, base, entries := int(t.Heads[4*i+1])*eight, t.Heads[4*i+2], int(t.Heads[4*i+3]&0xffff)
	nonzero, to := tiles[i].nonzero, tiles[i+1].nonzero
	columns, order := t.Columns[at:at+entries], t.Order[at:at+entries]
	var upper []uint16
	if base < 0 {
		base, upper = 0, t.Upper[int(-1-base)*eight:]
	}
	for chunk := 0; chunk < entries; chunk += sliceRows * t.Vector { // in the order of At
		lanes := min(sliceRows, (entries-chunk)/t.Vector)
		for i := range t.Vector {
			for place := chunk + i; place < chunk+lanes*t.Vector; place += t.Vector {
				if nonzero == to {
					order[place] = -1
					continue
				}
				order[place], columns[place] = nonzero, uint16(colIdx[nonzero]-base)
				if upper != nil {
					upper[place] = uint16(colIdx[nonzero] >> 16)
				}
				nonzero++
			}
		}
	}
}
