package cuda

import "spmvtune/kernels"

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
