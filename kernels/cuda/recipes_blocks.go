package cuda

import (
	"strconv"
	"unsafe"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

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
