// SPDX-License-Identifier: Apache-2.0

package sparse_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
)

// sellMatrices are matrices whose structure is hard on chunks.
func sellMatrices(t testing.TB) map[string]*sparse.CSR[float64] {
	t.Helper()
	all := map[string]*sparse.CSR[float64]{
		"no rows":     {Cols: 5, RowPtr: []int32{0}},
		"no columns":  {Rows: 5, RowPtr: make([]int32, 6)},
		"no nonzeros": {Rows: 100, Cols: 5, RowPtr: make([]int32, 101)},
		"one entry":   {Rows: 70, Cols: 9, RowPtr: append(make([]int32, 70), 1), ColIdx: []int32{8}, Val: []float64{3}},
	}

	add := func(name string, args map[string]any) {
		m := testkit.Must(generate.Build(t.Context(), name, args))
		all[generate.Spec(name, args)] = m
	}

	add("grid_5pt", map[string]any{"nx": 31, "ny": 17})
	add("rmat", map[string]any{"scale": 7})
	add("uniform", map[string]any{"rows": 333, "cols": 2000, "row_nnz": 2})
	add("uniform", map[string]any{"rows": 2000, "cols": 3, "row_nnz": 1.5})
	add("giant_row", map[string]any{"rows": 300, "giant": 300, "row_nnz": 1})
	add("fem_blocks", map[string]any{"nodes": 100, "band": 50})
	return all
}

// TestSELL takes SELL apart again: every row must come back in its order, the
// rest must be harmless, and rows must be sorted as they should be.
func TestSELL(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, m := range sellMatrices(t) {
		t.Run(name, func(t *testing.T) {
			shapes := [][2]int{{1, 1}, {8, 1}, {32, 32}, {32, 1024}, {7, 21}, {1024, 1024}}
			for range 8 {
				c := 1 + r.IntN(40)
				shapes = append(shapes, [2]int{c, c * (1 + r.IntN(20))})
			}

			for _, shape := range shapes {
				s := testkit.Must(sparse.NewSELL(m, shape[0], shape[1], 0))
				testkit.Succeed(t, takeApart(s, m))
			}
		})
	}
}

func takeApart(s *sparse.SELL[float64], m *sparse.CSR[float64]) error {
	if s.Rows != m.Rows || s.Cols != m.Cols || s.NNZ() != m.NNZ() || len(s.Perm) != m.Rows ||
		len(s.ColIdx) != len(s.Val) {
		return fmt.Errorf("%d×%d, %d nonzeros, %d slots, %d columns, %d values of %v",
			s.Rows, s.Cols, s.NNZ(), len(s.Perm), len(s.ColIdx), len(s.Val), m)
	}

	if want := (m.Rows + s.C - 1) / s.C; s.Chunks() != want || s.ChunkPtr[0] != 0 || s.ChunkPtr[want] != len(s.Val) {
		return fmt.Errorf("%d chunks, offsets %d to %d for %d entries", s.Chunks(), s.ChunkPtr[0], s.ChunkPtr[want],
			len(s.Val))
	}
	length := func(i int32) int32 { return m.RowPtr[i+1] - m.RowPtr[i] }

	for lo := 0; lo < m.Rows; lo += s.Sigma {
		part := s.Perm[lo:min(lo+s.Sigma, m.Rows)]
		want := make([]int32, len(part))
		for k := range want {
			want[k] = int32(lo + k)
		}

		slices.SortStableFunc(want, func(a, b int32) int { return int(length(b) - length(a)) })
		if !slices.Equal(part, want) {
			return fmt.Errorf("window at row %d has rows %v, want %v", lo, part, want)
		}
	}

	for h := range s.Chunks() {
		longest := 0
		for r := range s.C {
			var columns []int32
			var values []float64
			padding := int32(0)
			if slot := h*s.C + r; slot < m.Rows {
				columns, values = m.Row(int(s.Perm[slot]))
				if len(columns) > 0 {
					padding = columns[len(columns)-1]
				}
			}

			longest = max(longest, len(columns))
			for k := range s.Width(h) {
				at := s.ChunkPtr[h] + k*s.C + r
				wantColumn, wantValue := padding, 0.0
				if k < len(columns) {
					wantColumn, wantValue = columns[k], values[k]
				}

				if s.ColIdx[at] != wantColumn || s.Val[at] != wantValue {
					return fmt.Errorf("chunk %d, lane %d, entry %d is %v at column %d, want %v at %d",
						h, r, k, s.Val[at], s.ColIdx[at], wantValue, wantColumn)
				}
			}
		}

		if s.Width(h) != longest {
			return fmt.Errorf("chunk %d is %d wide, its longest row has %d", h, s.Width(h), longest)
		}
	}

	return nil
}

func TestSELLPadding(t *testing.T) {
	// Rows of 1, 3, 1, 3 nonzeros: sorting makes two chunks of equal rows.
	m := &sparse.CSR[float32]{
		Rows: 4, Cols: 3, RowPtr: []int32{0, 1, 4, 5, 8},
		ColIdx: []int32{0, 0, 1, 2, 1, 0, 1, 2}, Val: []float32{1, 2, 3, 4, 5, 6, 7, 8},
	}

	for sigma, want := range map[int]float64{1: 12.0 / 8, 2: 12.0 / 8, 4: 1} {
		s := testkit.Must(sparse.NewSELL(m, 2, sigma, 0))
		testkit.Equal(t, s.Padding(), want, "sigma %d: padding", sigma)
	}

	empty := testkit.Must(sparse.NewSELL(&sparse.CSR[float32]{RowPtr: []int32{0}}, 2, 1, 0))
	testkit.Equal(t, empty.Padding(), 1, "padding of nothing")
}

// An outline that cores share is that of the conversion, also where windows don't divide the rows.
func TestOutlineSELL(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	m := testkit.Must(generate.Build(t.Context(), "rmat", map[string]any{"scale": 17, "edge_factor": 2}))
	for _, of := range [][2]int{{32, 1}, {32, 1024}, {7, 21}, {32, 1 << 20}} {
		want := testkit.Must(sparse.NewSELL(m, of[0], of[1], 0))
		got, err := sparse.OutlineSELL(m, of[0], of[1])
		if err != nil || !slices.Equal(got.Perm, want.Perm) || !slices.Equal(got.ChunkPtr, want.ChunkPtr) ||
			got.NNZ() != want.NNZ() {
			t.Errorf("chunks of %d, windows of %d: another outline (%v)", of[0], of[1], err)
		}
	}
	testkit.Fails(t, testkit.Err(sparse.OutlineSELL(m, 32, 33)), "", "windows of 33 rows for chunks of 32")
}
