package cuda

import "spmvtune/kernels"

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
