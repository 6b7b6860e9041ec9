package kernels

// peerKernels are published elsewhere and compared with the papers' own.
var peerKernels = []Kernel{
	{
		Name:   "csr_merge",
		Source: "Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, SC16",
		Format: CSR, Backend: "cuda", Scope: ScopeRow,
		Mapping: "every thread takes an equal share of rows + nonzeros; rows cut by a border are completed at the end",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name:   "sell_c_sigma",
		Source: "Kreutzer et al., A unified sparse matrix data format, SIAM J. Sci. Comput. 36(5), 2014",
		Format: SELL, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "one thread per row of a chunk; chunks of C rows are stored column by column and padded to the " +
			"longest",
		Block: threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{
			{Name: "chunk", Values: []string{"8", "16", "32", "64", "128"}, Default: "32", Doc: "C, rows per chunk"},
			{Name: "sigma", Default: "1024",
				Doc: "rows are sorted by length within windows of sigma rows; 1 keeps their order"},
		},
		Legal: wholeWarps + "; padding that fits in memory",
	},
}

// vendorKernels call cuSPARSE, opened at run time. The library chooses block and grid.
var vendorKernels = []Kernel{
	{
		Name: "cusparse_csr_alg1", Paper: "cuSPARSE CSR 1",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_CSR_ALG1",
		Format: CSR, Backend: "cuda", Scope: ScopeRow,
		Mapping: "the library's", Legal: "libcusparse on this machine",
	},
	{
		Name: "cusparse_csr_alg2", Paper: "cuSPARSE CSR 2",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_CSR_ALG2",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "the library's", Legal: "libcusparse on this machine",
	},
	{
		Name: "cusparse_coo_alg1", Paper: "cuSPARSE COO 1",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_COO_ALG1",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "the library's", Legal: "libcusparse on this machine",
	},
	{
		Name: "cusparse_coo_alg2", Paper: "cuSPARSE COO 2",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_COO_ALG2",
		Format: COO, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "the library's", Legal: "libcusparse on this machine",
	},
	{
		Name:   "cusparse_sell",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_SELL_ALG1 (CUDA 12 or later)",
		Format: SELL, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "the library's",
		Params: []Param{
			{Name: "slice", Values: []string{"8", "16", "32", "64", "128"}, Default: "32", Doc: "rows per slice"},
		},
		Legal: "libcusparse on this machine; padding that fits in memory",
	},
	{
		Name:   "cusparse_bsr",
		Source: "NVIDIA cuSPARSE, cusparseSpMV, CUSPARSE_SPMV_BSR_ALG1 (12.6, CUDA 13.0, or later)",
		Format: BSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "the library's",
		Params: []Param{
			{Name: "shape", Values: []string{"2x2", "3x3", "4x4", "6x6"}, Default: "3x3",
				Doc: "rows and columns of a block"},
		},
		Legal: "libcusparse on this machine; a nonzero; rows and columns multiples of the block's; at most 2 stored " +
			"values per nonzero",
	},
	{
		Name:   "cusparse_spmvop",
		Source: "NVIDIA cuSPARSE, cusparseSpMVOp (12.7.3, CUDA 13.1 Update 1, or later; experimental there)",
		Format: CSR, Backend: "cuda", Scope: ScopeRow,
		Mapping: "the library's", Legal: "libcusparse on this machine",
	},
}

// These are block ranges of the kernels for the processor. Chunks of more than a million
// entries leave nothing to distribute; a SELL chunk of more than a thousand rows pads like
// ELLPACK.
var (
	cpuChunks     = Range{Min: 1, Max: 1 << 20, Step: 1}
	cpuSELLChunks = Range{Min: 1, Max: 1024, Step: 1}
)

const cpuGrid = "workers; each is a thread of its own, pinned to a core while there are cores left"

// cpuKernels run on the processor (package kernels/cpu).
var cpuKernels = []Kernel{
	{
		Name: "cpu_coo", Paper: "CPU COO", Source: "coo-spmv-final, Alg. 1",
		Format: COO, Backend: "cpu", Scope: ScopeRow, Deterministic: true,
		Mapping: "one thread takes all nonzeros in order and adds each product to y, which is zeroed first",
	},
	{
		Name: "cpu_csr", Paper: "CPU CSR", Source: "coo-spmv-final, Alg. 2",
		Format: CSR, Backend: "cpu", Scope: ScopeRow, Deterministic: true,
		Mapping: "one thread takes all rows in order",
	},
	{
		Name: "cpu_coo_chunks", Source: "parallel form of coo-spmv-final, Alg. 1",
		Format: COO, Backend: "cpu", Scope: ScopeRow, Deterministic: true,
		Mapping: "a worker takes the next chunk of nonzeros, sums each row privately and writes the rows that start " +
			"there; sums for the row of an earlier chunk are added once at the end",
		Block: "nonzeros per chunk", Grid: cpuGrid, Blocks: cpuChunks,
	},
	{
		Name: "cpu_csr_rows", Source: "parallel form of coo-spmv-final, Alg. 2",
		Format: CSR, Backend: "cpu", Scope: ScopeRow, Deterministic: true,
		Mapping: "a worker takes the next chunk of rows",
		Block:   "rows per chunk", Grid: cpuGrid, Blocks: cpuChunks,
	},
	{
		Name:   "cpu_csr_merge",
		Source: "Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, SC16, Sec. III",
		Format: CSR, Backend: "cpu", Scope: ScopeRow, Deterministic: true,
		Mapping: "a worker takes an equal share of rows + nonzeros, found by bisection on the merge path; rows cut " +
			"by a border are completed once at the end",
		Grid: cpuGrid,
	},
	{
		Name: "cpu_sell",
		Source: "Kreutzer et al., A unified sparse matrix data format, SIAM J. Sci. Comput. 36(5), 2014, Sec. 3 " +
			"(SELL-C-sigma)",
		Format: SELL, Backend: "cpu", Scope: ScopeRow, Deterministic: true,
		Mapping: "a worker takes the next chunk of C rows, stored column by column and padded to the longest",
		Block:   "C, rows per chunk", Grid: cpuGrid, Blocks: cpuSELLChunks,
		Params: []Param{{
			Name: "sigma", Default: "1024",
			Doc: "rows are sorted by length within windows of sigma rows, rounded up to whole chunks; 1 keeps their " +
				"order",
		}},
		Legal: "at most 8 stored entries per nonzero, padding included",
	},
}
