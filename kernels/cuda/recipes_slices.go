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
	if err := equalIfAsked(m, c); err != nil {
		return nil, err
	}
	entry, vector, tile := c.Kernel+"_", 16/v, tileSize(m, c)
	p, err := pack(m, fmt.Sprint("tiles ", tile, vector), func() (*slicePacking, error) { return packNarrow(m, tile, vector) })
	if err != nil {
		return nil, err
	}
	columns, upper, suffix := p.columnArgs("tile_columns")
	order := p.order
	if setting(c, "values") == "equal" {
		entry, order = entry+"equal_", firstValue
	}
	return overTiles(m, configStep(c, entry+strconv.Itoa(tile)+suffix, 0, ints("tile_heads", p.heads), ints("tile_starts", p.lengths),
		columns, upper, permuted("tile_values", order), ptr(vecX), ptr(vecY)), tile, len(p.heads)/4, v), nil
}

// overTiles is the recipe of a kernel whose warps sum tiles (segments.cuh): sums, 256 starts of rows, and ends of a warp are
// in shared memory. A part is two words in float64, and one in float32.
func overTiles(m *structure, s step, tile, tiles, v int) *recipe {
	s.Shared, s.AtOnce = s.Block/warp*(tile*v*9/8+2*256+4*warp), true
	if x := m.Cols * v; x >= 128<<10 && x <= 512<<10 && scattered(m) {
		s.ForCache = 63 << 10 // an H200 then has 192 KB of L1 cache on a multiprocessor, for 156
	}
	s.Args = append(s.Args, num(tiles), scratchBytes("tile_counters", 4*tiles), scratchBytes("tile_parts", 16*tiles), kept)
	return &recipe{Steps: []step{s}}
}

// blocks is how many blocks of s a multiprocessor gets, on which so many fit that have so many bytes of shared memory.
// ForCache decides where it costs less than a third of them.
func (s *step) blocks(fit, shared int) int {
	if few := s.ForCache / shared; 3*few > 2*fit {
		return min(few, fit)
	}
	return fit
}

// scattered reports whether few nonzeros are next to another in their row: whether sparse.Features.NeighbourRate, by 64
// nonzeros at each of 64 places, is below 0.1.
func scattered(m *structure) bool {
	next := 0
	for k := range 4096 {
		if i := k/64*(m.NNZ()/64) + k%64; i+1 < m.NNZ() && m.ColIdx[i+1]-m.ColIdx[i] == 1 {
			next++
		}
	}
	return 20*next < 4096
}

// tileSize is the most nonzeros of a tile of several rows.
func tileSize(m *structure, c kernels.Config) int {
	tile := 512
	if m.NNZ() < max(2*m.Rows, 2<<20) { // on an H200, few nonzeros want more tiles, and short rows don't fill large ones
		tile = 256
	}
	return cmp.Or(settingInt(c, "tile"), tile)
}

// segscanRecipe cuts rows into tiles, and leaves the matrix as it is.
func segscanRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	tile := tileSize(m, c)
	heads, _ := pack(m, fmt.Sprint("heads ", tile), func() ([]int32, error) {
		tiles := sparse.CutTiles(m.RowPtr, tile)
		heads := make([]int32, 4*len(tiles))
		each(len(tiles), 4096, func(i int) {
			t := tiles[i]
			copy(heads[4*i:], []int32{t.Row, t.Nonzero, t.End - t.Nonzero + t.Piece*int32(4*tile), t.Rows - t.Pieces})
		})
		return heads, nil
	})
	return overTiles(m, csrStep(m, c, c.Kernel+"_"+strconv.Itoa(tile), 0, ints("tile_heads", heads)), tile, len(heads)/4, v), nil
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
