// SPDX-License-Identifier: Apache-2.0

package sparse_test

import (
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
)

// Blocks are found where they are.
func TestJaggedBlocks(t *testing.T) {
	m := testkit.Must(generate.Build(t.Context(), "fem_blocks", map[string]any{"nodes": 333, "dof": 3, "band": 50}))
	j := testkit.Must(sparse.NewJagged(m, 3, 3, m.NNZ()))
	if j.Blocks*9 != m.NNZ() || len(j.Upper) > 1 {
		t.Errorf("%d blocks for %d nonzeros, %d wide", j.Blocks, m.NNZ(), len(j.Upper))
	}
}

// A slice has 16 bits for columns that span 65536.
func TestJaggedWide(t *testing.T) {
	for last, wide := range map[int32]int{100 + 1<<16 - 1: 0, 100 + 1<<16: 2} {
		m := &sparse.CSR[float64]{Rows: 1, Cols: 1 << 17, RowPtr: []int32{0, 2}, ColIdx: []int32{100, last}}
		j := testkit.Must(sparse.NewJagged(m, 2, 2, 8))
		testkit.Equal(t, len(j.Upper), wide+1, "columns 100 to %d: upper halves", last)
	}
}
