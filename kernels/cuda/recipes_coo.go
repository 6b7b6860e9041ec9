// SPDX-License-Identifier: Apache-2.0

package cuda

import "example.org/spmvtune/kernels"

// warp is the number of threads that shuffle among each other.
const warp = 32

// A cooForm says what is particular to a kernel that adds the products of nonzeros to y.
type cooForm struct {
	// perThread says that it is told how many nonzeros a thread takes.
	perThread bool
	// window is the number of nonzeros that it scans together, in blocks of a size; nil: it scans none.
	window func(block int) int
	// shared is the shared memory of a block, in bytes; nil: none.
	shared func(block, v int) int
}

// cooRecipe launches the entry of a kernel, of which a parameter unroll may tell the end of the name. Without a
// choice of grid, every nonzero has a thread.
func cooRecipe(form cooForm) recipeFunc {
	return func(m *structure, c kernels.Config, v int) (*recipe, error) {
		s := configStep(c, c.Kernel+setting(c, "unroll"), 0, num(m.NNZ()), ptr(rowIdx), ptr(colIdx), ptr(val),
			ptr(vecX), ptr(vecY))
		if c.Grid == 0 {
			s.Grid = ceilDiv(m.NNZ(), c.Block)
		}
		if form.perThread {
			s.Args = append(s.Args, num(ceilDiv(m.NNZ(), c.Grid*c.Block)))
		}
		if form.shared != nil {
			s.Shared = form.shared(c.Block, v)
		}
		r := &recipe{Zero: true, Steps: []step{s}}
		if k, _ := kernels.Lookup(c.Kernel); k.Scope == kernels.ScopeBlock {
			r.Window = form.window(c.Block)
		}
		return r, nil
	}
}

// Windows, in nonzeros.
func aWarp(int) int           { return warp }
func aBlock(block int) int    { return block }
func twoBlocks(block int) int { return 2 * block }

// scanBuffers are two buffers of sums and the rows of a window of `block` nonzeros.
func scanBuffers(block, v int) int { return 2*block*v + 4*block }

// blellochTree has the sums of a window of 2·block nonzeros; the padded form has an element more after every 32.
func blellochTree(block, v int) int   { return 2 * block * v }
func blellochPadded(block, v int) int { return (2*block + (2*block-1)/32) * v }
