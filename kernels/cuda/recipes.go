package cuda

import (
	"slices"
	"weak"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
)

// A recipeFunc makes the recipe of a legal configuration (kernels.Kernel.Check) of its
// kernel. v is the size of a value in bytes. A *kernels.InvalidError says why the
// configuration can't run on this matrix.
type recipeFunc func(m *structure, c kernels.Config, v int) (*recipe, error)

// recipes has the recipe function of every kernel in ptx/. All else is found from these
// rows: the PTX by the names of its entries (see ptx.go).
var recipes = map[string]recipeFunc{
	// coo_simple.cu: the kernels add to y.
	"coo_atomic":       cooAtomicRecipe,
	"coo_thread_chunk": cooChunkRecipe,
	"coo_grid_stride":  cooChunkRecipe,
	"coo_warp_chunk":   cooChunkRecipe,
	"coo_block_chunk":  cooChunkRecipe,

	// coo_scan_*.cu and coo_blelloch.cu: the kernels add to y.
	"coo_scan_shared":               scanSharedRecipe,
	"coo_segscan_shared":            scanSharedRecipe,
	"coo_blelloch":                  blellochRecipe,
	"coo_blelloch_padded":           blellochRecipe,
	"coo_scan_warp":                 scanWarpRecipe,
	"coo_segscan_warp":              scanWarpRecipe,
	"coo_scan_block":                scanBlockRecipe,
	"coo_segscan_block":             scanBlockRecipe,
	"coo_scan_warp_chunk":           scanChunkRecipe,
	"coo_segscan_warp_chunk":        scanChunkRecipe,
	"coo_segscan_warp_chunk_unroll": scanUnrollRecipe,

	// csr_*.cu: all kernels but csr_bins_v1 write every row.
	"csr_scalar":                 rowsRecipe(nothing),
	"csr_scalar_ahead":           rowsRecipe(nothing),
	"csr_vector":                 rowsRecipe(valuePerThread),
	"csr_vector_ahead":           rowsRecipe(valuePerThread),
	"csr_warp_row_global":        rowsGlobalRecipe,
	"csr_warp_row_shuffle":       rowsRecipe(nothing),
	"csr_warp_row_shuffle_ahead": rowsRecipe(nothing),
	"csr_thread_row_v1":          bufferedRecipe,
	"csr_thread_row":             threadRowRecipe,
	"csr_thread_row_ahead":       rowsRecipe(nothing),
	"csr_warp_row_v1":            bufferedRecipe,
	"csr_warp_row":               bufferedRecipe,
	"csr_warp_row_ahead":         rowsRecipe(nothing),
	"csr_warp_row_tile":          tileRecipe(func(block int) int { return block / warp }),
	"csr_block_tile":             tileRecipe(func(int) int { return 1 }),
	"csr_light":                  lightRecipe,
	"csr_light_warp":             lightRecipe,
	"csr_adaptive":               adaptiveRecipe,
	"csr_pcsr":                   pcsrRecipe,
	"csr_bins_v1":                binsV1Recipe,
	"csr_bins":                   binsRecipe,
	"csr_bins_ahead":             binsRecipe,
	"csr_hybrid_v1":              hybridRecipe,
	"csr_hybrid":                 hybridRecipe,
	"csr_merge":                  mergeRecipe,
	"csr_narrow":                 narrowRecipe,
	"csr_merge_warp":             mergeWarpRecipe,

	// panel_sell.cu: the second of its kernels writes every row.
	"panel_sell": panelRecipe,

	// csr_lanes.cu: the last of its kernels writes every row.
	"csr_lanes": lanesRecipe,

	// csr_stream.cu: the kernel writes every row.
	"csr_stream": streamRecipe,

	// sell*.cu: the kernels write every row.
	"sell_c_sigma":   sellRecipe,
	"sell_blocks":    blocksRecipe,
	"sell_diagonals": diagonalsRecipe,
	"sell_hot":       sellHotRecipe,
	"sell_local":     sellLocalRecipe,
}

// A recipe says what one product launches, in terms of arrays on the device. It depends only on
// the matrix's structure and a configuration, not on a device, so that it can be tested
// anywhere.
type recipe struct {
	// Zero says that y must be zeroed on the device, inside the timed region,
	// because the kernel adds to it.
	Zero bool
	// Aux are the arrays that this kernel needs beyond those every problem has.
	Aux []aux
	// Clear names scratch arrays of Aux that must be zeroed before each product,
	// inside the timed region (counters).
	Clear []string
	Steps []step
	// Window is the number of consecutive nonzeros, aligned at its multiples,
	// over which a kernel with error scope "block" sums; 0 for the others.
	Window int
}

// A step is one kernel launch.
type step struct {
	Entry  string // name in the PTX, without the suffix _f32 or _f64 of the precision
	Grid   int    // blocks; a step with 0 blocks is not launched
	Block  int    // threads
	Shared int    // dynamic shared memory, bytes
	Args   []arg  // in the order of the entry's parameters
}

// An arg is an argument of an entry: an array by name, or a 32-bit number.
type arg struct {
	array string
	value int32
}

func ptr(array string) arg { return arg{array: array} }
func num(n int) arg        { return arg{value: int32(n)} }

// Arrays that every problem has on the device; an aux array may not be called
// so. COO's row indices are uploaded when a recipe first names them.
const (
	rowPtr = "row_ptr" // int32[rows+1]
	colIdx = "col_idx" // int32[nnz]
	rowIdx = "row_idx" // int32[nnz]
	val    = "val"     // V[nnz]
	vecX   = "x"       // V[cols]
	vecY   = "y"       // V[rows]
)

// An aux is an array of a kernel's own. Exactly one of the sources is set.
type aux struct {
	Name string
	// Ints is uploaded unchanged (row blocks, bins, permutations).
	Ints []int32
	// Vals is a permutation with padding of the matrix's values: element k is
	// val[Vals[k]], or 0 where Vals[k] is −1. It is uploaded as V.
	Vals []int32
	// Values is scratch for that many V, Bytes scratch for that many bytes.
	Values int
	Bytes  int
}

// A structure is the part of a matrix that recipes see.
type structure = sparse.CSR[float64]

// rowIndices returns the row of every nonzero.
func rowIndices(a *structure) []int32 {
	rows := make([]int32, a.NNZ())
	for i := range a.Rows {
		for k := a.RowPtr[i]; k < a.RowPtr[i+1]; k++ {
			rows[k] = int32(i)
		}
	}
	return rows
}

// ceilDiv is ⌈a/b⌉ for a ≥ 0, b > 0.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

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
