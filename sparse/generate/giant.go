package generate

import (
	"context"
	"fmt"
	"math"

	"spmvtune/sparse"
)

func planGiant(v values) (Size, error) {
	n := v.int("rows")
	for _, arg := range []string{"row_nnz", "giant"} {
		if v.int(arg) > n {
			return Size{}, &ArgError{"giant_row", arg, fmt.Sprintf("%d is more than the %d columns", v.int(arg), n)}
		}
	}
	return Size{Rows: n, Cols: n, NNZ: (n-1)*v.int("row_nnz") + v.int("giant")}, nil
}

func buildGiant(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("rows")
	giant := int(math.Round(v["position"] * float64(n-1)))
	src := newSource(v.seed(), forStructure)
	a := assembly{
		rows: n, cols: n,
		length: func(i int) int {
			if i == giant {
				return v.int("giant")
			}
			return v.int("row_nnz")
		},
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			spread(columns, n, &s)
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}

// spread chooses len(columns) of n columns: one at random from each of as many
// equal parts, so that they are sorted, distinct and exactly as many as asked.
func spread(columns []int32, n int, s *stream) {
	lo := 0
	for k := range columns {
		hi := (k + 1) * n / len(columns)
		columns[k] = int32(lo + s.below(hi-lo))
		lo = hi
	}
}
