package cuda

import (
	"fmt"
	"math"
	"runtime"
	"sort"
	"strconv"
	"sync"

	"spmvtune/kernels"
)

// nothing and valuePerThread are the bytes of dynamic shared memory of a block.
func nothing(block, v int) int        { return 0 }
func valuePerThread(block, v int) int { return block * v }

// rowsRecipe launches the kernel's own entry over all rows.
func rowsRecipe(shared func(block, v int) int) recipeFunc {
	return func(m *structure, c kernels.Config, v int) (*recipe, error) {
		return oneStep(csrStep(m, c, c.Kernel, shared(c.Block, v))), nil
	}
}

// bufferedRecipe launches the entry with the suffix _shared where c asks for
// partial sums in shared memory, one per thread.
func bufferedRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	entry, shared := buffered(c, v)
	return oneStep(csrStep(m, c, c.Kernel+entry, shared)), nil
}

func buffered(c kernels.Config, v int) (suffix string, shared int) {
	if setting(c, "shared") == "1" {
		return "_shared", valuePerThread(c.Block, v)
	}
	return "", 0
}

// boundedBlock is the most threads of a block in the entries of csr_thread_row
// that have launch bounds (csr-bins-and-hybrid, Sec. V-A).
const boundedBlock = 256

func threadRowRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	entry := c.Kernel
	if n := setting(c, "min_blocks"); n != "none" {
		if c.Block > boundedBlock {
			return nil, invalid("block is %d; with min_blocks %s it must be at most %d, which is what the launch "+
				"bound promises",
				c.Block, n, boundedBlock)
		}
		entry += "_min" + n
	}

	suffix, shared := buffered(c, v)
	return oneStep(csrStep(m, c, entry+suffix, shared)), nil
}

// rowsGlobalRecipe gives every thread that has a row a value in global memory. Warps beyond the
// rows touch none.
func rowsGlobalRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	const buffer = "warp_row_buffer"
	r := oneStep(csrStep(m, c, c.Kernel, 0, ptr(buffer)))
	r.Aux = []aux{{Name: buffer, Values: min(c.Grid*c.Block, m.Rows*warp)}}
	return r, nil
}

// csrArgs are CSR_PARAMS of csr.cuh.
func csrArgs(m *structure) []arg {
	return []arg{ptr(rowPtr), ptr(colIdx), ptr(val), ptr(vecX), ptr(vecY), num(m.Rows)}
}

// csrStep launches an entry whose parameters begin with CSR_PARAMS.
func csrStep(m *structure, c kernels.Config, entry string, shared int, more ...arg) step {
	return step{Entry: entry, Grid: c.Grid, Block: c.Block, Shared: shared, Args: append(csrArgs(m), more...)}
}

// oneStep is the recipe of a kernel with one launch that writes every row.
func oneStep(s step) *recipe { return &recipe{Steps: []step{s}} }

// setting is the value of a parameter in c, its default if c does not set it.
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

// adaptiveRecipe packs row blocks of at most tile nonzeros, whose products a block
// keeps in shared memory.
func adaptiveRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const firstRow = "row_blocks"
	tile := settingInt(c, "tile")
	blocks := rowRuns(m, tile)
	entry := c.Kernel + "_" + setting(c, "long_row")
	r := oneStep(csrStep(m, c, entry, tile*v, ptr(firstRow), num(len(blocks)-1)))
	r.Aux = []aux{{Name: firstRow, Ints: blocks}}
	return r, nil
}

// rowRuns is packRows of m, packed once.
func rowRuns(m *structure, most int) []int32 {
	type key struct{ most int }
	return pack(m, key{most}, func() ([]int32, int64) {
		runs := packRows(m.RowPtr, most)
		return runs, 4 * int64(len(runs))
	})
}

// packRows cuts the rows into runs of at most most nonzeros; a longer row has a run to itself.
// It returns the first row of every run and, last, the number of rows. A run also has at most
// `most` rows, so that empty rows are distributed like others.
func packRows(rowPtr []int32, most int) []int32 {
	first := []int32{0}
	start := 0
	for i := range len(rowPtr) - 1 {
		// Row i does not fit any more.
		if i > start && (int(rowPtr[i+1])-int(rowPtr[start]) > most || i-start == most) {
			first = append(first, int32(i))
			start = i
		}
	}

	if n := len(rowPtr) - 1; n > 0 {
		first = append(first, int32(n))
	}
	return first
}

// binSize is the most nonzeros of a bin (csr-bins-and-hybrid, Alg. 3).
const binSize = 64

const binRow = "bin_rows"

// binsV1Recipe cuts the nonzeros into bins, and lists the row in which each begins.
func binsV1Recipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	suffix, shared := buffered(c, v)
	if shared > 0 {
		shared += c.Block * 4 // rows
	}
	type key struct{ every int }
	rows := pack(m, key{binSize}, func() ([]int32, int64) {
		rows := rowsAt(m.RowPtr, m.NNZ(), binSize)
		return rows, 4 * int64(len(rows))
	})

	r := addToY(csrStep(m, c, c.Kernel+suffix, shared, num(m.NNZ()), ptr(binRow), num(binSize)))
	r.Aux = []aux{{Name: binRow, Ints: rows}}
	return r, nil
}

// rowsAt returns the rows of nonzeros 0, every, 2·every, … and, last, of the last
// nonzero.
func rowsAt(rowPtr []int32, nnz, every int) []int32 {
	rows := make([]int32, 0, ceilDiv(nnz, every)+1)
	row := 0
	at := func(j int) {
		for int(rowPtr[row+1]) <= j {
			row++
		}
		rows = append(rows, int32(row))
	}

	for j := 0; j < nnz; j += every {
		at(j)
	}
	if nnz > 0 {
		at(nnz - 1)
	}
	return rows
}

// binsRecipe packs rows into bins.
func binsRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	bins := rowRuns(m, binSize)
	suffix, shared := buffered(c, v)
	r := oneStep(csrStep(m, c, c.Kernel+suffix, shared, ptr(binRow), num(len(bins)-1)))
	r.Aux = []aux{{Name: binRow, Ints: bins}}
	return r, nil
}

// hybridRecipe sorts the rows by class.
func hybridRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const byClass = "rows_by_class"
	long := math.MaxInt // csr_hybrid_v1 has no long rows
	if c.Kernel == "csr_hybrid" {
		long = settingInt(c, "long")
	}

	type key struct{ short, long int }
	k := key{settingInt(c, "short"), long}
	rows := pack(m, k, func() (classes, int64) {
		rows := classify(m.RowPtr, k.short, k.long)
		return rows, 4 * int64(len(rows.order))
	})
	suffix, shared := buffered(c, v)

	r := oneStep(csrStep(m, c, c.Kernel+suffix, shared,
		ptr(byClass), num(rows.ordered()), num(rows.longs), num(rows.mediums), num(rows.shorts)))
	r.Aux = []aux{{Name: byClass, Ints: rows.order}}
	return r, nil
}

// classes are rows by length: long, medium and short ones, in this order.
type classes struct {
	order                  []int32 // empty if it is 0, 1, 2, …
	longs, mediums, shorts int
}

// classify calls rows below short nonzeros short, and others of at least long
// nonzeros long.
func classify(rowPtr []int32, short, long int) classes {
	class := func(i int) int {
		switch n := int(rowPtr[i+1]) - int(rowPtr[i]); {
		case n >= long && n >= short:
			return 0
		case n >= short:
			return 1
		}
		return 2
	}

	rows := len(rowPtr) - 1
	var count [3]int
	for i := range rows {
		count[class(i)]++
	}

	c := classes{longs: count[0], mediums: count[1], shorts: count[2], order: []int32{}}
	if max(c.longs, c.mediums, c.shorts) == rows {
		return c
	}
	c.order = make([]int32, rows)
	next := [3]int{0, c.longs, c.longs + c.mediums}

	for i := range rows {
		k := class(i)
		c.order[next[k]] = int32(i)
		next[k]++
	}
	return c
}

// ordered is 1 if order must be read, and otherwise 0.
func (c classes) ordered() int {
	if len(c.order) > 0 {
		return 1
	}
	return 0
}

// lightRecipe chooses the entry for a width, and has the counter of rows zeroed as
// a part of the product.
func lightRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	const next = "next_row"
	width := setting(c, "width")
	if width == "auto" {
		width = strconv.Itoa(lightWidth(m.Rows, m.NNZ()))
	}
	r := oneStep(csrStep(m, c, c.Kernel+"_"+width, 0, ptr(next)))
	r.Aux = []aux{{Name: next, Bytes: 8}}
	r.Clear = []string{next}
	return r, nil
}

// lightWidth is the number of lanes per row that LightSpMV's own program chooses
// for a mean row length, rounded to nearest.
func lightWidth(rows, nnz int) int {
	switch mean := (2*nnz + rows) / max(2*rows, 1); {
	case mean <= 2:
		return 2
	case mean <= 4:
		return 4
	case mean <= 64:
		return 8
	}
	return 32
}

// pcsrRecipe launches the kernel that multiplies with the block and grid of c, and
// the one that sums with a thread per row.
func pcsrRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const products = "products"
	block := settingInt(c, "block2")
	staged := stagedProducts(block)
	return &recipe{
		Aux: []aux{{Name: products, Values: m.NNZ()}},
		Steps: []step{
			csrStep(m, c, "csr_pcsr_multiply", 0, num(m.NNZ()), ptr(products)),
			{
				Entry:  "csr_pcsr_sum",
				Grid:   ceilDiv(m.Rows, block),
				Block:  block,
				Shared: staged*v + (block+1)*4,
				Args:   []arg{ptr(rowPtr), num(m.Rows), ptr(products), ptr(vecY), num(staged)},
			},
		},
	}, nil
}

// stagedProducts is the number of products that a block of the second kernel has
// in shared memory: the paper's 1024 (its Table II), or 4 per row where blocks
// have more than 256 rows.
func stagedProducts(block int) int { return max(1024, 4*block) }

// tileRecipe stages a number of tiles of x in the shared memory of a block.
func tileRecipe(tiles func(block int) int) recipeFunc {
	return func(m *structure, c kernels.Config, v int) (*recipe, error) {
		tile := settingInt(c, "tile")
		shared := tiles(c.Block) * tile * v
		return oneStep(csrStep(m, c, c.Kernel, shared, num(m.Cols), num(tile))), nil
	}
}

// mergeItems is ITEMS of csr_merge.cu: the steps of a thread per tile.
func mergeItems(v int) int {
	if v > 4 {
		return 5
	}
	return 7
}

// mergeRecipe cuts rows + nonzeros into tiles of equal work. The device finds the borders, as
// part of the product: the algorithm's point is that it needs no preparation.
func mergeRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const (
		borders = "merge_borders"
		carries = "merge_carries"
		block   = 256 // of the kernels with a thread per tile
	)
	tile := c.Block * mergeItems(v)
	tiles := ceilDiv(m.Rows+m.NNZ(), tile)

	return &recipe{
		Aux: []aux{{Name: borders, Bytes: 4 * (tiles + 1)}, {Name: carries, Values: tiles}},
		Steps: []step{
			{
				Entry: "csr_merge_borders",
				Grid:  ceilDiv(tiles+1, block),
				Block: block,
				Args: []arg{ptr(rowPtr), num(m.Rows), num(m.NNZ()), ptr(borders),
					num(tiles), num(tile)},
			},
			// The products and ends of rows of a tile share its memory; the open row adds one
			// more end.
			csrStep(m, c, "csr_merge", tile*v+4, num(m.NNZ()), ptr(borders), ptr(carries), num(tiles)),
			{
				Entry: "csr_merge_carries",
				Grid:  ceilDiv(tiles, block),
				Block: block,
				Args:  []arg{ptr(vecY), num(m.Rows), ptr(borders), ptr(carries), num(tiles)},
			},
		},
	}, nil
}

// mergeWarpItems is ITEMS of csr_merge_warp.cu: nonzeros per lane and tile.
const mergeWarpItems = 8

// mergeWarpRecipe gives every warp of the grid an equal share of the steps of the merge. Blocks give parts
// of the rows that they cut through global memory. Its counters begin as scratch does, at −1, and every
// product leaves them so.
func mergeWarpRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const (
		borders  = "merge_warp_borders"
		counters = "merge_warp_counters"
		parts    = "merge_warp_parts"
	)
	shares := c.Grid * (c.Block / warp)
	steps := max(1, ceilDiv(m.Rows+m.NNZ(), shares))
	if steps > math.MaxInt32 {
		return nil, invalid("%d warps have shares of %d steps; %d are possible", shares, steps, math.MaxInt32)
	}

	r := oneStep(csrStep(m, c, c.Kernel+"_"+setting(c, "lane_rows"), c.Block*mergeWarpItems*v,
		num(m.NNZ()), ptr(borders), ptr(counters), ptr(parts), num(steps)))
	r.Aux = []aux{
		{Name: borders, Ints: mergeBorders(m, shares, steps)},
		{Name: counters, Bytes: 4 * c.Grid},
		{Name: parts, Values: 2 * c.Grid},
	}
	return r, nil
}

// mergeBorders gives the row of steps 0, steps, 2·steps, … of the merge of the ends of rows and the
// nonzeros: how many rows have ended before.
func mergeBorders(m *structure, shares, steps int) []int32 {
	type key struct{ shares, steps int }
	return pack(m, key{shares, steps}, func() ([]int32, int64) {
		borders := make([]int32, shares+1)
		eachPart(len(borders), 4096, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				borders[i] = int32(sort.Search(m.Rows, func(r int) bool { return int(m.RowPtr[r+1])+r >= i*steps }))
			}
		})
		return borders, 4 * int64(len(borders))
	})
}

// eachPart calls f for parts of [0, n), of at least `least`, on all cores, and waits for all of them.
func eachPart(n, least int, f func(lo, hi int)) {
	parts := max(1, min(runtime.GOMAXPROCS(0), n/least))
	var wg sync.WaitGroup
	for part := range parts {
		wg.Go(func() { f(n*part/parts, n*(part+1)/parts) })
	}
	wg.Wait()
}
