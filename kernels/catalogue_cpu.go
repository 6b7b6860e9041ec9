package kernels

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
