package kernels

var (
	shared = Param{
		Name: "shared", Values: []string{"0", "1"}, Default: "0",
		Doc: "1: the sum of each thread is in shared memory",
	}
	short = Param{Name: "short", Default: "64", Doc: "rows below this many nonzeros get one thread"}
	long  = Param{Name: "long", Default: "512", Doc: "rows of at least this many nonzeros get a block"}
)

// csrBinsKernels are the kernels of csr-bins-and-hybrid, each in its first form
// (the authors' deliverable 1) and its second.
var csrBinsKernels = []Kernel{
	{
		Name: "csr_thread_row_v1", Paper: "OneThreadPerRow (D1)",
		Source: "csr-bins-and-hybrid, Sec. V and VII-A",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "thread per row",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
		Params: []Param{shared},
	},
	{
		Name: "csr_thread_row", Paper: "OneThreadPerRow", Source: "csr-bins-and-hybrid, Alg. 1",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "thread per row, grid-stride, unrolled by 4",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
		Params: []Param{
			{Name: "min_blocks", Values: []string{"none", "1", "2", "3"}, Default: "none",
				Doc: "launch bound: this many blocks of at most 256 threads fit on a multiprocessor; none: blocks " +
					"of up to 1024 threads, and no minimum"},
			shared,
		},
	},
	{
		Name: "csr_warp_row_v1", Paper: "OneWarpPerRow (D1)",
		Source: "csr-bins-and-hybrid, Sec. V and VII-A",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "warp per row, grid-stride",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{shared},
		Legal:  wholeWarps,
	},
	{
		Name: "csr_warp_row", Paper: "OneWarpPerRow", Source: "csr-bins-and-hybrid, Alg. 2",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "warp per row, grid-stride, unrolled by 4",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{shared},
		Legal:  wholeWarps,
	},
	{
		Name: "csr_bins_v1", Paper: "CoalescedBins (D1)",
		Source: "csr-bins-and-hybrid, Sec. V-B.3 and VII-A",
		Format: CSR, Backend: "cuda", Scope: ScopeRow,
		Mapping: "nonzeros in bins; each thread searches the row of its nonzero and adds by atomicAdd",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
		Params: []Param{shared},
	},
	{
		Name: "csr_bins", Paper: "CoalescedBins", Source: "csr-bins-and-hybrid, Alg. 3",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "the host packs rows into bins of at most 64 nonzeros, a longer row alone; a warp takes a bin row " +
			"by row",
		Block: threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{shared},
		Legal:  wholeWarps,
	},
	{
		Name: "csr_hybrid_v1", Paper: "Hybrid (D1)", Source: "csr-bins-and-hybrid, Sec. V-B.4 and VII-A",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "short rows: a thread each; the others: a warp each",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{short, shared},
		Legal:  wholeWarps,
	},
	{
		Name: "csr_hybrid", Paper: "Hybrid", Source: "csr-bins-and-hybrid, Alg. 4",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "short rows: a thread each; medium: a warp each; long: a block each, reduced in shared memory",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{short, long, shared},
		Legal:  wholeWarps + "; short at most long",
	},
}
