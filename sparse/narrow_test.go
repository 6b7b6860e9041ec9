// SPDX-License-Identifier: Apache-2.0

package sparse_test

import (
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
)

// A row longer than a tile has as few pieces of at most three tiles as fit, about equally long, and they come first.
func TestNarrowPieces(t *testing.T) {
	for length, want := range map[int]int{512: 0, 513: 1, 1536: 1, 1537: 2, 100_000: 66} {
		m := testkit.Must(generate.Build(t.Context(), "giant_row", map[string]any{"rows": 200_000, "giant": length, "row_nnz": 1}))
		n := testkit.Must(sparse.NewNarrow(m, 512, 4))
		pieces, sum, most := 0, 0, 0
		for pieces < n.Tiles() && n.Heads[4*pieces+3]>>16 == 0 {
			starts := n.Starts[sparse.StartsAt(pieces, 0):]
			own := int(starts[4]) | int(starts[5])<<16 // its nonzeros
			pieces, sum, most = pieces+1, sum+own, max(most, own)
		}
		testkit.Check(t, pieces == want && (want == 0 || sum == length) && most <= 3*512 && most*pieces < length+512*max(pieces, 1),
			"a row of %d begins with %d pieces of %d nonzeros, one of them of %d; want %d", length, pieces, sum, most, want)
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
