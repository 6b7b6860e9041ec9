package cuda

import (
	"fmt"
	"strconv"

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
