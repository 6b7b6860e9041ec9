package cuda

import (
	"testing"

	"spmvtune/kernels"
)

// The widths of these kernels' blocks and windows matter; P is ⌈nnz / threads⌉.
func TestCOORecipes(t *testing.T) {
	m := rowsOfLength(100, 100, 100)
	type want struct {
		window, grid, shared int
		perThread            int // 0: no such argument
		entry                string
	}

	for _, test := range []struct {
		kernel      string
		block, grid int
		params      kernels.Params
		want        want
	}{
		{"coo_atomic", 64, 0, "", want{grid: 5, entry: "coo_atomic"}},
		{"coo_thread_chunk", 33, 2, "", want{grid: 2, perThread: 5, entry: "coo_thread_chunk"}},
		{"coo_grid_stride", 1000, 1, "", want{grid: 1, perThread: 1, entry: "coo_grid_stride"}},
		{"coo_scan_shared", 100, 3, "", want{window: 100, grid: 3, shared: 100 * (8 + 4 + 8),
			entry: "coo_scan_shared"}},
		{"coo_segscan_shared", 100, 3, "", want{grid: 3, shared: 100 * (8 + 4 + 8), entry: "coo_segscan_shared"}},
		{"coo_blelloch", 64, 3, "", want{window: 128, grid: 3, shared: 128 * 8, entry: "coo_blelloch"}},
		// Elements 32, 64 and 96 lie behind one, two and three words of padding.
		{"coo_blelloch_padded", 64, 3, "", want{window: 128, grid: 3, shared: (128 + 3) * 8,
			entry: "coo_blelloch_padded"}},
		{"coo_scan_warp", 64, 3, "", want{window: 32, grid: 3, entry: "coo_scan_warp"}},
		{"coo_scan_block", 64, 3, "", want{window: 64, grid: 3, entry: "coo_scan_block"}},
		{"coo_scan_warp_chunk", 64, 2, "", want{window: 32, grid: 2, perThread: 3, entry: "coo_scan_warp_chunk"}},
		{"coo_segscan_warp_chunk_unroll", 64, 2, "", want{grid: 2, perThread: 3,
			entry: "coo_segscan_warp_chunk_unroll4"}},
		{"coo_segscan_warp_chunk_unroll", 64, 2, kernels.Params("unroll=8"),
			want{grid: 2, perThread: 3, entry: "coo_segscan_warp_chunk_unroll8"}},
	} {
		c := kernels.Config{Kernel: test.kernel, Precision: kernels.Float64, Block: test.block, Grid: test.grid,
			Params: test.params}
		r, err := recipes[test.kernel](m, c, 8)
		if err != nil {
			t.Fatal(err)
		}

		s := r.Steps[0]
		got := want{r.Window, s.Grid, s.Shared, 0, s.Entry}
		if len(s.Args) > 6 {
			got.perThread = int(s.Args[6].value)
		}

		if got != test.want || !r.Zero || s.Block != test.block {
			t.Errorf("%s: %+v, zeroed %v, block %d; want %+v", c, got, r.Zero, s.Block, test.want)
		}
	}
}

// No nonzeros are no launch where the grid is counted from them; y is still zeroed.
func TestCOOAtomicOfNothing(t *testing.T) {
	r, err := cooAtomicRecipe(rowsOfLength(0, 0), kernels.Config{Kernel: "coo_atomic", Precision: kernels.Float32,
		Block: 32}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if r.Steps[0].Grid != 0 || !r.Zero {
		t.Errorf("grid %d, zeroed %v", r.Steps[0].Grid, r.Zero)
	}
}
