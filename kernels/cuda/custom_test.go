package cuda

import (
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
)

// An entry gets the sizes, the arrays of its format, x and y, and is launched as its section says.
func TestOwnRecipe(t *testing.T) {
	m := &structure{Rows: 3, Cols: 5, RowPtr: []int32{0, 2, 2, 4}, ColIdx: []int32{0, 4, 1, 2}, Val: make([]float64, 4)}
	o := kernels.Custom{Launch: "(rows + block - 1) / block * lanes", Shared: "block * value_bytes"}
	o.Name = "mine"
	o.Params = []kernels.Param{{Name: "lanes", Values: []string{"2"}, Default: "2"}}
	c := kernels.Config{Kernel: "mine", Precision: kernels.Float64, Block: 2}

	for format, arrays := range map[kernels.Format][]string{
		kernels.CSR:  {rowPtr, colIdx, val},
		kernels.COO:  {rowIdx, colIdx, val},
		kernels.SELL: {"own_chunks", "own_rows", "own_columns", "own_values"},
	} {
		o.Format = format
		if format == kernels.SELL {
			o.Params = append(o.Params, kernels.Param{Name: "chunk", Values: []string{"2"}, Default: "2"},
				kernels.Param{Name: "sigma", Values: []string{"3"}, Default: "3"})
		}
		r, err := customRecipe(o, m, c)
		if err != nil {
			t.Fatal(err)
		}

		s := r.Steps[0]
		if s.Entry != "own.mine" || s.Grid != 4 || s.Block != 2 || s.Shared != 16 {
			t.Errorf("%s: %+v", format, s)
		}
		want := []arg{num(3), num(5), num(4)}
		for _, name := range append(arrays, vecX, vecY) {
			want = append(want, ptr(name))
		}
		if !slices.Equal(s.Args, want) {
			t.Errorf("%s: arguments %v, want %v", format, s.Args, want)
		}
		if format == kernels.SELL { // rows by length within windows of 4, then 2 chunks of 2 columns
			if rows := r.Aux[1].Ints; !slices.Equal(rows, []int32{0, 2, 1}) {
				t.Errorf("rows are in the order %v", rows)
			}
		}
	}
}

func TestOwnRecipeLimits(t *testing.T) {
	o := kernels.Custom{Launch: "rows * 1000000000", Shared: "0"}
	c := kernels.Config{Precision: kernels.Float32, Block: 32}
	if _, err := customRecipe(o, oneRow(2), c); err != nil {
		t.Error(err)
	}
	m := &structure{Rows: 4, Cols: 1, RowPtr: make([]int32, 5)}
	if _, err := customRecipe(o, m, c); err == nil || !strings.Contains(err.Error(), "blocks: ") {
		t.Errorf("too many blocks: %v", err)
	}

	o.Launch = "rows"
	for _, zero := range []bool{false, true} { // y is zeroed by the device: an empty product launches nothing
		o.Zero = zero
		r, err := customRecipe(o, m, c)
		if err != nil || len(r.Steps) == 1 == zero || r.Zero != zero {
			t.Errorf("zero = %v: %+v, %v", zero, r, err)
		}
	}
}
