package sparse

import (
	"fmt"
	"slices"
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

// At returns the place, within its tile of so many entries, of entry k of the tile.
func (t *Narrow) At(k, entries int) int {
	chunk := k / (sliceRows * t.Vector) * (sliceRows * t.Vector)
	lanes := min(sliceRows, (entries-chunk)/t.Vector)
	return chunk + (k-chunk)%lanes*t.Vector + (k-chunk)/lanes
}

// NewNarrow converts m, on all cores. size is the most entries of a tile, a multiple of 8 below
// 65536. vector is 2, 4 or 8.
func NewNarrow[V Float](m *CSR[V], size, vector int) (*Narrow, error) {
	if size < eight || size%eight != 0 || size >= 1<<16 {
		return nil, fmt.Errorf("tiles of %d entries are not of a multiple of 8 below 65536", size)
	}
	ranges := make([][]tileStart, (m.Rows+tileRange-1)/tileRange)
	eachPart(m.Rows, func(part, parts int) {
		lo, hi := share(len(ranges), part, parts)
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
	eachPart(t.Entries, func(part, parts int) {
		lo, hi := share(t.Tiles(), part, parts)
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
