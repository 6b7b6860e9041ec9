package kernels

// csrFiveKernels are the five algorithms of csr-five-algorithms, one of them on
// two levels.
var csrFiveKernels = []Kernel{
	{
		Name: "csr_scalar", Paper: "CSR Scalar", Source: "csr-five-algorithms, Sec. IV-A",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "one thread per row, grid-stride over rows",
		Block:   threads, Grid: blocks, Blocks: anyBlock,
	},
	{
		Name: "csr_vector", Paper: "CSR Vector", Source: "csr-five-algorithms, Sec. IV-B",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "one warp per row, reduced in shared memory",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "csr_adaptive", Paper: "CSR Adaptive", Source: "csr-five-algorithms, Sec. IV-C and Table III",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "the host packs rows into row blocks; products are streamed to shared memory and a thread sums " +
			"each row; a long row has a row block to itself",
		Block: threads, Grid: blocks + "; each takes every grid-th row block", Blocks: warpBlock,
		Params: []Param{
			{Name: "tile", Values: []string{"256", "512", "1024", "2048", "4096"}, Default: "1024",
				Doc: "S, most nonzeros of a row block"},
			{Name: "long_row", Values: []string{"warp", "block"}, Default: "block",
				Doc: "who sums a row that is longer than a row block"},
		},
		Legal: wholeWarps + "; tile values in shared memory",
	},
	{
		Name: "csr_pcsr", Paper: "PCSR", Source: "csr-five-algorithms, Sec. IV-D",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "kernel 1 writes all products; kernel 2 sums rows, a thread each, from products staged in shared " +
			"memory",
		Block: threads + " of kernel 1", Grid: blocks +
			" of kernel 1; kernel 2 has one for every block2 rows", Blocks: anyBlock,
		Params: []Param{{
			Name: "block2", Values: []string{"32", "64", "128", "256", "512", "1024"}, Default: "64",
			Doc: "threads per block, and rows per block, of kernel 2",
		}},
	},
	{
		Name: "csr_light", Paper: "LightSpMV",
		Source: "csr-five-algorithms, Sec. IV-E; Liu and Schmidt, LightSpMV, ASAP 2015 (vector level)",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "width lanes per row; each group of lanes takes the next row from an atomic counter",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{lightWidth},
		Legal:  wholeWarps,
	},
	{
		Name: "csr_light_warp", Paper: "LightSpMV (warp)",
		Source: "csr-five-algorithms, Sec. IV-E; Liu and Schmidt, LightSpMV, ASAP 2015 (warp level)",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "csr_light with one step of the counter per warp, for 32/width rows",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{lightWidth},
		Legal:  wholeWarps,
	},
}

var lightWidth = Param{
	Name: "width", Values: []string{"auto", "2", "4", "8", "16", "32"}, Default: "auto",
	Doc: "lanes per row; auto chooses by mean row length",
}

// csrShuffleKernels give a warp to each row.
var csrShuffleKernels = []Kernel{
	{
		Name: "csr_warp_row_global", Paper: "warp-per-row (old)", Source: "csr-shuffle-and-shared, Alg. 1",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "warp per row; tree reduction in a buffer in global memory",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "csr_warp_row_shuffle", Paper: "improved", Source: "csr-shuffle-and-shared, Alg. 2",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true,
		Mapping: "warp per row; x through the read-only cache, reduction by shuffles",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Legal: wholeWarps,
	},
	{
		Name: "csr_warp_row_tile", Paper: "shared memory", Source: "csr-shuffle-and-shared, Alg. 3",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true, Sorted: true,
		Mapping: "warp per row; x is staged in shared memory tile by tile, empty tiles skipped",
		Block:   threads, Grid: blocks, Blocks: warpBlock,
		Params: []Param{xTile},
		Legal:  wholeWarps + "; columns sorted within a row; tile values per warp in shared memory",
	},
	{
		Name: "csr_block_tile", Paper: "future work 2", Source: "csr-shuffle-and-shared, Sec. VI-A, item 2",
		Format: CSR, Backend: "cuda", Scope: ScopeRow, Deterministic: true, Sorted: true,
		Mapping: "a block takes several neighbouring rows, a warp each, that share one tile of x",
		Block:   threads + "; block/32 rows share a tile", Grid: blocks, Blocks: warpBlock,
		Params: []Param{xTile},
		Legal:  wholeWarps + "; columns sorted within a row; tile values per block in shared memory",
	},
}

var xTile = Param{
	Name: "tile", Values: []string{"32", "64", "128", "256", "512"}, Default: "128",
	Doc: "elements of x staged at a time",
}
