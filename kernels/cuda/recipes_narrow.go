package cuda

import (
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
