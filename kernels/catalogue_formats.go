package kernels

// sliceKernels are this project's own, of few bytes per nonzero. A warp sums a slice of at most 32
// rows.
var sliceKernels = []Kernel{
	{
		Name: "csr_narrow",
		Source: "this project; CSR-Stream of Greathouse and Daga, SC14, by warps; narrow columns as in Kourtis, Goumas and " +
			"Koziris, Computing Frontiers 2008",
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
		Source: "this project; register blocks as in Im, Yelick and Vuduc, IJHPCA 18(1), 2004, in slices of Monakov, Lokhmotov " +
			"and Avetisyan, HiPEAC 2010, holding jagged diagonals of Saad, SIAM J. Sci. Stat. Comput. 10(6), 1989",
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
		Source: "this project; diagonals of row segments as in Sun, Zhang, Wang, Zhang and Li, ICPP 2011 (CRSD)",
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

// xKB bounds the part of x in shared memory: every device allows 48 KB, an A100 160 and an H100 220.
var xKB = Param{
	Name: "x_kb", Values: []string{"24", "48", "96", "160", "220"}, Default: "48", Doc: "most KB of x in shared memory",
}

const (
	ownSource   = "this project; docs/kernels.md"
	streamBlock = threads + "; each warp takes an equal range of the block's nonzeros"
	streamGrid  = blocks + "; each takes rows with about as many nonzeros"
	panelLegal  = wholeWarps + "; the part of x in shared memory that a block can have"
)

// streamKernels are this project's own for rows that are long or of very different lengths.
var streamKernels = []Kernel{
	{
		Name: "csr_stream", Source: ownSource,
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "a warp goes through a range of nonzeros, 8 a lane, the next on their way; marks say where rows " +
			"begin; a segmented scan ends them",
		Block: streamBlock, Grid: streamGrid, Blocks: warpBlock,
		Legal: wholeWarps + ", in float64 at most 768",
	},
	{
		Name: "csr_lanes", Source: ownSource,
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Sorted: true, Deterministic: true,
		Mapping: "a row's part of a panel of columns has a lane for up to 8 nonzeros, in one warp; parts sorted by " +
			"length, and cut where they are long",
		Block: threads, Grid: blocks + "; each takes rows with about as many nonzeros", Blocks: warpBlock,
		Params: []Param{
			{Name: "x", Values: []string{"panels", "hot"}, Default: "panels",
				Doc: "panels: x in shared memory, in panels of columns; hot: what most nonzeros need is there, the rest cached"},
			xKB,
			{Name: "longest", Values: []string{"1024", "8192"}, Default: "1024",
				Doc: "nonzeros of a segment; longer rows are cut"},
		},
		Legal: panelLegal + "; as many panels as nonzeros a row",
	},
	{
		Name: "sell_hot", Source: ownSource,
		Format: SELL, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "a row has a lane for up to 32 nonzeros, in one warp; rows sorted by lanes and by nonzeros a lane; " +
			"the elements of x that most nonzeros need in shared memory",
		Block: threads, Grid: blocks + "; warps take chunks of 32 lanes", Blocks: warpBlock,
		Params: []Param{xKB, {Name: "l2", Values: []string{"any", "keep"}, Default: "any",
			Doc: "keep: the matrix is the first to leave the L2 cache, in which x stays; from compute capability 8.0 on"}},
		Legal: panelLegal,
	},
	{
		Name: "sell_local", Source: ownSource,
		Format: SELL, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "sell_hot's rows and lanes with columns of 16 bits and x in shared memory, in as many panels of " +
			"columns as that takes; a second launch adds the panels' y",
		Block: threads, Grid: blocks + "; each has a panel, and its warps take chunks of 32 lanes", Blocks: warpBlock,
		Params: []Param{xKB, equalValues},
		Legal:  panelLegal + "; at most 16 panels",
	},
}
