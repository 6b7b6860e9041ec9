// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"example.org/spmvtune/kernels"
)

// rowsRecipe launches the kernel's own entry over all rows.
func rowsRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	suffix, shared := buffered(c, v)
	return overRows(m, c, suffix, shared), nil
}

// vectorRecipe is the same with a value in shared memory for each thread.
func vectorRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	return overRows(m, c, "", c.Block*v), nil
}

// overRows is the recipe of a kernel with one launch that writes every row.
func overRows(m *structure, c kernels.Config, suffix string, shared int, more ...arg) *recipe {
	return &recipe{Steps: []step{csrStep(m, c, c.Kernel+suffix, shared, more...)}}
}

// csrStep launches an entry whose parameters begin with CSR_PARAMS of csr.cuh.
func csrStep(m *structure, c kernels.Config, entry string, shared int, more ...arg) step {
	params := []arg{ptr(rowPtr), ptr(colIdx), ptr(val), ptr(vecX), ptr(vecY), num(m.Rows)}
	return configStep(c, entry, shared, append(params, more...)...)
}

// buffered chooses the entry where c asks for partial sums in shared memory, one per thread.
func buffered(c kernels.Config, v int) (suffix string, shared int) {
	if setting(c, "shared") == "1" {
		return "_shared", c.Block * v
	}
	return "", 0
}

// boundedBlock is the most threads of a block in the entries of csr_thread_row
// that have launch bounds (csr-bins-and-hybrid, Sec. V-A).
const boundedBlock = 256

func threadRowRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	suffix, shared := buffered(c, v)
	if n := setting(c, "min_blocks"); n != "none" {
		if c.Block > boundedBlock {
			return nil, invalid("block is %d; with min_blocks %s it must be at most %d, which is what the launch "+
				"bound promises",
				c.Block, n, boundedBlock)
		}
		suffix = "_min" + n + suffix
	}
	return overRows(m, c, suffix, shared), nil
}

// rowsGlobalRecipe gives every thread that has a row a value in global memory. Warps beyond the
// rows touch none.
func rowsGlobalRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return overRows(m, c, "", 0, scratch("warp_row_buffer", min(c.Grid*c.Block, m.Rows*warp))), nil
}

// adaptiveRecipe packs row blocks of at most tile nonzeros, whose products a block
// keeps in shared memory.
func adaptiveRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	tile := settingInt(c, "tile")
	return overRows(m, c, "_"+setting(c, "long_row"), tile*v, rowRuns(m, "row_blocks", tile)...), nil
}

// rowRuns are packRows of m, packed once, and how many runs there are.
func rowRuns(m *structure, name string, most int) []arg {
	first, _ := pack(m, fmt.Sprint("runs of ", most), func() ([]int32, error) { return packRows(m.RowPtr, most), nil })
	return []arg{ints(name, first), num(len(first) - 1)}
}

// packRows cuts the rows into runs of at most most nonzeros; a longer row has a run to itself.
// It returns the first row of every run and, last, the number of rows. A run also has at most
// `most` rows, so that empty rows are distributed like others.
func packRows(rowPtr []int32, most int) []int32 {
	first, rows := []int32{0}, len(rowPtr)-1
	for start := 0; start < rows; {
		// All rows that end within the run's nonzeros fit; a first that does not has a run to itself.
		fit := min(most, rows-start)
		fit = sort.Search(fit, func(i int) bool { return int(rowPtr[start+i+1])-int(rowPtr[start]) > most })
		start += max(fit, 1)
		first = append(first, int32(start))
	}
	return first
}

// binSize is the most nonzeros of a bin (csr-bins-and-hybrid, Alg. 3).
const binSize = 64

// binsV1Recipe cuts the nonzeros into bins, and lists the row in which each begins.
func binsV1Recipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	suffix, shared := buffered(c, v)
	if shared > 0 {
		shared += c.Block * 4 // rows
	}
	rows, _ := pack(m, "bins", func() ([]int32, error) { return rowsAt(m.RowPtr, m.NNZ(), binSize), nil })
	r := overRows(m, c, suffix, shared, num(m.NNZ()), ints("bin_rows", rows), num(binSize))
	r.Zero = true
	return r, nil
}

// rowsAt returns the rows of nonzeros 0, every, 2·every, … and, last, of the last
// nonzero.
func rowsAt(rowPtr []int32, nnz, every int) []int32 {
	rows := make([]int32, ceilDiv(nnz, every)+min(nnz, 1))
	row := 0
	for i := range rows {
		for int(rowPtr[row+1]) <= min(i*every, nnz-1) {
			row++
		}
		rows[i] = int32(row)
	}
	return rows
}

// binsRecipe packs rows into bins.
func binsRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	suffix, shared := buffered(c, v)
	return overRows(m, c, suffix, shared, rowRuns(m, "bin_rows", binSize)...), nil
}

// hybridRecipe sorts the rows by class.
func hybridRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	short, long := settingInt(c, "short"), math.MaxInt // csr_hybrid_v1 has no long rows
	if c.Kernel == "csr_hybrid" {
		long = settingInt(c, "long")
	}
	rows, _ := pack(m, fmt.Sprint("classes ", short, long), func() (classes, error) {
		return classify(m.RowPtr, short, long), nil
	})
	suffix, shared := buffered(c, v)
	return overRows(m, c, suffix, shared, ints("rows_by_class", rows.order), num(min(len(rows.order), 1)), num(rows.longs),
		num(rows.mediums), num(rows.shorts)), nil
}

// classes are rows by length: long, medium and short ones, in this order.
type classes struct {
	order                  []int32 // empty if it is 0, 1, 2, …
	longs, mediums, shorts int
}

// classify calls rows below short nonzeros short, and others of at least long
// nonzeros long.
func classify(rowPtr []int32, short, long int) classes {
	rows := counted(len(rowPtr)-1, 0)
	order, start := bucketed(rows, 3, func(i int32) int {
		switch n := int(rowPtr[i+1]) - int(rowPtr[i]); {
		case n >= long && n >= short:
			return 0
		case n >= short:
			return 1
		}
		return 2
	})
	c := classes{order, start[1], start[2] - start[1], start[3] - start[2]}
	if max(c.longs, c.mediums, c.shorts) == len(rows) {
		c.order = nil
	}
	return c
}

// lightRecipe chooses the entry for a width, and has the counter of rows zeroed as
// a part of the product.
func lightRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	width := setting(c, "width")
	if width == "auto" {
		width = strconv.Itoa(lightWidth(m.Rows, m.NNZ()))
	}
	next := scratchBytes("next_row", 8)
	next.own.Clear = true
	return overRows(m, c, "_"+width, 0, next), nil
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
	block, products := settingInt(c, "block2"), scratch("products", m.NNZ())
	staged := stagedProducts(block)
	sum := threadStep(m.Rows, block, "csr_pcsr_sum", ptr(rowPtr), num(m.Rows), products, ptr(vecY), num(staged))
	sum.Shared = staged*v + (block+1)*4
	return &recipe{Steps: []step{csrStep(m, c, "csr_pcsr_multiply", 0, num(m.NNZ()), products), sum}}, nil
}

// stagedProducts is the number of products that a block of the second kernel has
// in shared memory: the paper's 1024 (its Table II), or 4 per row where blocks
// have more than 256 rows.
func stagedProducts(block int) int { return max(1024, 4*block) }

// tileRecipe stages a tile of x in the shared memory of a block for each so many threads, or one for all.
func tileRecipe(threads int) recipeFunc {
	return func(m *structure, c kernels.Config, v int) (*recipe, error) {
		tile, tiles := settingInt(c, "tile"), 1
		if threads > 0 {
			tiles = c.Block / threads
		}
		return overRows(m, c, "", tiles*tile*v, num(m.Cols), num(tile)), nil
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
	const block = 256 // of the kernels with a thread per tile
	tile := c.Block * mergeItems(v)
	tiles := ceilDiv(m.Rows+m.NNZ(), tile)
	borders, carries := scratchBytes("merge_borders", 4*(tiles+1)), scratch("merge_carries", tiles)
	return &recipe{Steps: []step{
		threadStep(tiles+1, block, "csr_merge_borders", ptr(rowPtr), num(m.Rows), num(m.NNZ()), borders, num(tiles), num(tile)),
		// The products and ends of rows of a tile share its memory; the open row adds one
		// more end.
		csrStep(m, c, "csr_merge", tile*v+4, num(m.NNZ()), borders, carries, num(tiles)),
		threadStep(tiles, block, "csr_merge_carries", ptr(vecY), num(m.Rows), borders, carries, num(tiles)),
	}}, nil
}
