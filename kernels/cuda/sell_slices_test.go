package cuda

import (
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse/generate"
)

// What the corner cases do not have: slices that need wide columns, register blocks that lack
// values, values that are all equal, and stencils.
func TestEmulatedSlices(t *testing.T) {
	e := newEmulator(t)
	check := func(m *structure, kernel string, settings ...kernels.Params) {
		t.Helper()
		for i, p := range settings {
			for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
				c := kernels.Config{Kernel: kernel, Precision: precision, Block: 64, Grid: 3 + i, Params: p}
				if _, err := recipes[kernel](m, c, precision.Bytes()); err != nil {
					t.Errorf("%s: %v", c, err)
				}
				checkExact(t, e, m, c, int64(i))
			}
		}
	}

	far := randomRows(300, 200, 20, 7)
	for i := range far.ColIdx[:far.RowPtr[200]] { // narrow slices remain at the end
		if far.ColIdx[i] > 100 {
			far.ColIdx[i] += 1<<17 - 200
		}
	}
	far.Cols = 1 << 17
	check(far, "sell_blocks", "columns=mixed", "columns=mixed loads=4 shape=2x2", "columns=mixed shape=4x4",
		"columns=mixed loads=4 shape=6x6")

	check(far, "csr_narrow", "columns=mixed", "columns=mixed loads=4 tile=128", "columns=mixed loads=2 tile=1024")

	for dof, shape := range []string{"", "", "2x2", "3x3", "4x4", "", "6x6"} {
		if shape == "" {
			continue
		}
		args := map[string]any{"nodes": 200, "dof": dof, "neighbours": 9.0, "band": 60}
		m, err := generate.Build(t.Context(), "fem_blocks", args)
		if err != nil {
			t.Fatal(err)
		}
		m = integers(m)
		p := kernels.Params("shape=" + shape)
		check(m, "sell_blocks", p.With("columns", "16"), p.With("loads", "4"))
	}

	ones := randomRows(300, 200, 20, 8)
	for i := range ones.Val {
		ones.Val[i] = -3
	}

	check(ones, "csr_narrow", "values=equal", "columns=16 loads=2 values=equal", "columns=16 tile=128 values=equal")
	few := rowsOfLength(200, 100, 0, 1, 0, 300, 17, 90, 0, 0, 64, 128, 5, 1, 1, 33, 60, 44, 7, 120)
	check(few, "csr_narrow", "columns=16 tile=512", "columns=16 loads=2 tile=1024", "columns=16 loads=4 tile=512")
	check(ones, "csr_narrow", "columns=16 tile=128", "columns=16 loads=2 tile=256", "columns=16 loads=4 tile=1024")

	stencil, err := generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 37, "ny": 29})
	if err != nil {
		t.Fatal(err)
	}
	check(stencil, "sell_diagonals", "turn=3", "turn=4", "turn=5", "turn=7", "turn=9")
}

// integers is m with small integers for values.
func integers(m *structure) *structure {
	whole := *m
	whole.Val = make([]float64, m.NNZ())
	for i := range whole.Val {
		whole.Val[i] = float64(i%7 - 3)
	}
	return &whole
}
