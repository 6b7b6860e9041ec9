// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"fmt"
	"slices"

	"example.org/spmvtune/internal/base/panics"
)

// A Narrow is the structure of a matrix in CSR's order, cut into tiles of consecutive rows, each
// with few enough entries for the shared memory of a warp. A longer row is cut into pieces, each a
// tile of its own. Columns are 16 bits beyond a base of
// the tile (as the delta units of Kourtis, Goumas and Koziris, Computing Frontiers 2008), and the
// starts of rows 16 bits within it. A tile whose columns lie farther apart has the upper 16 bits of
// each column as well.
//
// What a lane loads at once begins at a multiple of 16 bytes: a tile has a multiple of 8 entries,
// the last few of which may be padding at the column base. Of the entries that the 32 lanes load so
// at once, neighbours in a row are in neighbouring lanes, not in one: then the lanes' loads of x
// share more lines of the cache (At).
type Narrow struct {
	Rows, Cols int
	Vector     int // entries that a lane loads at once
	Entries    int // padding included
	// Heads has four numbers for a tile: its first row; its first entry, in eights; the base of its
	// columns, or −1−w where it is wide: its upper halves begin at place w of Upper, in eights; and
	// its entries, plus its rows times 65536; a piece of a row has 0 rows.
	Heads []int32
	// Starts has for each row of a tile its first entry within the tile, and then the end of the
	// last. Those of tile t begin at StartsAt(t, its first row). A piece of a row has there, in 32 bits
	// each: the tile of the row's first piece, the number of its pieces, and its own nonzeros.
	Starts  []uint16
	Columns []uint16 // of each place: the column of its entry less the base, or its lower half
	Upper   []uint16 // upper halves of the columns of wide tiles
	Order   []int32  // of each place: the nonzero there; −1 for padding
}

const (
	// most rows of a tile: 32 lanes load their starts, and the end of the last, eight a lane.
	tileRows = 255
	// eight entries have 16 bytes of columns.
	eight = 8
	// A tile does not go past a multiple of so many rows, so that cores can pack apart.
	tileRange = 1 << 16
)

// StartsAt returns where the starts of tile t begin, whose first row is given, in Starts: at a
// multiple of eight that leaves room for all tiles before it.
func StartsAt(t int, first int32) int { return (int(first)/eight + t) * eight }

// NewNarrow converts m, on all cores. size is the most entries of a tile, a multiple of 8 below
// 65536. vector is 2, 4 or 8.
func NewNarrow[V Float](m *CSR[V], size, vector int) (*Narrow, error) {
	if size < eight || size%eight != 0 || size >= 1<<16 {
		return nil, fmt.Errorf("tiles of %d entries are not of a multiple of 8 below 65536", size)
	}
	ranges := make([][]tileStart, (m.Rows+tileRange-1)/tileRange)
	panics.Parts(len(ranges), workers(m.Rows), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			ranges[r] = packTiles(m.RowPtr, r*tileRange, min((r+1)*tileRange, m.Rows), size)
		}
	})
	starts := append(slices.Concat(ranges...), tileStart{int32(m.Rows), int32(len(m.ColIdx))})

	t := &Narrow{Rows: m.Rows, Cols: m.Cols, Vector: vector}
	if err := t.outline(m.RowPtr, m.ColIdx, starts); err != nil {
		return nil, err
	}
	t.Columns, t.Order = make([]uint16, t.Entries), make([]int32, t.Entries)
	panics.Parts(t.Tiles(), workers(t.Entries), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			t.fill(m.RowPtr, m.ColIdx, starts, i)
		}
	})
	return t, nil
}

// Tiles returns the number of tiles.
func (t *Narrow) Tiles() int { return len(t.Heads) / 4 }

// A tileStart is the first row of a tile, and its first nonzero. A piece of a row ends in the row, or begins
// behind its start.
type tileStart struct{ row, nonzero int32 }

// packTiles cuts rows lo to hi into tiles.
func packTiles(rowPtr []int32, lo, hi, size int) (tiles []tileStart) {
	for lo < hi {
		from, end := rowPtr[lo], lo
		for end < hi && end-lo < tileRows && int(rowPtr[end+1]-from) <= size {
			end++
		}
		if end == lo {
			n := int(rowPtr[lo+1] - from)
			for k := 0; k < n; k += pieceOf(n, size) {
				tiles = append(tiles, tileStart{int32(lo), from + int32(k)})
			}
			lo++
			continue
		}
		// 32 rows are summed at a time. A few more would take as long.
		if rest := (end - lo) % sliceRows; end < hi && end-lo > sliceRows && rest < sliceRows/2 {
			end -= rest
		}
		tiles = append(tiles, tileStart{int32(lo), from})
		lo = end
	}
	return tiles
}

// pieceOf is how many of a row's n nonzeros a piece has, but for the last: about as many as the last, and at
// most size.
func pieceOf(n, size int) int {
	pieces := (n + size - 1) / size
	return (n + pieces*eight - 1) / (pieces * eight) * eight
}

// outline writes Heads, and makes room in Starts and Upper. Behind the tiles' starts is the end of the last.
func (t *Narrow) outline(rowPtr, colIdx []int32, tiles []tileStart) error {
	n := len(tiles) - 1
	t.Heads = make([]int32, 4*n)
	panics.Parts(n, workers(len(colIdx)), func(_, lo, hi int) {
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
