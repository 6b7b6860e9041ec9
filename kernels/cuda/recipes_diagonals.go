package cuda

import (
	"strconv"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A diagonalPacking is a matrix by diagonals, or why there is none.
type diagonalPacking struct {
	*sparse.Diagonals
	err error
}

// diagonalsRecipe converts the matrix.
func diagonalsRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	const (
		heads     = "slice_heads"
		distances = "slice_distances"
		values    = "diagonal_values"
	)
	turn := settingInt(c, "turn")
	type key struct{ turn int }
	p := pack(m, key{turn}, func() (*diagonalPacking, int64) {
		d, err := sparse.NewDiagonals(m, turn, min(max(2*m.NNZ(), alwaysStored), sparse.MaxIndex))
		if err != nil {
			return &diagonalPacking{err: err}, 0
		}
		return &diagonalPacking{Diagonals: d}, 4 * int64(len(d.Heads)+len(d.Distances)+len(d.Order))
	})
	if p.err != nil {
		return nil, invalid("%v", p.err)
	}

	return &recipe{
		Aux: []aux{{Name: heads, Ints: p.Heads}, {Name: distances, Ints: p.Distances}, {Name: values, Vals: p.Order}},
		Steps: []step{{
			Entry: c.Kernel + "_" + strconv.Itoa(turn), Grid: c.Grid, Block: c.Block,
			Args: []arg{ptr(heads), ptr(distances), ptr(values), ptr(vecX), ptr(vecY), num(m.Rows), num(m.Cols)},
		}},
	}, nil
}
