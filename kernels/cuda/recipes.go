// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"weak"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/reorder"
)

// A recipeFunc makes the recipe of a legal configuration (kernels.Kernel.Check) of its
// kernel. v is the size of a value in bytes. A *kernels.InvalidError says why the
// configuration can't run on this matrix.
type recipeFunc func(m *structure, c kernels.Config, v int) (*recipe, error)

// recipes has the recipe function of every kernel in ptx/. All else is found from these
// rows: the PTX by the names of its entries (see ptx.go).
var recipes = map[string]recipeFunc{
	// coo_simple.cu: the kernels add to y.
	"coo_atomic":       cooRecipe(cooForm{}),
	"coo_thread_chunk": cooRecipe(cooForm{perThread: true}),
	"coo_grid_stride":  cooRecipe(cooForm{perThread: true}),
	"coo_warp_chunk":   cooRecipe(cooForm{perThread: true}),
	"coo_block_chunk":  cooRecipe(cooForm{perThread: true}),

	// coo_scan_*.cu and coo_blelloch.cu: the kernels add to y.
	"coo_scan_shared":               cooRecipe(cooForm{window: aBlock, shared: scanBuffers}),
	"coo_segscan_shared":            cooRecipe(cooForm{window: aBlock, shared: scanBuffers}),
	"coo_blelloch":                  cooRecipe(cooForm{window: twoBlocks, shared: blellochTree}),
	"coo_blelloch_padded":           cooRecipe(cooForm{window: twoBlocks, shared: blellochPadded}),
	"coo_scan_warp":                 cooRecipe(cooForm{window: aWarp}),
	"coo_segscan_warp":              cooRecipe(cooForm{window: aWarp}),
	"coo_scan_block":                cooRecipe(cooForm{window: aBlock}),
	"coo_segscan_block":             cooRecipe(cooForm{window: aBlock}),
	"coo_scan_warp_chunk":           cooRecipe(cooForm{window: aWarp, perThread: true}),
	"coo_segscan_warp_chunk":        cooRecipe(cooForm{window: aWarp, perThread: true}),
	"coo_segscan_warp_chunk_unroll": cooRecipe(cooForm{window: aWarp, perThread: true}),

	// csr_*.cu: all kernels but csr_bins_v1 write every row.
	"csr_scalar":                 rowsRecipe,
	"csr_scalar_ahead":           rowsRecipe,
	"csr_vector":                 vectorRecipe,
	"csr_vector_ahead":           vectorRecipe,
	"csr_warp_row_global":        rowsGlobalRecipe,
	"csr_warp_row_shuffle":       rowsRecipe,
	"csr_warp_row_shuffle_ahead": rowsRecipe,
	"csr_thread_row_v1":          rowsRecipe,
	"csr_thread_row":             threadRowRecipe,
	"csr_thread_row_ahead":       rowsRecipe,
	"csr_warp_row_v1":            rowsRecipe,
	"csr_warp_row":               rowsRecipe,
	"csr_warp_row_ahead":         rowsRecipe,
	"csr_warp_row_tile":          tileRecipe(warp),
	"csr_block_tile":             tileRecipe(0),
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
	"csr_segscan":                segscanRecipe,

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
	Zero  bool
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
	AtOnce bool   // no more blocks than the device runs at once: all have about as much to do, and late ones would run alone
	// ForCache, if not 0: of a multiprocessor's shared memory, the blocks that run at once should take so many bytes at most,
	// for more of the L1 cache.
	ForCache int
}

// An arg is an argument of an entry: a 32-bit number, or an array by its name, or kept.
type arg struct {
	array string
	value int32
	kept  bool // the number that piecesKept gives
	own   *aux // where the array is the kernel's own; a name stands for one array in a recipe
}

// An aux is an array of a kernel's own. At most one of the sources is set.
type aux struct {
	// Ints is uploaded unchanged (row blocks, bins, permutations).
	Ints []int32
	// Vals is a permutation with padding of the matrix's values: element k is
	// val[Vals[k]], or 0 where Vals[k] is −1. It is uploaded as V.
	Vals []int32
	// Values is scratch for that many V, Bytes scratch for that many bytes.
	Values int
	Bytes  int
	// Clear says that it must be zeroed before each product, inside the timed region.
	Clear bool
}

// size is the number of bytes, where a value has v.
func (x *aux) size(v int) int64 {
	return 4*int64(len(x.Ints)) + int64(x.Bytes) + int64(v)*int64(len(x.Vals)+x.Values)
}

// kept is what piecesKept gives.
var kept = arg{kept: true}

// piecesKept says how many pieces of a matrix are to stay in the L2 cache, in 2³²nds (stream.cuh): all where everything, with
// vectors, takes 0.7 of it at most, else so many that they and the vectors take 0.4. All are bytes. Read again and again on
// an H200, up to 45 of 60 MB come from the cache, but pieces of more than 30 do not stay beside a larger matrix.
func piecesKept(cache, all, vectors int64) uint32 {
	if float64(all) <= 0.7*float64(cache) {
		return math.MaxUint32
	}
	share := (0.4*float64(cache) - float64(vectors)) / float64(all-vectors)
	return uint32(math.MaxUint32 * min(max(share, 0), 1))
}

func num(n int) arg                           { return arg{value: int32(n)} }
func ptr(array string) arg                    { return arg{array: array} }
func ints(name string, s []int32) arg         { return arg{array: name, own: &aux{Ints: s}} }
func permuted(name string, order []int32) arg { return arg{array: name, own: &aux{Vals: order}} }
func scratch(name string, values int) arg     { return arg{array: name, own: &aux{Values: values}} }
func scratchBytes(name string, bytes int) arg { return arg{array: name, own: &aux{Bytes: bytes}} }

// arrays gives each array that a recipe names, once.
func (r *recipe) arrays(yield func(arg) bool) {
	seen := map[string]bool{"": true}
	for _, s := range r.Steps {
		for _, g := range s.Args {
			if !seen[g.array] && !yield(g) {
				return
			}
			seen[g.array] = true
		}
	}
}

// configStep is a step with the block and the grid of a configuration.
func configStep(c kernels.Config, entry string, shared int, args ...arg) step {
	return step{Entry: entry, Grid: c.Grid, Block: c.Block, Shared: shared, Args: args}
}

// threadStep is a step with a thread for each of n.
func threadStep(n, block int, entry string, args ...arg) step {
	return step{Entry: entry, Grid: ceilDiv(n, block), Block: block, Args: args}
}

// Arrays that every problem has on the device. COO's row indices are uploaded when a recipe first names them.
const (
	rowPtr = "row_ptr" // int32[rows+1]
	colIdx = "col_idx" // int32[nnz]
	rowIdx = "row_idx" // int32[nnz]
	val    = "val"     // V[nnz]
	vecX   = "x"       // V[cols]
	vecY   = "y"       // V[rows]
)

// A structure is the part of a matrix that recipes see.
type structure = sparse.CSR[float64]

// rowIndices returns the row of every nonzero.
func rowIndices(a *structure) []int32 {
	rows := make([]int32, a.NNZ())
	putRows(a, rows, 0)
	return rows
}

// putRows puts the rows of some nonzeros, from one on, on all cores.
func putRows(a *structure, rows []int32, from int) {
	eachShare(len(rows), fewSteps, func(lo, hi int) {
		row := lowerBound(a.RowPtr[1:], from+lo+1)
		for k := lo; k < hi; k++ {
			for int(a.RowPtr[row+1]) <= from+k {
				row++
			}
			rows[k] = int32(row)
		}
	})
}

// ceilDiv is ⌈a/b⌉ for a ≥ 0, b > 0.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

// setting is the value of a parameter in c, its default if c does not set it, and "" if the kernel has none.
func setting(c kernels.Config, name string) string {
	k, _ := kernels.Lookup(c.Kernel) // a kernel with a recipe is in the catalogue
	return k.Setting(c.Params, name)
}

// settingInt is the same for a parameter whose legal values are numbers.
func settingInt(c kernels.Config, name string) int {
	n, _ := strconv.Atoi(setting(c, name))
	return n
}

// invalid says why a configuration can't run on a matrix.
func invalid(format string, args ...any) error {
	return &kernels.InvalidError{Reason: fmt.Sprintf(format, args...)}
}

// gatherBlock is the number of threads of a block that permutes.
const gatherBlock = 256

// An ordering is a matrix in another order.
type ordering struct {
	m       *structure // its values are in the matrix's order
	from    []int32    // the nonzero of the matrix that each nonzero of m is
	columns []int32    // nil where they keep their order
	places  []int32
}

// newRecipe makes the recipe of a legal configuration, in the order of rows that it asks for.
func newRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	of, ok := recipes[c.Kernel]
	if !ok {
		return nil, fmt.Errorf("%s is in the catalogue but not in this program", c.Kernel)
	}
	how, set := c.Params.Get(kernels.Reorder)
	if !set || how == "none" {
		return of(m, c, v)
	}
	o, err := pack(m, reorder.Method(how), func() (*ordering, error) { return order(m, reorder.Method(how)) })
	if err != nil {
		return nil, err
	}
	r, err := of(o.m, c, v)
	if err != nil {
		return nil, err
	}
	return o.around(m, r), nil
}

// order puts m into another order.
func order(m *structure, how reorder.Method) (*ordering, error) {
	to, err := reorder.Of(m, how)
	if err != nil {
		return nil, err
	}
	o := &ordering{columns: to.Cols, places: reorder.Inverse(to.Rows)}
	o.m, o.from = reorder.Structure(m, to)
	return o, nil
}

// around makes of a recipe for the ordered matrix one for m: before its steps x is put into the
// new order, and after them y into that of m.
func (o *ordering) around(m *structure, inner *recipe) *recipe {
	r := &recipe{Window: inner.Window}
	x, y := ptr(vecX), scratch("reordered_y", m.Rows)
	y.own.Clear = inner.Zero
	if o.columns != nil {
		x = scratch("reordered_x", m.Cols)
		r.Steps = append(r.Steps, gatherStep(ints("reordered_columns", o.columns), ptr(vecX), x, m.Cols))
	}
	ordered := map[string]arg{
		rowPtr: ints("reordered_row_ptr", o.m.RowPtr), colIdx: ints("reordered_col_idx", o.m.ColIdx),
		val: permuted("reordered_val", o.from), vecX: x, vecY: y,
	}

	for _, s := range inner.Steps {
		s.Args = slices.Clone(s.Args)
		for i, g := range s.Args {
			switch to, common := ordered[g.array]; {
			case common:
				s.Args[i] = to
			case g.array == rowIdx:
				rows, _ := pack(o.m, rowIdx, func() ([]int32, error) { return rowIndices(o.m), nil })
				s.Args[i] = ints("reordered_row_idx", rows)
			case g.own != nil && len(g.own.Vals) > 0:
				s.Args[i] = permuted(g.array, o.through(m, g.own.Vals))
			}
		}
		r.Steps = append(r.Steps, s)
	}
	r.Steps = append(r.Steps, gatherStep(ints("reordered_places", o.places), y, ptr(vecY), m.Rows))
	return r
}

// through turns indices of nonzeros of the ordered matrix into those of m. They are kept, since
// an array on the device is known by the memory that it came from.
func (o *ordering) through(m *structure, vals []int32) []int32 {
	type key struct {
		order *ordering
		vals  weak.Pointer[int32]
		n     int
	}
	out, _ := pack(m, key{o, weak.Make(&vals[0]), len(vals)}, func() ([]int32, error) {
		out := make([]int32, len(vals))
		for i, k := range vals {
			out[i] = -1
			if k >= 0 {
				out[i] = o.from[k]
			}
		}
		return out, nil
	})
	return out
}

// gatherStep makes to[i] = from[source[i]] for i < n.
func gatherStep(source, from, to arg, n int) step {
	return threadStep(n, gatherBlock, "reorder_gather", source, from, to, num(n))
}
