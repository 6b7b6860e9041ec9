package kernels

// aheadKernels are our forms of kernels of the papers: they fetch several products at a
// time, and some of them before they are needed.
var aheadKernels = []Kernel{
	{
		Name: "csr_scalar_ahead", Source: "ours, after csr_scalar",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "one thread per row; 8 products at a time, the next columns fetched ahead, long rows prefetched",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
	},
	{
		Name: "csr_vector_ahead", Source: "ours, after csr_vector",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "one warp per row, reduced in shared memory; 8 products at a time, the next columns fetched ahead",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "csr_warp_row_shuffle_ahead", Source: "ours, after csr_warp_row_shuffle",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "warp per row, reduced by shuffles; 4 products at a time, the next row's bounds fetched ahead",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "csr_thread_row_ahead", Source: "ours, after csr_thread_row",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "thread per row; 8 products at a time, the next columns fetched ahead, in few registers",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
	},
	{
		Name: "csr_warp_row_ahead", Source: "ours, after csr_warp_row",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "warp per row, reduced by shuffles; 4 products at a time, the next columns and bounds fetched ahead",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "csr_bins_ahead", Source: "ours, after csr_bins",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "the bins of csr_bins; a warp fetches a bin's products at once, sums 4 rows at a time, and has the " +
			"next bins on their way",
		Block: threads, Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
}
