package cuda

import (
	"spmvtune/kernels"
	"spmvtune/kernels/custom"
)

// customPrefix begins the names of entries that are not in the PTX of this package.
const customPrefix = "own."

// customRecipe makes the recipe of a kernel of the sweep, whose entry takes the sizes of the matrix,
// its arrays, x and y.
func customRecipe(o kernels.Custom, m *structure, c kernels.Config) (*recipe, error) {
	sizes := o.Variables(c, m.Rows, m.Cols, m.NNZ())
	grid, err := custom.Value(o.Launch, sizes)
	if err != nil {
		return nil, invalid("blocks: %v", err)
	}
	shared, err := custom.Value(o.Shared, sizes)
	if err != nil {
		return nil, invalid("shared: %v", err)
	}
	s := step{
		Entry: customPrefix + o.Name, Grid: grid, Block: c.Block, Shared: shared,
		Args: []arg{num(m.Rows), num(m.Cols), num(m.NNZ())},
	}
	r := &recipe{Zero: o.Zero}
	switch o.Format {
	case kernels.COO:
		s.Args = append(s.Args, ptr(rowIdx), ptr(colIdx), ptr(val))
	case kernels.SELL:
		if r.Aux, err = customSlices(o, m, c); err != nil {
			return nil, err
		}
		for _, a := range r.Aux {
			s.Args = append(s.Args, ptr(a.Name))
		}
	default:
		s.Args = append(s.Args, ptr(rowPtr), ptr(colIdx), ptr(val))
	}
	s.Args = append(s.Args, ptr(vecX), ptr(vecY))
	if m.Rows > 0 && m.NNZ() > 0 || !o.Zero {
		r.Steps = []step{s}
	}
	return r, nil
}

// customSlices are the arrays of the matrix as SELL, in the order of the entry's arguments.
func customSlices(o kernels.Custom, m *structure, c kernels.Config) ([]aux, error) {
	type key struct{ chunk, sigma int }
	k := key{int(o.Variables(c, 0, 0, 0)["chunk"]), o.Variables(c, 0, 0, 0)["sigma"]}
	if k.sigma > 1 { // a window holds whole chunks
		k.sigma = ceilDiv(k.sigma, k.chunk) * k.chunk
	}
	s := pack(m, k, func() (*sellPacking, int64) {
		p, bytes := packSELL(m, k.chunk, k.sigma)
		if p.err == nil && len(p.perm) == 0 { // no row was moved
			for i := range m.Rows {
				p.perm = append(p.perm, int32(i))
			}
			bytes += 4 * int64(m.Rows)
		}
		return p, bytes
	})
	if s.err != nil {
		return nil, invalid("%v", s.err)
	}
	return []aux{
		{Name: "own_chunks", Ints: s.chunkPtr}, {Name: "own_rows", Ints: s.perm},
		{Name: "own_columns", Ints: s.columns}, {Name: "own_values", Vals: s.order},
	}, nil
}
