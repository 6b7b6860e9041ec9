package sparse_test

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/sparse"
	"spmvtune/sparse/generate"
)

// Blocks are found where they are.
func TestJaggedBlocks(t *testing.T) {
	m := testkit.Must(generate.Build(t.Context(), "fem_blocks", map[string]any{"nodes": 333, "dof": 3, "band": 50}))
	j := testkit.Must(sparse.NewJagged(m, 3, 3, m.NNZ()))
	if j.Blocks*9 != m.NNZ() || len(j.Upper) > 1 {
		t.Errorf("%d blocks for %d nonzeros, %d wide", j.Blocks, m.NNZ(), len(j.Upper))
	}
}

func TestJaggedRefused(t *testing.T) {
	giant := testkit.Must(generate.Build(t.Context(), "giant_row", map[string]any{"rows": 1000, "giant": 256, "row_nnz": 1}))
	for _, c := range []struct {
		r, c, most int
		want       string // "": accepted
	}{
		{1, 1, 1255, "rows of 256 blocks of 1×1: at most 255"},
		{1, 4, 5020, ""},
		{2, 2, 1500, "for 1255 nonzeros, more than the 1500 allowed"},
		{33, 1, 9, "blocks of 33×1"},
		{1, 1001, 9999, "blocks are 1001 columns wide, the matrix has 1000"},
	} {
		_, err := sparse.NewJagged(giant, c.r, c.c, c.most)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d×%d: got %v, want %q", c.r, c.c, err, c.want)
		}
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
