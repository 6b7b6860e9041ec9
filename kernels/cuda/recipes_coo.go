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
