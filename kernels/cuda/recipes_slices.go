package cuda

import (
	"strconv"
	"unsafe"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A narrowPacking is a matrix in tiles as the device gets it.
type narrowPacking struct {
	heads, starts, columns, upper, order []int32
	err                                  error // why there is none
}

// narrowRecipe converts the matrix.
func narrowRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const (
		heads   = "tile_heads"
		starts  = "tile_starts"
		columns = "tile_columns"
		upper   = "tile_columns_upper"
		values  = "tile_values"
		counter = "tile_counters"
		parts   = "tile_parts"
		places  = 256 // STARTS of csr_narrow.cu
	)
	equal, entry := setting(c, "values") == "equal", c.Kernel+"_"+setting(c, "loads")
	if equal {
		if !pack(m, valuesEqual{}, func() (bool, int64) { return allEqual(m.Val), 0 }) {
			return nil, invalid("the matrix's values are not all equal")
		}
		entry = c.Kernel + "_equal_" + setting(c, "loads")
	}
	mixed := setting(c, "columns") == "mixed"
	if mixed {
		entry += "_mixed"
	}

	vector := 16 / v // values, or columns, in 16 bytes
	if equal {
		vector = 8
	}
	type key struct{ tile, vector int }
	k := key{settingInt(c, "tile"), vector}
	p := pack(m, k, func() (*narrowPacking, int64) { return packNarrow(m, k.tile, k.vector) })
	switch {
	case p.err != nil:
		return nil, invalid("%v", p.err)
	case len(p.upper) > 0 && !mixed:
		return nil, invalid("the columns of a tile span more than 16 bits")
	}

	halves, order := columns, p.order
	r := &recipe{Aux: []aux{
		{Name: heads, Ints: p.heads}, {Name: starts, Ints: p.starts}, {Name: columns, Ints: p.columns},
	}}
	if len(p.upper) > 0 {
		halves = upper
		r.Aux = append(r.Aux, aux{Name: upper, Ints: p.upper})
	}
	if equal {
		order = firstValue
	}
	tiles := len(p.heads) / 4
	r.Aux = append(r.Aux, aux{Name: values, Vals: order}, aux{Name: counter, Bytes: 4 * tiles},
		aux{Name: parts, Values: tiles})
	r.Steps = []step{{
		Entry: entry, Grid: c.Grid, Block: c.Block, Shared: c.Block / warp * (k.tile*v + 2*places),
		Args: []arg{ptr(heads), ptr(starts), ptr(columns), ptr(halves), ptr(values), ptr(vecX), ptr(vecY),
			num(tiles), num(k.tile), ptr(counter), ptr(parts)},
	}}
	return r, nil
}

// packNarrow converts m. A matrix that does not suit has an error.
func packNarrow(m *structure, tile, vector int) (*narrowPacking, int64) {
	t, err := sparse.NewNarrow(m, tile, vector)
	if err != nil {
		return &narrowPacking{err: err}, 0
	}
	p := &narrowPacking{heads: t.Heads, starts: words(t.Starts), columns: words(t.Columns), order: t.Order}
	if len(t.Upper) > 0 {
		p.upper = words(t.Upper)
	}
	return p, 4 * int64(len(p.heads)+len(p.starts)+len(p.columns)+len(p.upper)+len(p.order))
}

// valuesEqual is the key of what allEqual reports.
type valuesEqual struct{}

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

// A jaggedPacking is a matrix in jagged slices as the device gets it.
type jaggedPacking struct {
	heads, lengths, columns, upper, order []int32
	err                                   error // why there is none
}

// alwaysStored is how many values a matrix may take in any case.
const alwaysStored = 1 << 16

// blocksRecipe converts the matrix.
func blocksRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	const (
		heads   = "slice_heads"
		lengths = "block_row_lengths"
		columns = "block_columns"
		upper   = "block_columns_upper"
		values  = "block_values"
	)
	shape, mixed := int(setting(c, "shape")[0]-'0'), setting(c, "columns") == "mixed"
	type key struct{ shape int }
	p := pack(m, key{shape}, func() (*jaggedPacking, int64) { return packJagged(m, shape) })
	entry := c.Kernel + "_" + strconv.Itoa(shape) + "_" + setting(c, "loads")
	switch {
	case p.err != nil:
		return nil, invalid("%v", p.err)
	case len(p.upper) > 0 && !mixed:
		return nil, invalid("the columns of a slice span more than 16 bits")
	case mixed:
		entry += "_mixed"
	}

	r := &recipe{Aux: []aux{
		{Name: heads, Ints: p.heads}, {Name: lengths, Ints: p.lengths}, {Name: columns, Ints: p.columns},
		{Name: values, Vals: p.order},
	}}
	halves := columns // is not read then
	if len(p.upper) > 0 {
		halves = upper
		r.Aux = append(r.Aux, aux{Name: upper, Ints: p.upper})
	}
	r.Steps = []step{{Entry: entry, Grid: c.Grid, Block: c.Block, Args: []arg{
		ptr(heads), ptr(lengths), ptr(columns), ptr(halves), ptr(values), ptr(vecX), ptr(vecY), num(m.Rows),
	}}}
	return r, nil
}

// packJagged converts m. A matrix that does not suit has an error.
func packJagged(m *structure, shape int) (*jaggedPacking, int64) {
	j, err := sparse.NewJagged(m, shape, shape, max(m.NNZ()+m.NNZ()/2, alwaysStored))
	if err != nil {
		return &jaggedPacking{err: err}, 0
	}
	p := &jaggedPacking{
		heads: j.Heads, lengths: words(j.Lengths), columns: words(j.Columns), order: j.Order,
	}
	if len(j.Upper) > 1 {
		p.upper = words(j.Upper)
	}
	return p, 4 * int64(len(p.heads)+len(p.lengths)+len(p.columns)+len(p.upper)+len(p.order))
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
