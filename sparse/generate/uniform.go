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

// buildUniform makes every entry a nonzero with probability p = row_nnz/cols.
// It skips from one nonzero of a row to the next by geometrically distributed
// gaps (Batagelj and Brandes, Phys. Rev. E 71, 2005), so that columns come
// sorted, distinct, and in time linear in the nonzeros.
func buildUniform(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	rows, cols := v.int("rows"), v.int("cols")
	src := newSource(v.seed(), forStructure)
	// −0 if p is 1, where all gaps are 0; −∞ if p is 0, where none ends.
	scale := 1 / math.Log1p(-v["row_nnz"]/max(1, float64(cols)))
	row := func(i int) skipper { return skipper{src.stream(uint64(i)), scale, cols} }
	a := assembly{
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
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
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
