package kernels

// sliceKernels are this project's own, of few bytes per nonzero. A warp sums a slice of at most 32
// rows.
var sliceKernels = []Kernel{
	{
		Name: "csr_narrow",
		Source: "own; CSR-Stream of Greathouse and Daga, SC14, by warps; narrow columns as in Kourtis, Goumas and Koziris, " +
			"Computing Frontiers 2008",
		Format: Tiles, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "a warp takes a tile of rows: 16 bytes of values a lane, products to shared memory, then rows are " +
			"summed by a lane each, or several; longer rows in pieces; columns of 16 bits beyond the tile's first",
		Block: threads, Grid: blocks + "; each warp takes every so many-th tile", Blocks: warpBlock,
		Params: []Param{
			{Name: "tile", Values: []string{"128", "256", "512", "1024"}, Default: "512",
				Doc: "most nonzeros of a tile; longer rows are cut"},
			{Name: "loads", Values: []string{"2", "4"}, Default: "4",
				Doc: "loads of 16 bytes of values before the first is used; without values, as many products as in float32"},
			equalValues, narrowColumns,
		},
		Legal: wholeWarps + "; tile values per warp in shared memory",
	},
	{
		Name: "sell_blocks",
		Source: "own; register blocks as in Im, Yelick and Vuduc, IJHPCA 18(1), 2004, in slices of Monakov, Lokhmotov and " +
			"Avetisyan, HiPEAC 2010, holding jagged diagonals of Saad, SIAM J. Sci. Stat. Comput. 10(6), 1989",
		Format: SELL, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "one thread per row; a warp's slice has the first block of each row of blocks, then the second of those " +
			"that have one, without padding; a column of 16 bits for a block",
		Block: threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{
			{Name: "shape", Values: []string{"2x2", "3x3", "4x4", "6x6"}, Default: "3x3",
				Doc: "rows and columns of a block"},
			{Name: "loads", Values: []string{"4", "8"}, Default: "8",
				Doc: "about how many values a thread loads before it uses the first"},
			narrowColumns,
		},
		Legal: wholeWarps + "; at most 255 blocks in a row; at most 1.5 stored values per nonzero",
	},
	{
		Name:   "sell_diagonals",
		Source: "own; diagonals of row segments as in Sun, Zhang, Wang, Zhang and Li, ICPP 2011 (CRSD)",
		Format: SELL, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "one thread per row; a warp's slice of 32 rows is stored by diagonals, whose distances slices share, " +
			"without columns",
		Block: threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{{
			Name: "turn", Values: []string{"3", "4", "5", "7", "9"}, Default: "5",
			Doc: "diagonals loaded at a time; slices are filled up to whole turns",
		}},
		Legal: wholeWarps + "; at most 255 diagonals in 32 rows; at most 2 stored values per nonzero",
	},
}

var (
	equalValues = Param{
		Name: "values", Values: []string{"stored", "equal"}, Default: "stored",
		Doc: "equal: all values are the same, and are not read",
	}
	narrowColumns = Param{
		Name: "columns", Values: []string{"16", "mixed"}, Default: "mixed",
		Doc: "16: columns of 16 bits suffice for what a warp takes at once; mixed: where they do not, 32",
	}
)
