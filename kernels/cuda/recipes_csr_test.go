package cuda

import (
	"errors"
	"slices"
	"testing"

	"spmvtune/kernels"
)

// CSR Adaptive as published never counted the last row. Every row, the last one
// and empty ones too, is in one run, and only a row alone is longer than a run.
func TestPackRowsHoldsEveryRow(t *testing.T) {
	for name, m := range corners() {
		for _, most := range []int{1, 64, 1024} {
			first := packRows(m.RowPtr, most)
			if first[0] != 0 || int(first[len(first)-1]) != m.Rows {
				t.Errorf("%s, %d: runs go from row %d to %d of %d", name, most, first[0], first[len(first)-1], m.Rows)
			}
			for b := range len(first) - 1 {
				lo, hi := first[b], first[b+1]
				nnz := int(m.RowPtr[hi] - m.RowPtr[lo])
				if hi <= lo || hi-lo > 1 && (nnz > most || int(hi-lo) > most) {
					t.Errorf("%s, %d: a run has rows %d to %d with %d nonzeros", name, most, lo, hi, nnz)
				}
			}
		}
	}
}

// A run ends only where the next row does not fit.
func TestPackRowsFills(t *testing.T) {
	m := rowsOfLength(20, 21, 44, 20, 65, 0, 1) // the example of csr-five-algorithms, Sec. IV-C, and more
	if got, want := packRows(m.RowPtr, 64), []int32{0, 2, 4, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("runs begin at %d, want %d", got, want)
	}
}

func TestRowsAtFindsTheRowsOfBins(t *testing.T) {
	for name, m := range corners() {
		rows := rowsOf(m)
		got := rowsAt(m.RowPtr, m.NNZ(), 64)
		var want []int32
		for j := 0; j < m.NNZ(); j += 64 {
			want = append(want, rows[j])
		}

		if len(rows) > 0 {
			want = append(want, rows[len(rows)-1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestClassifySortsRows(t *testing.T) {
	m := rowsOfLength(64, 3, 512, 511, 63, 0, 600)
	check := func(short, long int, order []int32, longs, mediums, shorts int) {
		t.Helper()
		c := classify(m.RowPtr, short, long)
		if !slices.Equal(c.order, order) || c.longs != longs || c.mediums != mediums || c.shorts != shorts {
			t.Errorf("short %d, long %d: %+v", short, long, c)
		}
	}

	check(64, 512, []int32{2, 6, 0, 3, 1, 4, 5}, 2, 2, 3)
	check(64, 64, []int32{0, 2, 3, 6, 1, 4, 5}, 4, 0, 3)
	check(1000, 1000, nil, 0, 0, 7) // one class needs no order
	check(1, 1000, []int32{0, 1, 2, 3, 4, 6, 5}, 0, 6, 1)
}

// The lanes that LightSpMV chooses follow the mean row length.
func TestLightWidth(t *testing.T) {
	for _, test := range []struct{ rows, nnz, want int }{
		{0, 0, 2}, {10, 0, 2}, {10, 24, 2}, {10, 25, 4}, {10, 44, 4}, {10, 45, 8}, {10, 644, 8}, {10, 645, 32}, {1,
			1 << 30, 32},
	} {
		if got := lightWidth(test.rows, test.nnz); got != test.want {
			t.Errorf("%d rows, %d nonzeros: %d lanes, want %d", test.rows, test.nnz, got, test.want)
		}
	}
}

// Tiles of the merge share rows + nonzeros, and the launches that go over tiles
// have a thread for each and for the last border.
func TestMergeTiles(t *testing.T) {
	m := rowsOfLength(1000, 0, 0, 1000)
	for _, test := range []struct {
		precision   kernels.Precision
		block, want int
	}{
		{kernels.Float32, 32, 9},  // 2004 steps of 224
		{kernels.Float64, 32, 13}, // 2004 steps of 160
		{kernels.Float64, 1024, 1},
	} {
		c := kernels.Config{Kernel: "csr_merge", Precision: test.precision, Block: test.block, Grid: 7}
		r, err := mergeRecipe(m, c, test.precision.Bytes())
		if err != nil {
			t.Fatal(err)
		}

		borders, carries := r.Aux[0], r.Aux[1]
		if borders.Bytes != 4*(test.want+1) || carries.Values != test.want || r.Steps[1].Grid != 7 {
			t.Errorf("%s: %d bytes of borders, %d carries, grid %d; want %d tiles", c, borders.Bytes, carries.Values,
				r.Steps[1].Grid, test.want)
		}
	}
}

// What a structure or a combination of settings forbids is said, not launched.
func TestCSRRecipesRefuse(t *testing.T) {
	check := func(m *structure, c kernels.Config, legal bool) {
		t.Helper()
		c.Precision, c.Grid = kernels.Float32, 1
		_, err := recipes[c.Kernel](m, c, 4)
		var invalid *kernels.InvalidError
		if legal && err != nil || !legal && !errors.As(err, &invalid) {
			t.Errorf("%s: %v", c, err)
		}
	}

	m := rowsOfLength(1, 2)
	bounded := kernels.Params("min_blocks=2")
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 256, Params: bounded}, true)
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 257, Params: bounded}, false)
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 1024}, true)
	check(m, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("sigma=1")}, true)
	check(m, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("sigma=33")}, false)

	// 2²⁴ entries in a row of 128, so 2³¹ with padding: refused before they exist.
	wide := &structure{Rows: 1, Cols: 1 << 24, RowPtr: []int32{0, 1 << 24}, ColIdx: make([]int32, 1<<24)}
	check(wide, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("chunk=128")}, false)
}

// The order of SELL names every nonzero once, in the row's lane and in the row's
// order; all else is padding.
func TestSELLOrder(t *testing.T) {
	m := rowsOfLength(1, 3, 0, 2, 2)
	p, _ := packSELL(m, 2, 4)
	if p.err != nil {
		t.Fatal(p.err)
	}

	// Rows 1, 3, 0, 2 of the first window, then row 4 alone.
	wantRows := []int32{1, 3, 0, 2, 4}
	wantOrder := []int32{1, 4, 2, 5, 3, -1, 0, -1, 6, -1, 7, -1}
	if !slices.Equal(p.perm, wantRows) || !slices.Equal(p.order, wantOrder) ||
		!slices.Equal(p.chunkPtr, []int32{0, 6, 8, 12}) {
		t.Errorf("rows %d, order %d, chunks %d", p.perm, p.order, p.chunkPtr)
	}
}
