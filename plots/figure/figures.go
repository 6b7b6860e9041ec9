package figure

import (
	"fmt"
	"strings"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
)

// A Figure is an entry of the registry: what it is called, where it comes from
// and how it is drawn.
type Figure struct {
	ID     string // names its files, `report --figure` and [report] figures
	Source string // the paper's figure that it regenerates; "": none has it
	Title  string
	See    string // what a reader should look for
	Sweep  string // the shipped sweep that produces its data
	Needs  string // what to add to a sweep that has trials, but no data for it

	// draw makes the pages that the data allows, none where there is no data.
	draw func(d *data.Report) ([]*canvas.Picture, []error)
}

// profileNeeds is for figures that a profiler's counts are needed for.
const profileNeeds = "profile a run of the sweep with Nsight Compute, and give what it counted to spmvtune profile, whose --help has the command"

// Figures are all figures, in the order of the report.
var Figures = []Figure{
	{
		ID:     "matrix-patterns",
		Source: "coo-spmv-final Fig. 8, coo-spmv-first Fig. 1, csr-shuffle-and-shared Fig. 2",
		Title:  "Patterns of the matrices",
		See:    "Entries near the diagonal or in clusters read neighbouring elements of x, which caches serve; a picture that is evenly filled reads x at random. A dark line across is a row that is longer than the others by far.",
		Sweep:  "quickstart",
		Needs:  "run the sweep again: it was recorded by an older version, and nothing is measured twice",
		draw:   drawPatterns,
	},
	{
		ID:     "throughput-vs-block",
		Source: "coo-spmv-final Fig. 11, coo-spmv-first Fig. 2",
		Title:  "Throughput over block size",
		See:    "Where a line is flat, the block size does not matter and any value will do; where it peaks, it must be tuned. Higher is faster. Bands that overlap mean that the data can't tell two kernels apart.",
		Sweep:  "quickstart",
		Needs:  "give a kernel several block sizes, as in block = { pow2 = [32, 1024] }",
		draw:   func(d *data.Report) ([]*canvas.Picture, []error) { return drawSizes(d, overBlock) },
	},
	{
		ID:     "throughput-vs-grid",
		Source: "coo-spmv-final Fig. 12, coo-spmv-first Fig. 3",
		Title:  "Throughput over grid size",
		See:    "A line that rises in proportion is limited by the work in flight, one that levels off by memory bandwidth. A line that falls pays for every further block or worker. Higher is faster.",
		Sweep:  "quickstart",
		Needs:  "give a kernel several grid sizes, as in grid = [1, 2, 4]",
		draw:   func(d *data.Report) ([]*canvas.Picture, []error) { return drawSizes(d, overGrid) },
	},
	{
		ID:     "cpu-bandwidth",
		Source: "coo-spmv-final Fig. 9",
		Title:  "COO and CSR on the processor",
		See:    "Where the bars of a matrix differ, storing a row index with each nonzero costs time; where they are equal, something else bounds both: the accesses to x, or memory itself. Higher is faster.",
		Sweep:  "cpu-and-gpu",
		Needs:  "add cpu_coo and cpu_csr to the sweep",
		draw:   cpuBandwidth.draw,
	},
	{
		ID:     "csr-compression",
		Source: "coo-spmv-final Fig. 10",
		Title:  "What CSR saves in the array of rows",
		See:    "Long bars belong to matrices with long rows. Compare with the figure cpu-bandwidth: CSR should gain most over COO where it saves most.",
		Sweep:  "quickstart",
		Needs:  "run the sweep again: it was recorded by an older version, and nothing is measured twice",
		draw:   drawCompression,
	},
	{
		ID:     "speedup-over-baseline",
		Source: "coo-spmv-final Fig. 13",
		Title:  "Speed-up over the baseline",
		See:    "Each kernel in its fastest configuration. Bars to the right of 1 are faster than the baseline. Kernels that change places down the page are why a rule must look at the matrix.",
		Sweep:  "quickstart",
		Needs:  "add cpu_coo (or coo_atomic) to the sweep, and another kernel beside it",
		draw:   drawSpeedup,
	},
	{
		ID:     "gpu-vs-cpu",
		Source: "coo-spmv-final Fig. 14",
		Title:  "Processor and GPU",
		See:    "The distance between the processor's marks and the GPU's is what the GPU is worth on that matrix. On small matrices it shrinks or turns: launching costs more than the product.",
		Sweep:  "cpu-and-gpu",
		Needs:  "add cpu_coo, cpu_csr and the simple COO kernels of the GPU to one sweep, or merge two databases: both devices must have measured the same matrices",
		draw:   gpuAndCPU.draw,
	},
	{
		ID:    "best-by-device",
		Title: "Devices at their best",
		See:   "How much a matrix gains from a faster device. Where the distance is smaller than that of the devices' bandwidths, caches, launches or a single long row decide.",
		Sweep: "cpu-and-gpu",
		Needs: "report on two databases, as in `report a30.db h100.db`: both devices must have measured the same matrices",
		draw:  bestByDevice.draw,
	},
	{
		ID:     "prefix-sum-variants",
		Source: "coo-spmv-final Fig. 15",
		Title:  "Prefix sums over the first of them",
		See:    "Scans by warp shuffles against scans in shared memory, plain against segmented, and the work-efficient ones. Bars to the left of 1 are slower than the plain scan of 32 nonzeros in shared memory.",
		Sweep:  "prefix-sum",
		Needs:  "add coo_scan_shared with block = 32 and other kernels of the prefix sums",
		draw:   prefixSums.draw,
	},
	{
		ID:     "chunk-and-unroll",
		Source: "coo-spmv-final Fig. 16",
		Title:  "Chunks and unrolling",
		See:    "Compare coo_segscan_warp with coo_segscan_warp_chunk for what chunks give, and that with its unrolled forms for what unrolling adds.",
		Sweep:  "chunk-and-unroll",
		Needs:  "add coo_scan_shared with block = 32, and the kernels whose names end in _chunk and _unroll",
		draw:   chunksAndUnrolling.draw,
	},
	{
		ID:     "average-improvement",
		Source: "coo-spmv-final Fig. 17",
		Title:  "Average speed-up over the baseline",
		See:    "A hollow mark far to the right of its bar is an average that a few matrices make. A long line is a kernel whose worth depends on the matrix.",
		Sweep:  "against-cusparse",
		Needs:  "add cpu_coo (or coo_atomic) to the sweep, and another kernel beside it",
		draw:   drawAverage,
	},
	{
		ID:     "bandwidth-by-kernel",
		Source: "csr-shuffle-and-shared Fig. 3, csr-bins-and-hybrid Fig. 4",
		Title:  "Bandwidth of the kernels for CSR",
		See:    "All of them move the same matrix, so that the highest bandwidth is the least time; the dashed line is what memory gives. Compare with cuSPARSE where it was measured.",
		Sweep:  "shuffle-and-tile",
		Needs:  "give the sweep at least two kernels for CSR",
		draw:   csrBandwidth.draw,
	},
	{
		ID:     "version-improvement",
		Source: "csr-bins-and-hybrid Fig. 3",
		Title:  "Second forms of the kernels against their first",
		See:    "Bars to the left of 0 are matrices on which the second form is the slower one.",
		Sweep:  "bins-and-hybrid",
		Needs:  "add a kernel in both forms, as csr_hybrid_v1 and csr_hybrid",
		draw:   newVersions.draw,
	},
	{
		ID:     "occupancy",
		Source: "csr-five-algorithms Fig. 10",
		Title:  "Occupancy",
		See:    "Short bars are kernels that take so many registers or so much shared memory that few warps are resident; whether that costs time, the figures of throughput say. The theoretical occupancy bounds the achieved one of the paper, which only a profiler tells (spmvtune profile).",
		Sweep:  "csr-five",
		Needs:  "measure kernels of this program on a GPU: processors and cuSPARSE tell no occupancy",
		draw:   drawOccupancy,
	},
	{
		ID:     "warp-efficiency",
		Source: "csr-five-algorithms Fig. 11",
		Title:  "Warp execution efficiency",
		See:    "A short bar is a kernel whose warps run with most of their threads idle: a warp for a row of three nonzeros, or threads of a warp with rows of very different lengths.",
		Sweep:  "csr-five",
		Needs:  profileNeeds,
		draw:   warpEfficiency.draw,
	},
	{
		ID:     "load-efficiency",
		Source: "csr-five-algorithms Fig. 13",
		Title:  "Global load efficiency",
		See:    "A short bar is a kernel whose threads read apart from each other, so that most of what memory moves is not asked for: a thread per long row, and x at random.",
		Sweep:  "csr-five",
		Needs:  profileNeeds,
		draw:   loadEfficiency.draw,
	},
	{
		ID:     "launch-bounds",
		Source: "csr-bins-and-hybrid, plot of the repository",
		Title:  "Launch bounds of the kernel thread per row",
		See:    "A bound makes the compiler spare registers, so that more blocks fit on a multiprocessor, and the kernel fetch long rows ahead. Bars of equal length say that neither matters.",
		Sweep:  "bins-and-hybrid",
		Needs:  "add csr_thread_row with several min_blocks, as in min_blocks = [\"none\", 1, 2, 3]",
		draw:   launchBounds.draw,
	},
	{
		ID:     "gflops-vs-rows",
		Source: "csr-five-algorithms Fig. 1",
		Title:  "Throughput over the number of rows",
		See:    "Small matrices can't fill a GPU, so that lines start low, and fit into caches, which lifts them when the cache is warm. Lines that cross are kernels that no single choice replaces.",
		Sweep:  "csr-five",
		Needs:  "add a second matrix to the sweep",
		draw: func(d *data.Report) ([]*canvas.Picture, []error) {
			return drawCrossing(d, crossing{"gflops-vs-rows", "Throughput over the number of rows", byRows, data.Gflops})
		},
	},
	{
		ID:     "gflops-vs-nnz",
		Source: "csr-five-algorithms Fig. 2",
		Title:  "Throughput over the number of nonzeros",
		See:    "The work of a product is its nonzeros: where a line falls towards the left, the matrix is too small for what a launch costs.",
		Sweep:  "csr-five",
		Needs:  "add a second matrix to the sweep",
		draw: func(d *data.Report) ([]*canvas.Picture, []error) {
			return drawCrossing(d, crossing{"gflops-vs-nnz", "Throughput over the number of nonzeros", byNonzeros, data.Gflops})
		},
	},
	{
		ID:     "gflops-vs-row-length",
		Source: "csr-five-algorithms Fig. 3 and 9",
		Title:  "Throughput over row length",
		See:    "The order that explains most: a thread per row is fast at the left and falls, a warp per row rises to the right. Where they cross is the threshold that a rule needs.",
		Sweep:  "csr-five",
		Needs:  "add a second matrix to the sweep",
		draw: func(d *data.Report) ([]*canvas.Picture, []error) {
			return drawCrossing(d, crossing{"gflops-vs-row-length", "Throughput over row length", byRowLength, data.Gflops})
		},
	},
	{
		ID:     "kernel-gflops-vs-row-length",
		Source: "csr-five-algorithms Fig. 4 to 8",
		Title:  "Each kernel over row length",
		See:    "The distance of the two lines is what float64 costs: with eight bytes for four per value, and the same indices, a kernel that is limited by memory keeps about two thirds of its speed.",
		Sweep:  "csr-five",
		Needs:  "add a second matrix to the sweep",
		draw:   drawKernels,
	},
	{
		ID:     "bandwidth-vs-row-length",
		Source: "csr-five-algorithms Fig. 12",
		Title:  "Bandwidth over row length",
		See:    "How much of the device's memory bandwidth the compulsory traffic uses. A kernel near the dashed line can't be improved; one above it is served by caches. COO moves more bytes for the same product, so compare formats in GFLOP/s.",
		Sweep:  "csr-five",
		Needs:  "add a second matrix to the sweep",
		draw: func(d *data.Report) ([]*canvas.Picture, []error) {
			return drawCrossing(d, crossing{"bandwidth-vs-row-length", "Bandwidth over row length", byRowLength, data.Gbps})
		},
	},
	{
		ID:     "roofline",
		Source: "coo-spmv-first Fig. 5",
		Title:  "Roofline",
		See:    "The distance of a point to the slanted roof is what better use of memory could still gain; points above it were served by caches. The product never comes near the level roof: it is bound by memory on any device.",
		Sweep:  "simple-coo",
		Needs:  "run the sweep again with a version that measures the bandwidth of the device",
		draw:   drawRooflines,
	},
	{
		ID:    "block-grid-heatmap",
		Title: "Throughput over block and grid size",
		See:   "Where the outlined area is wide, tuning is easy and neighbours will do; a narrow one at an edge says that sizes beyond it should be tried. Sizes that only matter together show as a slanted area, which no figure over one of them can show.",
		Sweep: "quickstart",
		Needs: "give a kernel several block sizes and several grid sizes",
		draw:  drawHeatmaps,
	},
	{
		ID:     "selection-regret",
		Source: "csr-five-algorithms Sec. VI, coo-spmv-final Table VI", // whose rules are beside the learned one
		Title:  "What choosing by a rule costs",
		See:    "At the right edge nothing is lost. The learned rule is worth having where it stays further right than one kernel for all matrices; the matrices where it does not are those that the sweep has nothing like.",
		Sweep:  "authors-code",
		Needs:  "add a second matrix to the sweep: a rule is judged on matrices left out",
		draw:   drawRegret,
	},
	{
		ID:    convergenceID,
		Title: "How fast searches find the best",
		See:   "A line that falls early saves the time to its right: with a search in place of the whole grid, a sweep is done so much sooner, at the loss where the line ends. The line of random is what trying everything in random order knows meanwhile. Wide bands are strategies that depend on the matrix, or on luck.",
		Sweep: "authors-code",
		Needs: fmt.Sprintf("measure grids of %d to %d configurations for a matrix, without a budget of trials", data.LeastSearched, data.MostSearched),
		draw:  drawConvergence,
	},
	{
		ID:    "drift",
		Title: "Drift of the device",
		See:   "The same trial, measured again through the sweep: a line at 1 is a device that stayed as fast as it was. Where the drift is significant, ties and comparisons divide times by it.",
		Sweep: "quickstart",
		Needs: "measure more than 50 trials of a matrix, or set sentinel in [protocol] lower",
		draw:  drawDrift,
	},
}

// Lacks says what there is to do for a figure without any data.
func (f *Figure) Lacks(d *data.Report) error {
	if len(d.Panels) == 0 {
		return fmt.Errorf("no data for figure %s: `run %s` produces it", f.ID, f.Sweep)
	}
	return fmt.Errorf("no data for figure %s: %s", f.ID, f.Needs)
}

func figureIDs() string {
	ids := make([]string, len(Figures))
	for i := range Figures {
		ids[i] = Figures[i].ID
	}
	return strings.Join(ids, ", ")
}
