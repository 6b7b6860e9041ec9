package kernels

// hubKernels are this project's own for rows of very different lengths, and for few long rows.
var hubKernels = []Kernel{
	{
		Name:   "csr_merge_warp",
		Source: "this project, after Merrill and Garland, SC16 (csr_merge)",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "every warp takes an equal share of rows + nonzeros, tile by tile: a lane, several lanes or all sum " +
			"a row; the block that comes last adds the parts of a row that blocks cut, in their order",
		Block: threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{{
			Name: "lane_rows", Values: []string{"1", "2", "4", "6"}, Default: "4",
			Doc: "rows of a tile per lane, at most: more where rows are short",
		}},
		Legal: wholeWarps + "; 8 values per thread in shared memory",
	},
	{
		Name:   "panel_sell",
		Source: "this project; slices as in Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014 (sell_c_sigma)",
		Format: Panels, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "a block takes a panel of columns, whose x is in shared memory; a lane takes at most 64 nonzeros of " +
			"a row; blocks' parts of rows are added by a second kernel",
		Block: threads, Grid: blocks + ", each with a panel of about as many nonzeros", Blocks: warpBlock,
		Params: []Param{{
			Name: "columns", Values: []string{"1024", "4096", "16384"}, Default: "16384",
			Doc: "most columns of a panel; a block with more takes several panels one after another",
		}, {
			Name: "keep", Values: []string{"0", "1", "2", "3", "4"}, Default: "0",
			Doc: "eighths of the matrix that are to stay in the L2 cache; the others are marked as used once",
		}},
		Legal: wholeWarps + "; at most 65,534 rows; a panel's columns and rows in shared memory",
	},
}
