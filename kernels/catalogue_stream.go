package kernels

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

// streamKernels are this program's own for rows that are long or of very different lengths.
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
