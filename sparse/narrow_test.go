// SPDX-License-Identifier: Apache-2.0

package sparse_test

import (
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
)

// A row longer than a tile has as few pieces of four tiles as fit, about equally long.
func TestNarrowPieces(t *testing.T) {
	for length, want := range map[int]int{512: 0, 513: 1, 2048: 1, 2049: 2, 100_000: 49} {
		m := testkit.Must(generate.Build(t.Context(), "giant_row", map[string]any{"rows": 200_000, "giant": length, "row_nnz": 1}))
		n := testkit.Must(sparse.NewNarrow(m, 512, 4))
		pieces, least := 0, 1<<30
		for i := range n.Tiles() {
			if n.Heads[4*i+3]>>16 == 0 {
				pieces++
				starts := n.Starts[sparse.StartsAt(i, n.Heads[4*i]):] // the third number is that of nonzeros
				least = min(least, int(starts[4])|int(starts[5])<<16)
			}
		}
		if pieces != want || pieces > 0 && least < length/want-8*want {
			t.Errorf("a row of %d has %d pieces, want %d; the least has %d", length, pieces, want, least)
		}
	}
}

// A tile has 16 bits for columns that span 65536, and as many rows as fit.
func TestNarrowTiles(t *testing.T) {
	for last, wide := range map[int32]int{100 + 1<<16 - 1: 0, 100 + 1<<16: 8} {
		m := &sparse.CSR[float64]{Rows: 1, Cols: 1 << 17, RowPtr: []int32{0, 2}, ColIdx: []int32{100, last}}
		n := testkit.Must(sparse.NewNarrow(m, 64, 4))
		testkit.Equal(t, len(n.Upper), wide, "columns 100 to %d: upper halves", last)
	}
	m := testkit.Must(generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 100, "ny": 100}))
	n := testkit.Must(sparse.NewNarrow(m, 512, 4))
	testkit.Equal(t, n.Heads[8]-n.Heads[4], 102, "rows of a tile")
}
