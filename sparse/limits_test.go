package sparse_test

import (
	"testing"

	"spmvtune/sparse"
)

// rowOf is a matrix of one row with n nonzeros, gap columns apart, and an empty one.
func rowOf(n, gap int) *sparse.CSR[float64] {
	m := &sparse.CSR[float64]{Rows: 2, Cols: n * gap, RowPtr: []int32{0, int32(n), int32(n)}, Val: make([]float64, n)}
	for k := range n {
		m.ColIdx = append(m.ColIdx, int32(k*gap))
	}
	return m
}

// What a byte counts ends at 255: blocks of a row and diagonals of a slice. Tiles of rows end there, too.
func TestFormatsEndWithTheirBytes(t *testing.T) {
	for n, fits := range map[int]bool{255: true, 256: false} {
		m := rowOf(n, 3)
		j, err := sparse.NewJagged(m, 2, 2, sparse.MaxIndex)
		if (err == nil) != fits {
			t.Errorf("%d blocks: %v", n, err)
		}
		if err == nil {
			if err := decodeJagged(j, m); err != nil {
				t.Errorf("%d blocks: %v", n, err)
			}
		}
		d, err := sparse.NewDiagonals(m, 5, sparse.MaxIndex)
		if (err == nil) != fits {
			t.Errorf("%d diagonals: %v", n, err)
		}
		if err == nil && (d.Heads[1]&255 != 51 || d.Slots != 255) {
			t.Errorf("%d diagonals are in %d slots, %d turns", n, d.Slots, d.Heads[1]&255)
		}

		rows := &sparse.CSR[float64]{Rows: n, Cols: 1, RowPtr: make([]int32, n+1)}
		tiles, err := sparse.NewNarrow(rows, 512, 4)
		if err != nil || (tiles.Tiles() == 1) != fits {
			t.Errorf("%d rows are in %d tiles, %v", n, tiles.Tiles(), err)
		}
		if err := decodeNarrow(tiles, rows, 512); err != nil {
			t.Error(err)
		}
	}
}

// A matrix without rows, without columns or without nonzeros has every form, and all are empty.
func TestFormatsOfNothing(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {5, 1}, {40, 100_000}} {
		m := &sparse.CSR[float64]{Rows: shape[0], Cols: shape[1], RowPtr: make([]int32, shape[0]+1)}
		j, err := sparse.NewJagged(m, 3, 3, 0)
		if err != nil || j.Blocks != 0 {
			t.Errorf("%v, blocks: %v", shape, err)
		}
		d, err := sparse.NewDiagonals(m, 5, 0)
		if err != nil || d.Slots != 0 {
			t.Errorf("%v, diagonals: %v", shape, err)
		}
		n, err := sparse.NewNarrow(m, 64, 4)
		if err != nil || n.Entries != 0 {
			t.Errorf("%v, tiles: %v", shape, err)
		}
		s, err := sparse.NewSELL(m, 8, 16, 0)
		if err != nil || len(s.Val) != 0 {
			t.Errorf("%v, SELL: %v", shape, err)
		}
	}
}
