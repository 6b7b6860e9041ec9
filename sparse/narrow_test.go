package sparse_test

import (
	"fmt"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/sparse"
	"spmvtune/sparse/generate"
)

// TestNarrow decodes what was packed: every row must come back in its order.
func TestNarrow(t *testing.T) {
	all := slicedMatrices(t)
	all["road"] = testkit.Must(generate.Build(t.Context(), "road", map[string]any{"rows": 200_000})) // longer than a range
	for name, m := range all {
		for _, size := range []int{64, 256, 512, 1024} {
			n, err := sparse.NewNarrow(m, size, 2<<(size/256%3))
			if err != nil {
				t.Errorf("%s, %d: %v", name, size, err)
				continue
			}
			testkit.Succeed(t, decodeNarrow(n, m, size))
		}
	}
}

func decodeNarrow(n *sparse.Narrow, m *sparse.CSR[float64], size int) error {
	row, at, starts, cut := 0, 0, 0, 0 // cut: nonzeros of the row in pieces so far
	for i := range n.Tiles() {
		head := n.Heads[4*i : 4*i+4]
		entries, rows := int(head[3]&0xffff), int(head[3]>>16)
		if int(head[0]) != row || int(head[1])*8 != at || entries%8 != 0 || entries > size || rows > 255 {
			return fmt.Errorf("tile %d at row %d, entry %d: %d", i, row, at, head)
		}
		place := sparse.StartsAt(i, head[0])
		if place%8 != 0 || place < starts {
			return fmt.Errorf("starts of tile %d at %d, those before end at %d", i, place, starts)
		}
		starts = place + rows + 1
		if (starts+7)/8*8 > len(n.Starts) { // they are read by eights
			return fmt.Errorf("starts of tile %d end at %d of %d", i, starts, len(n.Starts))
		}

		lengths := n.Starts[place : place+rows+1]
		if rows == 0 {
			piece := pieceAt(n.Starts[place:])
			left := int(m.RowPtr[row+1]-m.RowPtr[row]) - cut
			if piece.nonzeros > left || piece.first+piece.pieces <= i || left < size && cut == 0 {
				return fmt.Errorf("tile %d is %+v, of a row of which %d are left", i, piece, left)
			}
			lengths = []uint16{0, uint16(piece.nonzeros)}
			if cut == 0 && piece.first != i || cut > 0 && piece.nonzeros == left && piece.first+piece.pieces != i+1 {
				return fmt.Errorf("tile %d is not where %+v says", i, piece)
			}
		}
		for r := range len(lengths) - 1 {
			from, to := int(lengths[r]), int(lengths[r+1])
			columns, _ := m.Row(row)
			columns = columns[cut:]
			if rows == 0 {
				columns = columns[:to]
			}
			if to-from != len(columns) || to > entries {
				return fmt.Errorf("row %d is at %d to %d of %d", row, from, to, entries)
			}
			for k, want := range columns {
				own := placeOf(n, from+k, entries)
				column := head[2] + int32(n.Columns[at+own])
				if head[2] < 0 {
					column = int32(n.Columns[at+own]) | int32(n.Upper[int(-1-head[2])*8+own])<<16
				}
				if column != want || n.Order[at+own] != m.RowPtr[row]+int32(cut+k) {
					return fmt.Errorf("row %d, nonzero %d is %d of column %d", row, cut+k, n.Order[at+own], column)
				}
			}
			cut += len(columns)
			if cut == int(m.RowPtr[row+1]-m.RowPtr[row]) {
				row, cut = row+1, 0
			}
		}
		for k := int(lengths[len(lengths)-1]); k < entries; k++ {
			if own := at + placeOf(n, k, entries); n.Order[own] != -1 || n.Columns[own] != 0 {
				return fmt.Errorf("padding of tile %d is %d of column %d", i, n.Order[own], n.Columns[own])
			}
		}
		at += entries
	}
	if row != m.Rows || at != len(n.Order) {
		return fmt.Errorf("%d rows and %d entries", row, at)
	}
	return nil
}

type piece struct{ first, pieces, nonzeros int }

func pieceAt(starts []uint16) piece {
	word := func(i int) int { return int(starts[2*i]) | int(starts[2*i+1])<<16 }
	return piece{word(0), word(1), word(2)}
}

func TestNarrowRefused(t *testing.T) {
	m := &sparse.CSR[float64]{RowPtr: []int32{0}}
	for _, size := range []int{0, 7, 65536} {
		testkit.Fails(t, testkit.Err(sparse.NewNarrow(m, size, 4)), "multiple of 8", "%d", size)
	}
}

// A row has as few pieces as fit, about equally long, and only where it is longer than a tile.
func TestNarrowPieces(t *testing.T) {
	for length, want := range map[int]int{512: 0, 513: 2, 1024: 2, 1025: 3, 100_000: 196} {
		m := testkit.Must(generate.Build(t.Context(), "giant_row", map[string]any{"rows": 200_000, "giant": length, "row_nnz": 1}))
		n := testkit.Must(sparse.NewNarrow(m, 512, 4))
		pieces, least := 0, 512
		for i := range n.Tiles() {
			if n.Heads[4*i+3]>>16 == 0 {
				pieces++
				least = min(least, pieceAt(n.Starts[sparse.StartsAt(i, n.Heads[4*i]):]).nonzeros)
			}
		}
		if pieces != want || pieces > 0 && least < length/want/4 {
			t.Errorf("a row of %d has %d pieces, want %d; the least has %d", length, pieces, want, least)
		}
	}
}

// A tile has 16 bits for columns that span 65536, and whole 32s of rows where others follow.
func TestNarrowTiles(t *testing.T) {
	for last, wide := range map[int32]int{100 + 1<<16 - 1: 0, 100 + 1<<16: 8} {
		m := &sparse.CSR[float64]{Rows: 1, Cols: 1 << 17, RowPtr: []int32{0, 2}, ColIdx: []int32{100, last}}
		n := testkit.Must(sparse.NewNarrow(m, 64, 4))
		testkit.Equal(t, len(n.Upper), wide, "columns 100 to %d: upper halves", last)
	}

	m := testkit.Must(generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 100, "ny": 100}))
	n := testkit.Must(sparse.NewNarrow(m, 512, 4))
	testkit.Equal(t, n.Heads[8]-n.Heads[4], 96, "rows of a tile, where 102 would fit")
}

// placeOf returns the place, within its tile of so many entries, of entry k of the tile.
func placeOf(t *sparse.Narrow, k, entries int) int {
	chunk := k / (32 * t.Vector) * (32 * t.Vector)
	lanes := min(32, (entries-chunk)/t.Vector)
	return chunk + (k-chunk)%lanes*t.Vector + (k-chunk)/lanes
}
