package cuda

import (
	"errors"
	"slices"
	"testing"

	"spmvtune/kernels"
)

// The slices for the library hold every nonzero in its row's lane, in the order of rows, and the
// column −1 with the value 0 elsewhere, as the library wants it.
func TestVendorSlices(t *testing.T) {
	m := rowsOfLength(3, 0, 9, 1, 0, 20, 2, 2, 5, 0, 1)
	const slice = 8
	c := kernels.Config{Kernel: "cusparse_sell", Precision: kernels.Float32, Params: kernels.Params("slice=8")}
	r, v, err := vendorRecipes["cusparse_sell"](m, c)
	if err != nil {
		t.Fatal(err)
	}
	var starts, columns, order []int32
	for _, a := range r.Aux {
		switch a.Name {
		case v.arrays.starts:
			starts = a.Ints
		case v.arrays.columns:
			columns = a.Ints
		case v.arrays.values:
			order = a.Vals
		}
	}
	if len(starts) != 3 || v.height != slice || v.entries != len(columns) || len(order) != len(columns) ||
		int(starts[2]) != len(columns) {
		t.Fatalf("starts %v, height %d, %d entries, %d columns, %d values", starts, v.height, v.entries, len(columns),
			len(order))
	}

	rows := make([][]int32, m.Rows)
	for k, from := range order {
		if from < 0 {
			if columns[k] != -1 {
				t.Errorf("padding at %d has column %d", k, columns[k])
			}
			continue
		}
		if columns[k] != m.ColIdx[from] {
			t.Errorf("entry %d has column %d, its nonzero %d", k, columns[k], m.ColIdx[from])
		}
		h := k / int(starts[1])
		row := h*slice + (k-int(starts[h]))%slice
		rows[row] = append(rows[row], from)
	}
	for i, got := range rows {
		want := []int32{}
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			want = append(want, k)
		}
		if !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("row %d holds nonzeros %v, want %v", i, got, want)
		}
	}
}

// The library gets as many blocks as it is told, in the shape of the configuration. A matrix that would
// be filled with zeros, or is no multiple of the blocks, is refused with what would be possible.
func TestVendorBlocks(t *testing.T) {
	blocks := vendorRecipes["cusparse_bsr"]
	dense := &structure{Rows: 6, Cols: 6, RowPtr: []int32{0, 3, 6, 9, 9, 10, 10}, ColIdx: []int32{0, 1, 2, 0, 1, 2, 0, 1, 2, 5},
		Val: make([]float64, 10)}
	r, v, err := blocks(dense, kernels.Config{Kernel: "cusparse_bsr", Precision: kernels.Float32})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]int32{
		v.arrays.starts: {0, 1, 2}, v.arrays.columns: {0, 1},
		v.arrays.values: {0, 1, 2, 3, 4, 5, 6, 7, 8, -1, -1, -1, -1, -1, 9, -1, -1, -1},
	}
	for _, a := range r.Aux {
		if got := append(a.Ints, a.Vals...); !slices.Equal(got, want[a.Name]) {
			t.Errorf("%s: %v, want %v", a.Name, got, want[a.Name])
		}
	}
	if v.entries != 18 || v.height != 3 {
		t.Errorf("%d entries in blocks of %d, want 18 of 3", v.entries, v.height)
	}

	sparse := rowsOfLength(slices.Repeat([]int{1}, 60000)...)
	for name, c := range map[string]struct {
		m      *structure
		params kernels.Params
	}{
		"no multiple": {dense, "shape=4x4"},
		"filled":      {withSpread(sparse), "shape=6x6"},
	} {
		_, _, err := blocks(c.m, kernels.Config{Kernel: "cusparse_bsr", Precision: kernels.Float32, Params: c.params})
		var invalid *kernels.InvalidError
		if !errors.As(err, &invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// withSpread puts the only nonzero of row i into column i.
func withSpread(m *structure) *structure {
	m.Cols = m.Rows
	for i := range m.ColIdx {
		m.ColIdx[i] = int32(i)
	}
	return m
}
