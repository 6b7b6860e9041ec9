package cuda

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A matrix within the limits of a configuration is one that its recipe takes, and there are such
// matrices, and others.
func TestLimitsAreEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	matrices := make([]*structure, 100)
	for i := range matrices {
		matrices[i] = shaped(rng)
	}
	configs := map[string][]string{
		"sell_local":     {"x_kb=24", "x_kb=96"},
		"csr_lanes":      {"x=panels x_kb=24", "x=hot x_kb=24", "x=panels x_kb=220 longest=8192"},
		"csr_narrow":     {"columns=16"},
		"panel_sell":     {"keep=1", "columns=1024"},
		"sell_c_sigma":   {"sigma=1"},
		"sell_diagonals": {"turn=5", "turn=9"},
	}
	for name, settings := range configs {
		k, ok := kernels.Lookup(name)
		if !ok {
			t.Fatalf("%s is not in the catalogue", name)
		}
		for _, setting := range settings {
			for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
				c := kernels.Config{Kernel: name, Precision: p, Block: 128, Grid: 16,
					Params: k.Complete(kernels.Params(setting))}
				within, beyond := 0, 0
				for _, m := range matrices {
					legal := true
					for _, l := range Limits(c) {
						legal = legal && l.Holds(featuresOf(m))
					}
					_, _, err := newRecipe(m, c, p.Bytes())
					var invalid *kernels.InvalidError
					if refused := errors.As(err, &invalid); refused && legal {
						t.Errorf("%s is within limits on %d rows, %d columns and %d nonzeros, and refused: %v", c, m.Rows,
							m.Cols, m.NNZ(), err)
					}
					if legal {
						within++
					} else {
						beyond++
					}
				}
				if within == 0 || beyond == 0 && name != "sell_c_sigma" {
					t.Errorf("%s: %d matrices within its limits, %d beyond: no test", c, within, beyond)
				}
			}
		}
	}
}

// shaped is a small matrix of any shape: few rows or many, columns anywhere or on few diagonals.
func shaped(rng *rand.Rand) *structure {
	rows, cols := int(math.Exp(rng.Float64()*8)), int(math.Exp(rng.Float64()*14))
	each := 1 + rng.IntN(1+min(60, cols))
	band := rng.IntN(3) == 0
	m := &structure{Rows: rows, Cols: cols, RowPtr: []int32{0}}
	for i := range rows {
		columns := make([]int32, each)
		for j := range columns {
			columns[j] = int32(rng.IntN(cols))
			if band {
				columns[j] = int32((i + j) % cols)
			}
		}
		slices.Sort(columns)
		m.ColIdx = append(m.ColIdx, slices.Compact(columns)...)
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}
	m.Val = make([]float64, len(m.ColIdx))
	return m
}

// featuresOf are the features of a matrix that limits ask for.
func featuresOf(m *structure) func(name string) float64 {
	f := sparse.Analyze(m)
	return func(name string) float64 {
		switch name {
		case "rows":
			return float64(f.Rows)
		case "cols":
			return float64(f.Cols)
		case "nonzeros":
			return float64(f.Nonzeros)
		case "row_max":
			return float64(f.RowMax)
		case "diagonals":
			return f.Diagonals
		}
		return math.NaN()
	}
}
