package generate

import (
	"context"
	"fmt"
	"math"

	"spmvtune/sparse"
)

func planUniform(v values) (Size, error) {
	rows, cols := v.int("rows"), v.int("cols")
	if v["row_nnz"] > float64(cols) {
		return Size{}, &ArgError{"uniform", "row_nnz", fmt.Sprintf("%v is more than the %d columns", v["row_nnz"],
			cols)}
	}
	return Size{Rows: rows, Cols: cols, NNZ: int(math.Round(float64(rows) * v["row_nnz"]))}, nil
}

func buildUniform(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	cols := v.int("cols")
	share := v["row_nnz"] / max(1, float64(cols))
	return bernoulli(v.int("rows"), cols, v.seed(), func(int) float64 { return share }).build(ctx)
}

// bernoulli makes every entry of row i a nonzero with probability share(i). It skips from one
// nonzero of a row to the next by geometrically distributed gaps (Batagelj and Brandes, Phys.
// Rev. E 71, 2005), so that columns come sorted, distinct, and in time linear in the nonzeros.
func bernoulli(rows, cols int, seed uint64, share func(i int) float64) assembly {
	src := newSource(seed, forStructure)
	row := func(i int) skipper {
		// The scale is −0 if the share is 1, where all gaps are 0; −∞ if it is 0, where none ends.
		return skipper{src.stream(uint64(i)), 1 / math.Log1p(-share(i)), cols}
	}
	return assembly{
		rows: rows, cols: cols,
		length: func(i int) int {
			s, n := row(i), 0
			for j := s.after(-1); j < cols; j = s.after(j) {
				n++
			}
			return n
		},
		fill: func(i int, columns []int32) {
			s, j := row(i), -1
			for k := range columns {
				j = s.after(j)
				columns[k] = int32(j)
			}
		},
		value: newSource(seed, forValues).value,
	}
}

// A skipper walks over the nonzero columns of a row.
type skipper struct {
	stream
	scale float64 // 1/ln(1−p)
	cols  int
}

// after returns the next nonzero column after j, and cols if there is none.
func (s *skipper) after(j int) int {
	gap := math.Log(s.unit()) * s.scale
	if !(gap < float64(s.cols-1-j)) { // beyond the row, or 0·∞
		return s.cols
	}
	return j + 1 + int(gap)
}
