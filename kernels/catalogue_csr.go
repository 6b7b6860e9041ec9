package kernels

// csrFiveKernels are the five algorithms of csr-five-algorithms, one of them on
// two levels.
var csrFiveKernels = family(csrKernel, []Kernel{
	{
		Name: "csr_scalar", Lanes: 1, Paper: "CSR Scalar", Source: "csr-five-algorithms, Sec. IV-A",
		Mapping: "one thread per row, grid-stride over rows",
		Blocks:  anyBlock,
	},
	{
		Name: "csr_vector", Lanes: 32, Paper: "CSR Vector", Source: "csr-five-algorithms, Sec. IV-B",
		Mapping: "one warp per row, reduced in shared memory",
	},
	{
		Name: "csr_adaptive", Paper: "CSR Adaptive", Source: "csr-five-algorithms, Sec. IV-C and Table III",
		Mapping: "the host packs rows into row blocks; products are streamed to shared memory and a thread sums each " +
			"row; a long row has a row block to itself",
		Grid: blocks + "; each takes every grid-th row block", Legal: "tile values in shared memory", Lanes: wholeBlock,
		Params: []Param{
			{Name: "tile", Values: []string{"256", "512", "1024", "2048", "4096"}, Default: "1024",
				Doc: "S, most nonzeros of a row block"},
			{Name: "long_row", Values: []string{"warp", "block"}, Default: "block",
				Doc: "who sums a row that is longer than a row block"},
		},
	},
	{
		Name: "csr_pcsr", Lanes: 1, Paper: "PCSR", Source: "csr-five-algorithms, Sec. IV-D",
		Mapping: "kernel 1 writes all products; kernel 2 sums rows, a thread each, from products staged in shared " +
			"memory",
		Block: threads + " of kernel 1",
		Grid: blocks +
			" of kernel 1; kernel 2 has one for every block2 rows",
		Blocks: anyBlock,
		Params: []Param{{
			Name: "block2", Values: []string{"32", "64", "128", "256", "512", "1024"}, Default: "64",
			Doc: "threads per block, and rows per block, of kernel 2",
		}},
	},
	{
		Name: "csr_light", Lanes: 32, Paper: "LightSpMV",
		Source:  "csr-five-algorithms, Sec. IV-E; Liu and Schmidt, LightSpMV, ASAP 2015 (vector level)",
		Mapping: "width lanes per row; each group of lanes takes the next row from an atomic counter",
		Params:  []Param{lightWidth},
	},
	{
		Name: "csr_light_warp", Lanes: 32, Paper: "LightSpMV (warp)",
		Source:  "csr-five-algorithms, Sec. IV-E; Liu and Schmidt, LightSpMV, ASAP 2015 (warp level)",
		Mapping: "csr_light with one step of the counter per warp, for 32/width rows",
		Params:  []Param{lightWidth},
	},
})

var lightWidth = Param{
	Name: "width", Values: []string{"auto", "2", "4", "8", "16", "32"}, Default: "auto",
	Doc: "lanes per row; auto chooses by mean row length",
}

// csrShuffleKernels give a warp to each row.
var csrShuffleKernels = family(csrKernel, []Kernel{
	{
		Name: "csr_warp_row_global", Lanes: 32, Paper: "warp-per-row (old)", Source: "csr-shuffle-and-shared, Alg. 1",
		Mapping: "warp per row; tree reduction in a buffer in global memory",
	},
	{
		Name: "csr_warp_row_shuffle", Lanes: 32, Paper: "improved", Source: "csr-shuffle-and-shared, Alg. 2",
		Mapping: "warp per row; x through the read-only cache, reduction by shuffles",
	},
	{
		Name: "csr_warp_row_tile", Lanes: 32, Paper: "shared memory", Source: "csr-shuffle-and-shared, Alg. 3", Sorted: true,
		Mapping: "warp per row; x is staged in shared memory tile by tile, empty tiles skipped",
		Legal:   "columns sorted within a row; tile values per warp in shared memory",
		Params:  []Param{xTile},
	},
	{
		Name: "csr_block_tile", Lanes: 32, Paper: "future work 2", Source: "csr-shuffle-and-shared, Sec. VI-A, item 2",
		Sorted:  true,
		Mapping: "a block takes several neighbouring rows, a warp each, that share one tile of x",
		Block:   threads + "; block/32 rows share a tile", Grid: blocks,
		Legal:  "columns sorted within a row; tile values per block in shared memory",
		Params: []Param{xTile},
	},
})

var xTile = Param{
	Name: "tile", Values: []string{"32", "64", "128", "256", "512"}, Default: "128",
	Doc: "elements of x staged at a time",
}

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
var csrBinsKernels = family(csrKernel, []Kernel{
	{
		Name: "csr_thread_row_v1", Lanes: 1, Paper: "OneThreadPerRow (D1)", Source: "csr-bins-and-hybrid, Sec. V and VII-A",
		Mapping: "thread per row",
		Blocks:  anyBlock,
		Params:  []Param{shared},
	},
	{
		Name: "csr_thread_row", Lanes: 1, Paper: "OneThreadPerRow", Source: "csr-bins-and-hybrid, Alg. 1",
		Mapping: "thread per row, grid-stride, unrolled by 4",
		Blocks:  anyBlock,
		Params: []Param{
			{Name: "min_blocks", Values: []string{"none", "1", "2", "3"}, Default: "none",
				Doc: "launch bound: this many blocks of at most 256 threads fit on a multiprocessor; none: blocks " +
					"of up to 1024 threads, and no minimum"},
			shared,
		},
	},
	{
		Name: "csr_warp_row_v1", Lanes: 32, Paper: "OneWarpPerRow (D1)", Source: "csr-bins-and-hybrid, Sec. V and VII-A",
		Mapping: "warp per row, grid-stride",
		Params:  []Param{shared},
	},
	{
		Name: "csr_warp_row", Lanes: 32, Paper: "OneWarpPerRow", Source: "csr-bins-and-hybrid, Alg. 2",
		Mapping: "warp per row, grid-stride, unrolled by 4",
		Params:  []Param{shared},
	},
	{
		Name: "csr_bins_v1", Paper: "CoalescedBins (D1)", Source: "csr-bins-and-hybrid, Sec. V-B.3 and VII-A",
		Mapping: "nonzeros in bins; each thread searches the row of its nonzero and adds by atomicAdd",
		Blocks:  anyBlock,
		Params:  []Param{shared},
	},
	{
		Name: "csr_bins", Lanes: 32, Paper: "CoalescedBins", Source: "csr-bins-and-hybrid, Alg. 3",
		Mapping: "the host packs rows into bins of at most 64 nonzeros, a longer row alone; a warp takes a bin row by " +
			"row",
		Params: []Param{shared},
	},
	{
		Name: "csr_hybrid_v1", Lanes: 32, Paper: "Hybrid (D1)", Source: "csr-bins-and-hybrid, Sec. V-B.4 and VII-A",
		Mapping: "short rows: a thread each; the others: a warp each",
		Params:  []Param{short, shared},
	},
	{
		Name: "csr_hybrid", Lanes: wholeBlock, Paper: "Hybrid", Source: "csr-bins-and-hybrid, Alg. 4",
		Mapping: "short rows: a thread each; medium: a warp each; long: a block each, reduced in shared memory",
		Legal:   "short at most long",
		Params:  []Param{short, long, shared},
	},
}, "csr_bins_v1")

// aheadKernels are this project's forms of kernels of the papers: they fetch several products at a
// time, and some of them before they are needed.
var aheadKernels = family(csrKernel, []Kernel{
	{
		Name: "csr_scalar_ahead", Lanes: 1, Source: "this project, after csr_scalar",
		Mapping: "one thread per row; 8 products at a time, the next columns fetched ahead, long rows prefetched",
		Blocks:  anyBlock,
	},
	{
		Name: "csr_vector_ahead", Lanes: 32, Source: "this project, after csr_vector",
		Mapping: "one warp per row, reduced in shared memory; 8 products at a time, the next columns fetched ahead",
	},
	{
		Name: "csr_warp_row_shuffle_ahead", Lanes: 32, Source: "this project, after csr_warp_row_shuffle",
		Mapping: "warp per row, reduced by shuffles; 4 products at a time, the next row's bounds fetched ahead",
	},
	{
		Name: "csr_thread_row_ahead", Lanes: 1, Source: "this project, after csr_thread_row",
		Mapping: "thread per row; 8 products at a time, the next columns fetched ahead, in few registers",
		Blocks:  anyBlock,
	},
	{
		Name: "csr_warp_row_ahead", Lanes: 32, Source: "this project, after csr_warp_row",
		Mapping: "warp per row, reduced by shuffles; 4 products at a time, the next columns and bounds fetched ahead",
	},
	{
		Name: "csr_bins_ahead", Lanes: 32, Source: "this project, after csr_bins",
		Mapping: "the bins of csr_bins; a warp fetches a bin's products at once, sums 4 rows at a time, and has the " +
			"next bins on their way",
	},
})
