package kernels

// sliceKernels are this project's own, of few bytes per nonzero. A warp sums a slice of at most 32
// rows.
var sliceKernels = family(csrKernel, []Kernel{
	{
		Name: "csr_narrow",
		Source: "this project; CSR-Stream of Greathouse and Daga, SC14, by warps; narrow columns as in Kourtis, " +
			"Goumas and Koziris, Computing Frontiers 2008",
		Format: Tiles,
		Mapping: "a warp takes a tile of rows: 16 bytes of values a lane, products to shared memory, then rows are " +
			"summed by a lane each, or several; longer rows in pieces; columns of 16 bits beyond the tile's first",
		Grid: blocks + "; each warp takes every so many-th tile", Legal: "tile values per warp in shared memory",
		Params: []Param{
			{Name: "tile", Values: []string{"128", "256", "512", "1024"}, Default: "512",
				Doc: "most nonzeros of a tile; longer rows are cut"},
			{Name: "loads", Values: []string{"2", "4"}, Default: "4",
				Doc: "loads of 16 bytes of values before the first is used; without values, as many products as in float32"},
			equalValues, narrowColumns,
		},
	},
	{
		Name: "sell_blocks", Lanes: 1,
		Source: "this project; register blocks as in Im, Yelick and Vuduc, IJHPCA 18(1), 2004, in slices of Monakov, " +
			"Lokhmotov and Avetisyan, HiPEAC 2010, holding jagged diagonals of Saad, SIAM J. Sci. Stat. Comput. 10(6), 1989",
		Format: SELL,
		Mapping: "one thread per row; a warp's slice has the first block of each row of blocks, then the second of " +
			"those that have one, without padding; a column of 16 bits for a block",
		Legal: "at most 255 blocks in a row; at most 1.5 stored values per nonzero",
		Params: []Param{
			{Name: "shape", Values: []string{"2x2", "3x3", "4x4", "6x6"}, Default: "3x3",
				Doc: "rows and columns of a block"},
			{Name: "loads", Values: []string{"4", "8"}, Default: "8",
				Doc: "about how many values a thread loads before it uses the first"},
			narrowColumns,
		},
	},
	{
		Name: "sell_diagonals", Lanes: 1,
		Source: "this project; diagonals of row segments as in Sun, Zhang, Wang, Zhang and Li, ICPP 2011 (CRSD)",
		Format: SELL,
		Mapping: "one thread per row; a warp's slice of 32 rows is stored by diagonals, whose distances slices share, " +
			"without columns",
		Legal: "at most 255 diagonals in 32 rows; at most 2 stored values per nonzero",
		Params: []Param{{
			Name: "turn", Values: []string{"3", "4", "5", "7", "9"}, Default: "5",
			Doc: "diagonals loaded at a time; slices are filled up to whole turns",
		}},
	},
})

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
var hubKernels = family(csrKernel, []Kernel{
	{
		Name: "csr_merge_warp", Source: "this project, after Merrill and Garland, SC16 (csr_merge)",
		Mapping: "every warp takes an equal share of rows + nonzeros, tile by tile: a lane, several lanes or all sum " +
			"a row; the block that comes last adds the parts of a row that blocks cut, in their order",
		Legal: "8 values per thread in shared memory",
		Params: []Param{{
			Name: "lane_rows", Values: []string{"1", "2", "4", "6"}, Default: "4",
			Doc: "rows of a tile per lane, at most: more where rows are short",
		}},
	},
	{
		Name:   "panel_sell",
		Source: "this project; slices as in Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014 (sell_c_sigma)",
		Format: Panels,
		Mapping: "a block takes a panel of columns, whose x is in shared memory; a lane takes at most 64 nonzeros of " +
			"a row; blocks' parts of rows are added by a second kernel",
		Grid:  blocks + ", each with a panel of about as many nonzeros",
		Legal: "at most 65,534 rows; a panel's columns and rows in shared memory",
		Params: []Param{{
			Name: "columns", Values: []string{"1024", "4096", "16384"}, Default: "16384",
			Doc: "most columns of a panel; a block with more takes several panels one after another",
		}, {
			Name: "keep", Values: []string{"0", "1", "2", "3", "4"}, Default: "0",
			Doc: "eighths of the matrix that are to stay in the L2 cache; the others are marked as used once",
		}},
	},
})

// xKB bounds the part of x in shared memory: every device allows 48 KB, an A100 160 and an H100 220.
var xKB = Param{
	Name: "x_kb", Values: []string{"24", "48", "96", "160", "220"}, Default: "48", Doc: "most KB of x in shared memory",
}

const (
	ownSource   = "this project; docs/kernels.md"
	streamBlock = threads + "; each warp takes an equal range of the block's nonzeros"
	streamGrid  = blocks + "; each takes rows with about as many nonzeros"
	panelLegal  = "the part of x in shared memory that a block can have"
)

// streamKernels are this project's own for rows that are long or of very different lengths.
var streamKernels = family(csrKernel, []Kernel{
	{
		Name: "csr_stream", Source: ownSource,
		Mapping: "a warp goes through a range of nonzeros, 8 a lane, the next on their way; marks say where rows " +
			"begin; a segmented scan ends them",
		Block: streamBlock, Grid: streamGrid, Legal: "in float64 a block of at most 768",
	},
	{
		Name: "csr_lanes", Source: ownSource, Sorted: true,
		Mapping: "a row's part of a panel of columns has a lane for up to 8 nonzeros, in one warp; parts sorted by " +
			"length, and cut where they are long",
		Grid:  blocks + "; each takes rows with about as many nonzeros",
		Legal: panelLegal + "; as many panels as nonzeros a row",
		Params: []Param{
			{Name: "x", Values: []string{"panels", "hot"}, Default: "panels",
				Doc: "panels: x in shared memory, in panels of columns; hot: what most nonzeros need is there, the rest cached"},
			xKB,
			{Name: "longest", Values: []string{"1024", "8192"}, Default: "1024",
				Doc: "nonzeros of a segment; longer rows are cut"},
		},
	},
	{
		Name: "sell_hot", Source: ownSource, Format: SELL,
		Mapping: "a row has a lane for up to 32 nonzeros, in one warp; rows sorted by lanes and by nonzeros a lane; " +
			"the elements of x that most nonzeros need in shared memory",
		Grid: blocks + "; warps take chunks of 32 lanes", Legal: panelLegal,
		Params: []Param{xKB, {Name: "l2", Values: []string{"any", "keep"}, Default: "any",
			Doc: "keep: the matrix is the first to leave the L2 cache, in which x stays; from compute capability 8.0 on"}},
	},
	{
		Name: "sell_local", Source: ownSource, Format: SELL,
		Mapping: "sell_hot's rows and lanes with columns of 16 bits and x in shared memory, in as many panels of " +
			"columns as that takes; a second launch adds the panels' y",
		Grid:   blocks + "; each has a panel, and its warps take chunks of 32 lanes",
		Legal:  panelLegal + "; at most 16 panels",
		Params: []Param{xKB, equalValues},
	},
})

// peerKernels are published elsewhere and compared with the papers' own.
var peerKernels = family(csrKernel, []Kernel{
	{
		Name:    "csr_merge",
		Source:  "Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, SC16",
		Mapping: "every thread takes an equal share of rows + nonzeros; rows cut by a border are completed at the end",
	},
	{
		Name: "sell_c_sigma", Lanes: 1,
		Source: "Kreutzer et al., A unified sparse matrix data format, SIAM J. Sci. Comput. 36(5), 2014",
		Format: SELL,
		Mapping: "one thread per row of a chunk; chunks of C rows are stored column by column and padded to the " +
			"longest",
		Legal: "padding that fits in memory",
		Params: []Param{
			{Name: "chunk", Values: []string{"8", "16", "32", "64", "128"}, Default: "32", Doc: "C, rows per chunk"},
			{Name: "sigma", Default: "1024",
				Doc: "rows are sorted by length within windows of sigma rows; 1 keeps their order"},
		},
	},
}, "csr_merge")

var vendorKernel = Kernel{
	Backend: "cuda", Deterministic: true, Mapping: "the library's", Legal: "libcusparse on this machine",
}

// vendorKernels call cuSPARSE, opened at run time. The library chooses block and grid.
var vendorKernels = family(vendorKernel, []Kernel{
	{
		Name: "cusparse_csr_alg1", Paper: "cuSPARSE CSR 1",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_CSR_ALG1", Format: CSR,
	},
	{
		Name: "cusparse_csr_alg2", Paper: "cuSPARSE CSR 2",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_CSR_ALG2", Format: CSR,
	},
	{
		Name: "cusparse_coo_alg1", Paper: "cuSPARSE COO 1",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_COO_ALG1", Format: COO,
	},
	{
		Name: "cusparse_coo_alg2", Paper: "cuSPARSE COO 2",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_COO_ALG2", Format: COO,
	},
	{
		Name: "cusparse_sell", Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_SELL_ALG1 (CUDA 12 or later)",
		Format: SELL,
		Legal:  "padding that fits in memory",
		Params: []Param{
			{Name: "slice", Values: []string{"8", "16", "32", "64", "128"}, Default: "32", Doc: "rows per slice"},
		},
	},
	{
		Name:   "cusparse_bsr",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_BSR_ALG1 (12.6, CUDA 13.0, or later)", Format: BSR,
		Legal: "a nonzero; rows and columns multiples of the block's; at most 2 stored values per nonzero",
		Params: []Param{
			{Name: "shape", Values: []string{"2x2", "3x3", "4x4", "6x6"}, Default: "3x3",
				Doc: "rows and columns of a block"},
		},
	},
	{
		Name:   "cusparse_spmvop",
		Source: "NVIDIA cuSPARSE, cusparseSpMVOp (12.7.3, CUDA 13.1 Update 1, or later; experimental there)",
		Format: CSR,
	},
}, "cusparse_csr_alg1", "cusparse_coo_alg1", "cusparse_spmvop")

// These are block ranges of the kernels for the processor. Chunks of more than a million
// entries leave nothing to distribute; a SELL chunk of more than a thousand rows pads like
// ELLPACK.
var (
	cpuChunks     = Range{Min: 1, Max: 1 << 20, Step: 1}
	cpuSELLChunks = Range{Min: 1, Max: 1024, Step: 1}
)

const cpuGrid = "workers; each is a thread of its own, pinned to a core while there are cores left"

// cpuKernels run on the processor (package kernels/cpu).
var cpuKernels = family(Kernel{Backend: "cpu", Deterministic: true}, []Kernel{
	{
		Name: "cpu_coo", Paper: "CPU COO", Source: "coo-spmv-final, Alg. 1",
		Format:  COO,
		Mapping: "one thread takes all nonzeros in order and adds each product to y, which is zeroed first",
	},
	{
		Name: "cpu_csr", Paper: "CPU CSR", Source: "coo-spmv-final, Alg. 2",
		Format:  CSR,
		Mapping: "one thread takes all rows in order",
	},
	{
		Name: "cpu_coo_chunks", Source: "parallel form of coo-spmv-final, Alg. 1",
		Format: COO,
		Mapping: "a worker takes the next chunk of nonzeros, sums each row privately and writes the rows that start " +
			"there; sums for the row of an earlier chunk are added once at the end",
		Block: "nonzeros per chunk", Grid: cpuGrid, Blocks: cpuChunks,
	},
	{
		Name: "cpu_csr_rows", Source: "parallel form of coo-spmv-final, Alg. 2",
		Format:  CSR,
		Mapping: "a worker takes the next chunk of rows",
		Block:   "rows per chunk", Grid: cpuGrid, Blocks: cpuChunks,
	},
	{
		Name:   "cpu_csr_merge",
		Source: "Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, SC16, Sec. III",
		Format: CSR,
		Mapping: "a worker takes an equal share of rows + nonzeros, found by bisection on the merge path; rows cut " +
			"by a border are completed once at the end",
		Grid: cpuGrid,
	},
	{
		Name: "cpu_sell",
		Source: "Kreutzer et al., A unified sparse matrix data format, SIAM J. Sci. Comput. 36(5), 2014, Sec. 3 " +
			"(SELL-C-sigma)",
		Format:  SELL,
		Mapping: "a worker takes the next chunk of C rows, stored column by column and padded to the longest",
		Block:   "C, rows per chunk", Grid: cpuGrid, Blocks: cpuSELLChunks,
		Params: []Param{{
			Name: "sigma", Default: "1024",
			Doc: "rows are sorted by length within windows of sigma rows, rounded up to whole chunks; 1 keeps their " +
				"order",
		}},
		Legal: "at most 8 stored entries per nonzero, padding included",
	},
})
