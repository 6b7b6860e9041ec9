// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"cmp"
	"fmt"
	"strconv"
	"unsafe"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// A slicePacking is a matrix in tiles or in jagged slices, as the device gets it.
type slicePacking struct {
	heads, columns, order []int32
	lengths               []int32 // of rows of blocks; or where the rows of a tile start
	upper                 []int32 // halves of columns; empty where those of each slice suffice
}

// columnArgs are the columns of a packing and their upper halves, and the end of the entry's name for them: where there
// are no upper halves, it does not read them.
func (p *slicePacking) columnArgs(name string) (lower, upper arg, suffix string) {
	lower = ints(name, p.columns)
	if len(p.upper) == 0 {
		return lower, lower, ""
	}
	return lower, ints(name+"_upper", p.upper), "_mixed"
}

// narrowRecipe converts the matrix to tiles.
func narrowRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const places = 256 // STARTS of csr_narrow.cu
	if err := equalIfAsked(m, c); err != nil {
		return nil, err
	}
	tile := 512
	if m.NNZ() < max(2*m.Rows, 3<<20) { // on an H200, few nonzeros want more tiles, and short rows don't fill large ones
		tile = 256
	}
	entry, vector, tile := c.Kernel+"_", 16/v, cmp.Or(settingInt(c, "tile"), tile)
	p, err := pack(m, fmt.Sprint("tiles ", tile, vector), func() (*slicePacking, error) { return packNarrow(m, tile, vector) })
	if err != nil {
		return nil, err
	}
	columns, upper, suffix := p.columnArgs("tile_columns")
	tiles, order := len(p.heads)/4, p.order
	if setting(c, "values") == "equal" {
		entry, order = entry+"equal_", firstValue
	}
	s := configStep(c, entry+strconv.Itoa(tile)+suffix, c.Block/warp*(tile*v*9/8+2*places+4*warp),
		ints("tile_heads", p.heads), ints("tile_starts", p.lengths), columns, upper, permuted("tile_values", order),
		ptr(vecX), ptr(vecY), num(tiles), scratchBytes("tile_counters", 4*tiles), scratch("tile_parts", tiles), kept)
	s.AtOnce = true
	return &recipe{Steps: []step{s}}, nil
}

// packNarrow converts m, if it suits.
func packNarrow(m *structure, tile, vector int) (*slicePacking, error) {
	t, err := sparse.NewNarrow(m, tile, vector)
	if err != nil {
		return nil, err
	}
	return &slicePacking{heads: t.Heads, lengths: words(t.Starts), columns: words(t.Columns), upper: words(t.Upper),
		order: t.Order}, nil
}

// equalIfAsked refuses a matrix whose values are not all equal where c leaves them out.
func equalIfAsked(m *structure, c kernels.Config) error {
	if setting(c, "values") != "equal" {
		return nil
	}
	if equal, _ := pack(m, "equal", func() (bool, error) { return allEqual(m.Val), nil }); !equal {
		return invalid("the matrix's values are not all equal")
	}
	return nil
}

// allEqual reports whether there are values, all of them equal. It looks at every one: in a long row
// verification can't tell a single value that is not from rounding.
func allEqual(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return len(values) > 0
}

// firstValue is the order of a matrix whose values are all equal.
var firstValue = []int32{0}

// alwaysStored is how many values a matrix may take in any case.
const alwaysStored = 1 << 16

// blocksRecipe converts the matrix to jagged slices of blocks.
func blocksRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	shape := int(setting(c, "shape")[0] - '0')
	p, err := pack(m, fmt.Sprint("jagged ", shape), func() (*slicePacking, error) { return packJagged(m, shape) })
	if err != nil {
		return nil, err
	}
	columns, upper, suffix := p.columnArgs("block_columns")
	return &recipe{Steps: []step{configStep(c, c.Kernel+"_"+strconv.Itoa(shape)+"_"+setting(c, "loads")+suffix, 0,
		ints("slice_heads", p.heads), ints("block_row_lengths", p.lengths), columns, upper, permuted("block_values", p.order),
		ptr(vecX), ptr(vecY), num(m.Rows), kept)}}, nil
}

// packJagged converts m, if it suits.
func packJagged(m *structure, shape int) (*slicePacking, error) {
	j, err := sparse.NewJagged(m, shape, shape, max(m.NNZ()+m.NNZ()/2, alwaysStored))
	if err != nil {
		return nil, err
	}
	p := &slicePacking{heads: j.Heads, lengths: words(j.Lengths), columns: words(j.Columns), order: j.Order}
	if len(j.Upper) > 1 { // the last means nothing
		p.upper = words(j.Upper)
	}
	return p, nil
}

// words are the same bytes as numbers of 32 bits, filled up with zeros.
func words[T uint8 | uint16](s []T) []int32 {
	size := int(unsafe.Sizeof(T(0)))
	w := make([]int32, ceilDiv(len(s)*size, 4))
	if len(s) > 0 {
		copy(unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(w))), len(w)*4/size), s)
	}
	return w
}

// diagonalsRecipe converts the matrix to diagonals.
func diagonalsRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	turn := settingInt(c, "turn")
	d, err := pack(m, fmt.Sprint("diagonals ", turn), func() (*sparse.Diagonals, error) {
		return sparse.NewDiagonals(m, turn, min(max(2*m.NNZ(), alwaysStored), sparse.MaxIndex))
	})
	if err != nil {
		return nil, err
	}
	return &recipe{Steps: []step{configStep(c, c.Kernel+"_"+strconv.Itoa(turn), 0, ints("slice_heads", d.Heads),
		ints("slice_distances", d.Distances), permuted("diagonal_values", d.Order), ptr(vecX), ptr(vecY), num(m.Rows),
		num(m.Cols), kept)}}, nil
}
