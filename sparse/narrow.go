// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"fmt"
	"slices"

	"example.org/spmvtune/internal/base/panics"
)

// A Narrow is the structure of a matrix, cut into tiles of consecutive rows, each with few enough entries for the shared
// memory of a warp. A longer row is a tile of its own, or several: pieces of it, which come before all other tiles.
// Columns are 16 bits beyond a base of the tile (as the delta units of Kourtis, Goumas and Koziris, Computing Frontiers
// 2008), and the starts of rows 16 bits within it. A tile whose columns lie farther apart has the upper 16 bits of each
// column as well.
//
// What a lane loads at once begins at a multiple of 16 bytes: a tile has a multiple of 8 entries,
// the last few of which may be padding at the column base. Of each 256 entries, a lane takes 8. If tiles have at most 256,
// these follow each other in their rows, but for pieces of rows. Else entries that follow each other are in
// neighbouring lanes, so that the lanes' loads of x share more lines of the cache.
type Narrow struct {
	Rows    int
	Entries int // padding included
	size    int // NewNarrow's
	vector  int // NewNarrow's
	// Heads has four numbers for a tile: its first row; its first entry, in eights; the base of its
	// columns, or −1−w where it is wide: its upper halves begin at place w of Upper, in eights; and
	// its entries, plus its rows times 65536; a piece of a row has 0 rows.
	Heads []int32
	// Starts has for each row of a tile its first entry within the tile, and then the end of the
	// last. Those of tile t begin at StartsAt(t, its first row). A piece of a row has, from StartsAt(t, 0) on, in 32
	// bits each: the tile of the row's first piece, the number of its pieces, and its own nonzeros.
	Starts  []uint16
	Columns []uint16 // of each place: the column of its entry less the base, or its lower half
	Upper   []uint16 // upper halves of the columns of wide tiles
	Order   []int32  // of each place: the nonzero there; −1 for padding
}

const (
	// most rows of a tile: 32 lanes load their starts, and the end of the last, eight a lane.
	tileRows = 255
	// eight entries have 16 bytes of columns.
	eight   = 8
	ownSize = sliceRows * eight
	// A piece of a row is at most this many tiles long: on an H200, 2 were the fastest in float32, and 4
	// in float64. csr_segscan takes less than 4.
	longest = 3
	// A tile does not go past a multiple of so many rows, so that cores can pack apart.
	tileRange = 1 << 16
)

// StartsAt returns where the starts of tile t begin in Starts, at a multiple of eight: first is its first row, and 0 for a
// piece of a row. It leaves room for all tiles before it.
func StartsAt(t int, first int32) int { return (int(first)/eight + t) * eight }

// NewNarrow converts m, on all cores. size is the most entries of a tile of several rows, a multiple of 8 below
// 16384. vector is how many values a lane loads at once, 2 or 4.
func NewNarrow[V Float](m *CSR[V], size, vector int) (*Narrow, error) {
	if size < eight || size%eight != 0 || size >= 1<<14 {
		return nil, fmt.Errorf("tiles of %d entries are not of a multiple of 8 below 16384", size)
	}
	starts := CutTiles(m.RowPtr, size)
	t := &Narrow{Rows: m.Rows, size: size, vector: vector}
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

// A Tile is some rows, and its nonzeros are those from Nonzero to before End. A piece of a row has no Rows: it has its number
// among the row's pieces, and how many these are.
type Tile struct{ Row, Rows, Nonzero, End, Piece, Pieces int32 }

// CutTiles cuts rows into tiles of at most size nonzeros and 255 rows, on all cores; a longer row is pieces of at most
// longest·size. Pieces come first: what takes longest is not begun last.
func CutTiles(rowPtr []int32, size int) []Tile {
	rows := len(rowPtr) - 1
	n := (rows + tileRange - 1) / tileRange
	parts := make([][]Tile, 2*n)
	panics.Parts(n, workers(rows), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			parts[r], parts[n+r] = packTiles(rowPtr, r*tileRange, min((r+1)*tileRange, rows), size)
		}
	})
	return slices.Concat(parts...)
}

// packTiles cuts rows lo to hi into pieces of rows and tiles of several.
func packTiles(rowPtr []int32, lo, hi, size int) (pieces, tiles []Tile) {
	for lo < hi {
		from, end := rowPtr[lo], lo
		for end < hi && end-lo < tileRows && int(rowPtr[end+1]-from) <= size {
			end++
		}
		if end > lo {
			tiles = append(tiles, Tile{Row: int32(lo), Rows: int32(end - lo), Nonzero: from, End: rowPtr[end]})
			lo = end
			continue
		}
		whole := (int(rowPtr[lo+1]-from) + size - 1) / size // tiles
		n := (whole + longest - 1) / longest
		step := int32((whole + n - 1) / n * size)
		for k := range int32(n) {
			begin := from + k*step
			pieces = append(pieces, Tile{int32(lo), 0, begin, min(rowPtr[lo+1]-begin, step) + begin, k, int32(n)})
		}
		lo++
	}
	return pieces, tiles
}

// outline writes Heads, and makes room in Starts and Upper.
func (t *Narrow) outline(rowPtr, colIdx []int32, tiles []Tile) error {
	n := len(tiles)
	t.Heads = make([]int32, 4*n)
	panics.Parts(n, workers(len(colIdx)), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(t.Heads[4*i:], describe(rowPtr, colIdx, tiles[i]))
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
	t.Starts = make([]uint16, StartsAt(n, int32(t.Rows)))
	return nil
}

// describe gives the head of a tile, but for what depends on the tiles before it.
func describe(rowPtr, colIdx []int32, tile Tile) []int32 {
	low, high, end := int32(MaxIndex), int32(0), tile.Row+max(tile.Rows, 1)
	for r := tile.Row; r < end; r++ {
		if from, to := max(rowPtr[r], tile.Nonzero), min(rowPtr[r+1], tile.End); from < to {
			low, high = min(low, colIdx[from]), max(high, colIdx[to-1])
		}
	}
	switch {
	case low > high: // there are no nonzeros
		low = 0
	case high-low >= 1<<16:
		low = -1
	}
	entries := (tile.End - tile.Nonzero + eight - 1) / eight * eight
	return []int32{tile.Row, 0, low, entries | tile.Rows<<16}
}

// begin writes the starts of tile i.
func (t *Narrow) begin(rowPtr []int32, tiles []Tile, i int) {
	tile := tiles[i]
	if tile.Pieces == 0 {
		starts := t.Starts[StartsAt(i, tile.Row):]
		for r := range tile.Rows + 1 {
			starts[r] = uint16(rowPtr[tile.Row+r] - tile.Nonzero)
		}
		return
	}
	starts := t.Starts[StartsAt(i, 0):]
	for k, v := range []int32{int32(i) - tile.Piece, tile.Pieces, tile.End - tile.Nonzero} {
		starts[2*k], starts[2*k+1] = uint16(v), uint16(v>>16)
	}
}

// fill writes the entries of tile i.
func (t *Narrow) fill(rowPtr, colIdx []int32, tiles []Tile, i int) {
	t.begin(rowPtr, tiles, i)
	at, base, entries := int(t.Heads[4*i+1])*eight, t.Heads[4*i+2], int(t.Heads[4*i+3]&0xffff)
	nonzero, to := tiles[i].Nonzero, tiles[i].End
	columns, order := t.Columns[at:at+entries], t.Order[at:at+entries]
	var upper []uint16
	if base < 0 {
		base, upper = 0, t.Upper[int(-1-base)*eight:]
	}
	follow := t.size <= ownSize && tiles[i].Pieces == 0
	for chunk := 0; chunk < entries; chunk += ownSize {
		lanes := min(sliceRows, (entries-chunk)/eight)
		for i := range lanes * eight {
			lane, k := i%lanes, i/lanes
			if follow {
				lane, k = i/eight, i%eight
			}
			place := chunk + (k/t.vector*lanes+lane)*t.vector + k%t.vector
			if nonzero == to {
				order[place] = -1
				continue
			}
			order[place] = nonzero
			place = chunk + lane*eight + k
			columns[place] = uint16(colIdx[nonzero] - base)
			if upper != nil {
				upper[place] = uint16(colIdx[nonzero] >> 16)
			}
			nonzero++
		}
	}
}
