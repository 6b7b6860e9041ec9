package cuda

import "spmvtune/kernels"

// cooAtomicRecipe gives every nonzero a thread.
func cooAtomicRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return addToY(step{
		Entry: c.Kernel,
		Grid:  ceilDiv(m.NNZ(), c.Block),
		Block: c.Block,
		Args:  cooArgs(m),
	}), nil
}

// cooChunkRecipe gives each of grid·block threads the same number of nonzeros.
func cooChunkRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return addToY(step{
		Entry: c.Kernel,
		Grid:  c.Grid,
		Block: c.Block,
		Args:  append(cooArgs(m), num(perThread(m, c))),
	}), nil
}

// addToY is the recipe of a kernel with one launch that adds to y.
func addToY(s step) *recipe { return &recipe{Zero: true, Steps: []step{s}} }

// cooArgs are COO_PARAMS of coo.cuh.
func cooArgs(m *structure) []arg {
	return []arg{num(m.NNZ()), ptr(rowIdx), ptr(colIdx), ptr(val), ptr(vecX), ptr(vecY)}
}

// perThread is P, the nonzeros of a thread.
func perThread(m *structure, c kernels.Config) int {
	return ceilDiv(m.NNZ(), c.Grid*c.Block)
}

// warp is the number of threads that shuffle among each other.
const warp = 32

// scanSharedRecipe keeps two buffers of sums and the rows of a window of `block`
// nonzeros in shared memory.
func scanSharedRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	return scan(c, c.Block, step{
		Entry:  c.Kernel,
		Shared: 2*c.Block*v + 4*c.Block,
		Args:   cooArgs(m),
	}), nil
}

// blellochRecipe keeps the sums of a window of 2·block nonzeros in shared memory;
// the padded form has an element more after every 32.
func blellochRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	window := 2 * c.Block
	elements := window
	if c.Kernel == "coo_blelloch_padded" {
		elements += (window - 1) / 32
	}
	return scan(c, window, step{Entry: c.Kernel, Shared: elements * v, Args: cooArgs(m)}), nil
}

func scanWarpRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return scan(c, warp, step{Entry: c.Kernel, Args: cooArgs(m)}), nil
}

func scanBlockRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return scan(c, c.Block, step{Entry: c.Kernel, Args: cooArgs(m)}), nil
}

func scanChunkRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return scan(c, warp, step{Entry: c.Kernel, Args: append(cooArgs(m), num(perThread(m, c)))}), nil
}

// scanUnrollRecipe chooses the entry that was compiled for a setting of unroll.
func scanUnrollRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	k, _ := kernels.Lookup(c.Kernel)
	return scan(c, warp, step{
		Entry: c.Kernel + k.Setting(c.Params, "unroll"),
		Args:  append(cooArgs(m), num(perThread(m, c))),
	}), nil
}

// scan completes the recipe of a kernel that scans windows of that many nonzeros.
func scan(c kernels.Config, window int, s step) *recipe {
	s.Grid, s.Block = c.Grid, c.Block
	r := addToY(s)
	if k, _ := kernels.Lookup(c.Kernel); k.Scope == kernels.ScopeBlock {
		r.Window = window
	}
	return r
}
