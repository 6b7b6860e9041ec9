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

const wholeWarps = "block a multiple of 32"

// cooScanKernels sum rows by a prefix sum over a window of nonzeros. The plain
// ones add prefix and −prefix at row breaks, so the magnitudes of the whole
// window enter a row's error; the segmented ones add within a row only.
var cooScanKernels = []Kernel{
	{
		Name: "coo_scan_shared", Paper: "ps 32, ps 1024",
		Source: "coo-spmv-final, Alg. 5; Hillis and Steele, CACM 29(12), 1986",
		Format: COO, Backend: "cuda", Scope: ScopeBlock,
		Mapping: "inclusive scan over the block in shared memory; at a row break, prefix to this row and −prefix to " +
			"the next",
		Block: threads + ", and nonzeros per scan window", Grid: windows, Blocks: anyBlock,
	},
	{
		Name: "coo_segscan_shared", Paper: "ps equals", Source: "coo-spmv-final, Alg. 6",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "segmented scan over the block in shared memory; one atomicAdd per row and block",
		Block:   threads + ", and nonzeros per scan window", Grid: windows, Blocks: anyBlock,
	},
	{
		Name: "coo_blelloch", Paper: "ps 32 nvidia, ps 1024 nvidia",
		Source: "coo-spmv-final, Sec. IV; Harris, Sengupta and Owens, GPU Gems 3, Ch. 39.2.2",
		Format: COO, Backend: "cuda", Scope: ScopeBlock,
		Mapping: "work-efficient scan (up-sweep, down-sweep) over 2·block nonzeros in shared memory, 2 a thread",
		Block:   threads + "; a scan window is 2·block nonzeros", Grid: windows, Blocks: pow2Block,
		Legal: "block a power of two",
	},
	{
		Name: "coo_blelloch_padded", Paper: "ps 32 nvidia, ps 1024 nvidia (no bank conflicts)",
		Source: "coo-spmv-final, Sec. IV; Harris, Sengupta and Owens, GPU Gems 3, Ch. 39.2.3",
		Format: COO, Backend: "cuda", Scope: ScopeBlock,
		Mapping: "coo_blelloch with element i at i + (i >> 5), free of conflicts on 32 banks",
		Block:   threads + "; a scan window is 2·block nonzeros", Grid: windows, Blocks: pow2Block,
		Legal: "block a power of two",
	},
	{
		Name: "coo_scan_warp", Paper: "ps 32 warp",
		Source: "coo-spmv-final, Alg. 7 without the test for rows",
		Format: COO, Backend: "cuda", Scope: ScopeBlock,
		Mapping: "inclusive scan over each warp by shuffles; at a row break, prefix to this row and −prefix to " +
			"the next",
		Block: threads + "; a scan window is 32 nonzeros", Grid: windows, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "coo_segscan_warp", Paper: "ps 32 warp equals", Source: "coo-spmv-final, Alg. 7",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "segmented scan over each warp by shuffles; the last lane of a row adds it to y",
		Block:   threads + "; a scan window is 32 nonzeros", Grid: windows, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "coo_scan_block", Paper: "ps 1024 warp", Source: "coo-spmv-final, Sec. IV, Fig. 7",
		Format: COO, Backend: "cuda", Scope: ScopeBlock,
		Mapping: "warp scans, then a scan of up to 32 warp totals in shared memory, then the carry is added",
		Block:   threads + ", and nonzeros per scan window", Grid: windows, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "coo_segscan_block", Paper: "ps 1024 warp equals", Source: "coo-spmv-final, Sec. IV, Fig. 7",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "the segmented form of coo_scan_block: a carry enters only elements of the same row",
		Block:   threads + ", and nonzeros per scan window", Grid: windows, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "coo_scan_warp_chunk", Paper: "ps 32 warp + block jump", Source: "coo-spmv-final, Sec. VI-C",
		Format: COO, Backend: "cuda", Scope: ScopeBlock,
		Mapping: "coo_scan_warp in the loop of coo_block_chunk",
		Block:   threads + "; a scan window is 32 nonzeros", Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "coo_segscan_warp_chunk", Paper: "ps 32 warp jump_block", Source: "coo-spmv-final, Sec. VI-C",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "coo_segscan_warp in the loop of coo_block_chunk",
		Block:   threads + "; a scan window is 32 nonzeros", Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "coo_segscan_warp_chunk_unroll", Paper: "ps 32 warp jump_block unroll",
		Source: "coo-spmv-final, Sec. VI-C, Fig. 16",
		Format: COO, Backend: "cuda", Scope: ScopeRow,
		Mapping: "coo_segscan_warp_chunk with its loop over elements unrolled",
		Block:   threads + "; a scan window is 32 nonzeros", Grid: blocks, Blocks: warpBlock,
		Params: []Param{{
			Name: "unroll", Values: []string{"2", "4", "8"}, Default: "4",
			Doc: "elements per turn of the loop",
		}},
		Legal: wholeWarps,
	},
}
