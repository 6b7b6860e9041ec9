package cuda

import (
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
