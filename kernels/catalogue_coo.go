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
var cooSimpleKernels = family(cooKernel, []Kernel{
	{
		Name: "coo_atomic", Paper: "baseline", Source: "coo-spmv-final, Alg. 3",
		Mapping: "one thread per nonzero, one atomicAdd each; the grid is ceil(nnz / block)",
		Blocks:  anyBlock,
	},
	{
		Name: "coo_thread_chunk", Paper: "Kernel 1 size",
		Source:  "coo-spmv-final, Alg. 4 and Sec. VI-B (full_strided)",
		Mapping: "thread t takes nonzeros tP to (t+1)P",
		Grid:    blocks, Blocks: anyBlock,
	},
	{
		Name: "coo_grid_stride", Paper: "Kernel threads size",
		Source:  "coo-spmv-final, Alg. 4 and Sec. VI-B (full_jump)",
		Mapping: "thread t takes nonzeros t, t+T, t+2T, … of T = grid·block threads",
		Grid:    blocks, Blocks: anyBlock,
	},
	{
		Name: "coo_warp_chunk", Paper: "Kernel warp size", Source: "coo-spmv-final, Alg. 4 and Sec. VI-B (warp_jump)",
		Mapping: "32 consecutive threads own 32P consecutive nonzeros; a lane takes lane + 32i",
		Grid:    blocks, Blocks: anyBlock,
	},
	{
		Name: "coo_block_chunk", Paper: "Kernel block size",
		Source:  "coo-spmv-final, Alg. 4 and Sec. VI-B (block_jump)",
		Mapping: "a block owns block·P consecutive nonzeros; a thread takes tid + block·i",
		Grid:    blocks, Blocks: anyBlock,
	},
})

// cooScanKernels sum rows by a prefix sum over a window of nonzeros. The plain
// ones add prefix and −prefix at row breaks, so the magnitudes of the whole
// window enter a row's error; the segmented ones add within a row only.
var cooScanKernels = family(cooKernel, []Kernel{
	{
		Name: "coo_scan_shared", Paper: "ps 32, ps 1024",
		Source: "coo-spmv-final, Alg. 5; Hillis and Steele, CACM 29(12), 1986", Scope: ScopeBlock,
		Mapping: "inclusive scan over the block in shared memory; at a row break, prefix to this row and −prefix to " +
			"the next",
		Block: threads + ", and nonzeros per scan window", Grid: windows, Blocks: anyBlock,
	},
	{
		Name: "coo_segscan_shared", Paper: "ps equals", Source: "coo-spmv-final, Alg. 6",
		Mapping: "segmented scan over the block in shared memory; one atomicAdd per row and block",
		Block:   threads + ", and nonzeros per scan window", Grid: windows, Blocks: anyBlock,
	},
	{
		Name: "coo_blelloch", Paper: "ps 32 nvidia, ps 1024 nvidia",
		Source: "coo-spmv-final, Sec. IV; Harris, Sengupta and Owens, GPU Gems 3, Ch. 39.2.2", Scope: ScopeBlock,
		Mapping: "work-efficient scan (up-sweep, down-sweep) over 2·block nonzeros in shared memory, 2 a thread",
		Block:   threads + "; a scan window is 2·block nonzeros", Grid: windows, Blocks: pow2Block,
	},
	{
		Name: "coo_blelloch_padded", Paper: "ps 32 nvidia, ps 1024 nvidia (no bank conflicts)",
		Source: "coo-spmv-final, Sec. IV; Harris, Sengupta and Owens, GPU Gems 3, Ch. 39.2.3", Scope: ScopeBlock,
		Mapping: "coo_blelloch with element i at i + (i >> 5), free of conflicts on 32 banks",
		Block:   threads + "; a scan window is 2·block nonzeros", Grid: windows, Blocks: pow2Block,
	},
	{
		Name: "coo_scan_warp", Paper: "ps 32 warp", Source: "coo-spmv-final, Alg. 7 without the test for rows",
		Scope: ScopeBlock,
		Mapping: "inclusive scan over each warp by shuffles; at a row break, prefix to this row and −prefix to the " +
			"next",
		Block: threads + "; a scan window is 32 nonzeros", Grid: windows,
	},
	{
		Name: "coo_segscan_warp", Paper: "ps 32 warp equals", Source: "coo-spmv-final, Alg. 7",
		Mapping: "segmented scan over each warp by shuffles; the last lane of a row adds it to y",
		Block:   threads + "; a scan window is 32 nonzeros", Grid: windows,
	},
	{
		Name: "coo_scan_block", Paper: "ps 1024 warp", Source: "coo-spmv-final, Sec. IV, Fig. 7", Scope: ScopeBlock,
		Mapping: "warp scans, then a scan of up to 32 warp totals in shared memory, then the carry is added",
		Block:   threads + ", and nonzeros per scan window", Grid: windows,
	},
	{
		Name: "coo_segscan_block", Paper: "ps 1024 warp equals", Source: "coo-spmv-final, Sec. IV, Fig. 7",
		Mapping: "the segmented form of coo_scan_block: a carry enters only elements of the same row",
		Block:   threads + ", and nonzeros per scan window", Grid: windows,
	},
	{
		Name: "coo_scan_warp_chunk", Paper: "ps 32 warp + block jump", Source: "coo-spmv-final, Sec. VI-C",
		Scope:   ScopeBlock,
		Mapping: "coo_scan_warp in the loop of coo_block_chunk",
		Block:   threads + "; a scan window is 32 nonzeros", Grid: blocks,
	},
	{
		Name: "coo_segscan_warp_chunk", Paper: "ps 32 warp jump_block", Source: "coo-spmv-final, Sec. VI-C",
		Mapping: "coo_segscan_warp in the loop of coo_block_chunk",
		Block:   threads + "; a scan window is 32 nonzeros", Grid: blocks,
	},
	{
		Name: "coo_segscan_warp_chunk_unroll", Paper: "ps 32 warp jump_block unroll",
		Source:  "coo-spmv-final, Sec. VI-C, Fig. 16",
		Mapping: "coo_segscan_warp_chunk with its loop over elements unrolled",
		Block:   threads + "; a scan window is 32 nonzeros", Grid: blocks,
		Params: []Param{{
			Name: "unroll", Values: []string{"2", "4", "8"}, Default: "4",
			Doc: "elements per turn of the loop",
		}},
	},
})
