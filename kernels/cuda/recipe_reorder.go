package cuda

import (
	"slices"
	"weak"

	"spmvtune/kernels"
	"spmvtune/sparse/reorder"
)

// Arrays of a product on a matrix in another order.
const (
	orderedRowPtr = "reordered_row_ptr"
	orderedRowIdx = "reordered_row_idx"
	orderedColIdx = "reordered_col_idx"
	orderedVal    = "reordered_val"
	orderedX      = "reordered_x"
	orderedY      = "reordered_y"
	columnAt      = "reordered_columns" // which column of the matrix comes where
	placeOf       = "reordered_places"  // where each row of the matrix went
)

// gatherBlock is the number of threads of a block that permutes.
const gatherBlock = 256

// An ordering is a matrix in another order.
type ordering struct {
	m       *structure // its values are in the matrix's order
	from    []int32    // the nonzero of the matrix that each nonzero of m is
	columns []int32    // nil where they keep their order
	places  []int32
	err     error // why there is none
}

// newRecipe makes the recipe of a legal configuration, in the order of rows that it asks for.
// ok is false for a kernel without a recipe.
func newRecipe(m *structure, c kernels.Config, v int) (r *recipe, ok bool, err error) {
	of, ok := recipes[c.Kernel]
	if !ok {
		return nil, false, nil
	}
	how, set := c.Params.Get(kernels.Reorder)
	if !set || how == "none" {
		r, err = of(m, c, v)
		return r, true, err
	}
	o := pack(m, reorder.Method(how), func() (*ordering, int64) { return order(m, reorder.Method(how)) })
	if o.err != nil {
		return nil, true, invalid("%v", o.err)
	}
	alsoOf(m, o.m)
	if r, err = of(o.m, c, v); err != nil {
		return nil, true, err
	}
	return o.around(m, r), true, nil
}

// order puts m into another order.
func order(m *structure, how reorder.Method) (*ordering, int64) {
	to, err := reorder.Of(m, how)
	if err != nil {
		return &ordering{err: err}, 0
	}
	o := &ordering{columns: to.Cols, places: reorder.Inverse(to.Rows)}
	o.m, o.from = reorder.Structure(m, to)
	return o, 4 * int64(len(o.columns)+len(o.places)+len(o.m.RowPtr)+2*len(o.from))
}

// around makes of a recipe for the ordered matrix one for m: before its steps x is put into the
// new order, and after them y into that of m.
func (o *ordering) around(m *structure, inner *recipe) *recipe {
	r := &recipe{Window: inner.Window, Clear: slices.Clone(inner.Clear)}
	for _, a := range inner.Aux {
		if len(a.Vals) > 0 {
			a.Vals = o.through(m, a.Vals)
		}
		r.Aux = append(r.Aux, a)
	}
	if inner.Zero {
		r.Clear = append(r.Clear, orderedY)
	}

	r.Aux = append(r.Aux, aux{Name: placeOf, Ints: o.places}, aux{Name: orderedY, Values: m.Rows})
	x := vecX
	if o.columns != nil {
		x = orderedX
		r.Aux = append(r.Aux, aux{Name: columnAt, Ints: o.columns}, aux{Name: orderedX, Values: m.Cols})
		r.Steps = append(r.Steps, gatherStep(columnAt, vecX, orderedX, m.Cols))
	}
	renamed := map[string]string{
		rowPtr: orderedRowPtr, rowIdx: orderedRowIdx, colIdx: orderedColIdx, val: orderedVal, vecX: x, vecY: orderedY,
	}

	used := map[string]bool{}
	for _, s := range inner.Steps {
		s.Args = slices.Clone(s.Args)
		for i, g := range s.Args {
			if to := renamed[g.array]; to != "" {
				s.Args[i].array = to
				used[to] = true
			}
		}
		r.Steps = append(r.Steps, s)
	}
	r.Aux = append(r.Aux, o.matrix(used)...)
	r.Steps = append(r.Steps, gatherStep(placeOf, orderedY, vecY, m.Rows))
	return r
}

// matrix are the arrays of the ordered matrix that are used.
func (o *ordering) matrix(used map[string]bool) []aux {
	var list []aux
	if used[orderedRowPtr] {
		list = append(list, aux{Name: orderedRowPtr, Ints: o.m.RowPtr})
	}
	if used[orderedColIdx] {
		list = append(list, aux{Name: orderedColIdx, Ints: o.m.ColIdx})
	}
	if used[orderedVal] {
		list = append(list, aux{Name: orderedVal, Vals: o.from})
	}
	if used[orderedRowIdx] {
		rows := pack(o.m, orderedRowIdx, func() ([]int32, int64) { return rowIndices(o.m), 4 * int64(o.m.NNZ()) })
		list = append(list, aux{Name: orderedRowIdx, Ints: rows})
	}
	return list
}

// through turns indices of nonzeros of the ordered matrix into those of m. They are kept, since
// an array on the device is known by the memory that it came from.
func (o *ordering) through(m *structure, vals []int32) []int32 {
	type key struct {
		order *ordering
		vals  weak.Pointer[int32]
	}
	return pack(m, key{o, weak.Make(&vals[0])}, func() ([]int32, int64) {
		out := make([]int32, len(vals))
		for i, k := range vals {
			out[i] = -1
			if k >= 0 {
				out[i] = o.from[k]
			}
		}
		return out, 4 * int64(len(out))
	})
}

// gatherStep makes to[i] = from[source[i]] for i < n.
func gatherStep(source, from, to string, n int) step {
	return step{
		Entry: "reorder_gather", Grid: ceilDiv(n, gatherBlock), Block: gatherBlock,
		Args: []arg{ptr(source), ptr(from), ptr(to), num(n)},
	}
}
