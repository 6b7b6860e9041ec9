package sparse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/sparse"
	"spmvtune/sparse/generate"
)

// TestJagged decodes what was packed: every row must come back in its order.
func TestJagged(t *testing.T) {
	for name, m := range slicedMatrices(t) {
		t.Run(name, func(t *testing.T) {
			for _, shape := range [][2]int{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {6, 6}, {1, 4}, {4, 1}, {32, 3}, {5, 7}} {
				j, err := sparse.NewJagged(m, shape[0], shape[1], sparse.MaxIndex)
				if err != nil {
					if !strings.Contains(err.Error(), "at most 255") && !strings.Contains(err.Error(), "columns wide") {
						t.Error(err)
					}
					continue
				}
				testkit.Succeed(t, decodeJagged(j, m))
			}
		})
	}
}

// decodeJagged reads j as a product does, slot by slot.
func decodeJagged(j *sparse.Jagged, m *sparse.CSR[float64]) error {
	rows := make([][]int32, m.Rows) // nonzeros
	group, vector, used := j.Group(), j.Vector(), 0
	for h := range j.Slices() {
		lo, hi := h*group, min((h+1)*group, len(j.Lengths))
		block, base := int(j.Heads[2*h]), j.Heads[2*h+1]
		for k := 0; ; k++ {
			var active []int
			for place := lo; place < hi; place++ {
				if int(j.Lengths[place]) > k {
					active = append(active, place)
				}
			}
			if len(active) == 0 {
				break
			}
			for rank, place := range active {
				column := base + int32(j.Columns[block+rank])
				if base < 0 {
					column = int32(j.Columns[block+rank]) | int32(j.Upper[block+rank-int(j.Heads[2*h])-int(base)-1])<<16
				}
				if column < 0 || int(column)+j.C > m.Cols {
					return fmt.Errorf("a block begins at column %d", column)
				}
				for i := range j.R {
					for c := range j.C {
						at := block*j.R*j.C + (c/vector*len(active)*j.R+rank*j.R+i)*vector + c%vector
						used++
						if n := j.Order[at]; n >= 0 {
							if m.ColIdx[n] != column+int32(c) {
								return fmt.Errorf("nonzero %d of column %d is at %d", n, m.ColIdx[n], int(column)+c)
							}
							rows[place*j.R+i] = append(rows[place*j.R+i], n)
						}
					}
				}
			}
			block += len(active)
		}
	}

	if used+2*j.R != len(j.Order) {
		return fmt.Errorf("%d of %d values were read", used, len(j.Order))
	}
	for i, got := range rows {
		var want []int32
		for n := m.RowPtr[i]; n < m.RowPtr[i+1]; n++ {
			want = append(want, n)
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("row %d has nonzeros %d, want %d", i, got, want)
		}
	}
	return nil
}

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
