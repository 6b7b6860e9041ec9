package kernels

// These are block ranges of kernels on a GPU. Every device from compute capability 2.0 on
// allows up to 1024 threads in a block.
var (
	anyBlock  = Range{Min: 1, Max: 1024, Step: 1}
	warpBlock = Range{Min: 32, Max: 1024, Step: 32} // whole warps
	pow2Block = Range{Min: 1, Max: 1024, Step: 1, Pow2: true}
)

const (
	threads = "threads per block"
	blocks  = "blocks"
	windows = "blocks; each takes every grid-th window of consecutive nonzeros"
)

// cooSimpleKernels add every product to y atomically. They differ in which thread takes which
// nonzero. P is ceil(nnz / (grid·block)).
var cooSimpleKernels = []Kernel{
	{
		Name: "coo_atomic", Paper: "baseline", Source: "coo-spmv-final, Alg. 3",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "one thread per nonzero, one atomicAdd each; the grid is ceil(nnz / block)",
		Block:   threads, Blocks: anyBlock,
	},
	{
		Name: "coo_thread_chunk", Paper: "Kernel 1 size",
		Source: "coo-spmv-final, Alg. 4 and Sec. VI-B (full_strided)",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "thread t takes nonzeros tP to (t+1)P",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
	},
	{
		Name: "coo_grid_stride", Paper: "Kernel threads size",
		Source: "coo-spmv-final, Alg. 4 and Sec. VI-B (full_jump)",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "thread t takes nonzeros t, t+T, t+2T, … of T = grid·block threads",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
	},
	{
		Name: "coo_warp_chunk", Paper: "Kernel warp size",
		Source: "coo-spmv-final, Alg. 4 and Sec. VI-B (warp_jump)",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "32 consecutive threads own 32P consecutive nonzeros; a lane takes lane + 32i",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
	},
	{
		Name: "coo_block_chunk", Paper: "Kernel block size",
		Source: "coo-spmv-final, Alg. 4 and Sec. VI-B (block_jump)",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "a block owns block·P consecutive nonzeros; a thread takes tid + block·i",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
	},
}
