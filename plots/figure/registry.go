// Package figure draws the figures of a report. All is the registry: a figure is an entry
// there and a function that turns an analysis.Data into pictures.
package figure

import (
	"fmt"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/plots/canvas"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A Figure is an entry of the registry: what it is called, what it shows and needs, and how
// it is drawn.
type Figure struct {
	// ID names the figure's files. It stands in `report --figure` and in [report] figures.
	ID string
	// Source is the paper's figure that this one regenerates. It may be empty.
	Source string
	// Title says in one line what the figure shows.
	Title string
	// See says what a reader should look for.
	See string
	// OnGPU is what else to look for where a GPU was measured.
	OnGPU string
	// Sweep is the shipped sweep that produces the data.
	Sweep string
	// Needs says what to change in a sweep that has trials but no data for the figure.
	Needs string

	// Beside says that the page has it in a form of its own.
	Beside bool

	// draw makes the pictures that the data allows, none where there is no data. The errors
	// are warnings.
	draw func(d *analysis.Data) ([]*canvas.Picture, []error)
	// words are sentences in place of pictures that would have too little to draw; nil for none.
	words func(d *analysis.Data) []Statement
}

const (
	runAgain = "run the sweep again: an older version recorded it, and nothing is measured twice"
	second   = "add a second matrix to the sweep"
	profile  = "count what the kernels do: spmvtune profile"
	baseline = "add cpu_coo (or coo_atomic) and another kernel to the sweep"
)

// All are the figures, in the order of the report. `go test ./plots/figure -regen` writes
// what is derived from them: the golden images, the ids that configs accepts, and the list
// in the gallery.
var All = []Figure{
	{
		ID:    "winner-map",
		Title: "Winner map",
		See: "A row is a matrix, a column a kernel; a number is its share of the best speed, in percent. A column that " +
			"is dark from top to bottom is a kernel to take without looking at the matrix.",
		Sweep:  "quickstart",
		Needs:  "give the sweep a second kernel",
		Beside: true,
		draw:   drawWinners,
	},
	{
		ID:    "winner-features",
		Title: "The best kernel by row length and variation",
		See: "Where one colour fills an area, these two features tell the kernel to take. A colour among others is a " +
			"matrix that they don't explain.",
		Sweep: "against-cusparse",
		Needs: "measure eight matrices or more; it is drawn only where these two features tell the best kernel more " +
			"often than naming one kernel does",
		draw: drawFeatures,
	},
	{
		ID:     "matrix-patterns",
		Source: "coo-spmv-final Fig. 8, coo-spmv-first Fig. 1, csr-shuffle-and-shared Fig. 2",
		Title:  "Patterns of the matrices",
		See: "Entries near the diagonal or in clusters read neighbouring elements of x, which caches serve well. An " +
			"evenly filled picture reads x at random. A dark horizontal line is a row that is much longer than the " +
			"others.",
		Sweep: "quickstart",
		Needs: runAgain,
		draw:  drawPatterns,
	},
	{
		ID:     "throughput-vs-block",
		Source: "coo-spmv-final Fig. 11, coo-spmv-first Fig. 2",
		Title:  "Throughput over block size",
		See: "Higher is faster. Where a line is flat, the block size does not matter; where it peaks, it must be " +
			"tuned. Where bands overlap, the data can't tell two kernels apart.",
		Sweep: "quickstart",
		Needs: "give a kernel several block sizes, as in block = { pow2 = [32, 1024] }",
		draw:  overBlock.draw,
		words: overBlock.sentences,
	},
	{
		ID:     "throughput-vs-grid",
		Source: "coo-spmv-final Fig. 12, coo-spmv-first Fig. 3",
		Title:  "Throughput over grid size",
		See: "Higher is faster. A line that rises in proportion is limited by the work in flight; one that levels " +
			"off, by memory bandwidth. Where a line falls, every further block or worker costs time.",
		Sweep: "grid-size",
		Needs: "give a kernel three grid sizes or more, as in grid = [1, 2, 4]",
		draw:  overGrid.draw,
		words: overGrid.sentences,
	},
	{
		ID:     "cpu-bandwidth",
		Source: "coo-spmv-final Fig. 9",
		Title:  "COO and CSR on the processor",
		See: "Higher is faster. Where the two bars of a matrix differ, storing a row index with each nonzero costs " +
			"time. Where they are equal, something else limits both: the accesses to x, or memory itself.",
		Sweep: "cpu-and-gpu",
		Needs: "add cpu_coo and cpu_csr to the sweep",
		draw:  cpuBandwidth.draw,
	},
	{
		ID:     "csr-compression",
		Source: "coo-spmv-final Fig. 10",
		Title:  "What CSR saves in the array of rows",
		See: "Matrices with long rows have long bars. Compare with the figure cpu-bandwidth: CSR should gain most " +
			"over COO where it saves most.",
		Sweep: "quickstart",
		Needs: runAgain,
		draw:  compression.draw,
	},
	{
		ID:     "speedup-over-baseline",
		Source: "coo-spmv-final Fig. 13",
		Title:  "Speed-up over the baseline",
		See: "Each kernel is shown in its fastest configuration. What is beyond 1 is faster than the " +
			"baseline. Where kernels trade places from matrix to matrix, a rule must look at the matrix.",
		Sweep: "quickstart",
		Needs: baseline,
		draw:  drawSpeedup,
	},
	{
		ID:     "gpu-vs-cpu",
		Source: "coo-spmv-final Fig. 14",
		Title:  "Processor and GPU",
		See: "The distance between the processor's marks and the GPU's is what the GPU gains on that matrix. On " +
			"small matrices it shrinks or reverses: launching costs more than the product.",
		Sweep: "cpu-and-gpu",
		Needs: "add cpu_coo, cpu_csr and the simple COO kernels of the GPU to one sweep, or merge two databases: " +
			"both devices must have measured the same matrices",
		draw: gpuAndCPU.draw,
	},
	{
		ID:    "best-by-device",
		Title: "Devices at their best",
		See: "How much a matrix gains from a faster device. Where the gain is smaller than the ratio of the " +
			"bandwidths, caches, launches or one long row limit the product.",
		Sweep: "cpu-and-gpu",
		Needs: "report on two databases, as in `report a30.db h100.db`: both devices must have measured the same " +
			"matrices",
		draw: bestByDevice.draw,
	},
	{
		ID:     "prefix-sum-variants",
		Source: "coo-spmv-final Fig. 15",
		Title:  "Prefix sums over the first of them",
		See: "The figure compares scans by warp shuffles, in shared memory, plain, segmented and work-efficient. " +
			"Bars to the left of 1 are slower than the plain scan of 32 nonzeros in shared memory.",
		Sweep: "prefix-sum",
		Needs: "add coo_scan_shared with block = 32 and other prefix-sum kernels",
		draw:  prefixSums.draw,
	},
	{
		ID:     "chunk-and-unroll",
		Source: "coo-spmv-final Fig. 16",
		Title:  "Chunks and unrolling",
		See: "Compare coo_segscan_warp with coo_segscan_warp_chunk for the gain from chunks, and the latter with its " +
			"unrolled forms for the gain from unrolling.",
		Sweep: "chunk-and-unroll",
		Needs: "add coo_scan_shared with block = 32, and the kernels whose names end in _chunk and _unroll",
		draw:  chunksAndUnrolling.draw,
	},
	{
		ID:     "average-improvement",
		Source: "coo-spmv-final Fig. 17",
		Title:  "Average speed-up over the baseline",
		See: "A hollow mark far to the right of its bar means that a few matrices dominate the average. A long line " +
			"means that the kernel's gain depends on the matrix.",
		Sweep: "against-cusparse",
		Needs: baseline,
		draw:  byCondition(averagePage),
	},
	{
		ID:     "bandwidth-by-kernel",
		Source: "csr-shuffle-and-shared Fig. 3, csr-bins-and-hybrid Fig. 4",
		Title:  "Bandwidth of the kernels for CSR",
		See: "All of these kernels move the same matrix, so the highest bandwidth is the shortest time. The dashed " +
			"line is the memory's bandwidth. Compare with cuSPARSE where it was measured.",
		Sweep: "shuffle-and-tile",
		Needs: "give the sweep at least two kernels for CSR",
		draw:  csrBandwidth.draw,
	},
	{
		ID:     "version-improvement",
		Source: "csr-bins-and-hybrid Fig. 3",
		Title:  "Second forms of the kernels against their first",
		See:    "On matrices with a bar to the left of 0 the second form is slower.",
		Sweep:  "bins-and-hybrid",
		Needs:  "add a kernel in both forms, such as csr_hybrid_v1 and csr_hybrid",
		draw:   newVersions.draw,
	},
	{
		ID:     "occupancy",
		Source: "csr-five-algorithms Fig. 10",
		Title:  "Occupancy",
		See: "A short bar is a kernel that takes so many registers or so much shared memory that few warps are " +
			"resident. The figures of throughput show whether that costs time. The theoretical occupancy is an upper " +
			"bound of the paper's achieved one, which only a profiler measures (spmvtune profile).",
		Sweep: "csr-five",
		Needs: "measure this program's kernels on a GPU: processors and cuSPARSE report no occupancy",
		draw:  drawOccupancy,
	},
	{
		ID:     "warp-efficiency",
		Source: "csr-five-algorithms Fig. 11",
		Title:  "Warp execution efficiency",
		See: "A short bar is a kernel whose warps run with most of their threads idle: a warp for a row of three " +
			"nonzeros, or a warp whose threads have rows of very different lengths.",
		Sweep: "csr-five",
		Needs: profile,
		draw:  warpEfficiency.draw,
	},
	{
		ID:     "load-efficiency",
		Source: "csr-five-algorithms Fig. 13",
		Title:  "Global load efficiency",
		See: "A short bar is a kernel whose threads read far apart from each other, so that most of the bytes that " +
			"memory moves are not asked for: a thread per long row, or random accesses to x.",
		Sweep: "csr-five",
		Needs: profile,
		draw:  loadEfficiency.draw,
	},
	{
		ID:     "launch-bounds",
		Source: "csr-bins-and-hybrid, plot of the repository",
		Title:  "Launch bounds of the kernel thread per row",
		See: "A bound makes the compiler use fewer registers, so that more blocks fit on a multiprocessor, and makes " +
			"the kernel fetch long rows ahead. Bars of equal length mean that neither matters.",
		Sweep: "bins-and-hybrid",
		Needs: `add csr_thread_row with several min_blocks, as in min_blocks = ["none", 1, 2, 3]`,
		draw:  launchBounds.draw,
	},
	{
		ID:     "gflops-vs-rows",
		Source: "csr-five-algorithms Fig. 1",
		Title:  "Throughput over the number of rows",
		See:    "Where kernels change their order, no single one is best.",
		OnGPU: "A small matrix can't fill a GPU, and is slow; with a warm cache it fits into the cache, and is " +
			"faster.",
		Sweep: "csr-five",
		Needs: second,
		draw: crossing{id: "gflops-vs-rows", title: "Throughput over the number of rows", order: byRows,
			unit: analysis.GFLOPS}.draw,
	},
	{
		ID:     "gflops-vs-nnz",
		Source: "csr-five-algorithms Fig. 2",
		Title:  "Throughput over the number of nonzeros",
		See: "The nonzeros are the work of a product. Where throughput falls towards the left, the matrix is too small " +
			"to pay for starting the kernel.",
		Sweep: "csr-five",
		Needs: second,
		draw: crossing{id: "gflops-vs-nnz", title: "Throughput over the number of nonzeros", order: byNonzeros,
			unit: analysis.GFLOPS}.draw,
	},
	{
		ID:     "gflops-vs-row-length",
		Source: "csr-five-algorithms Fig. 3 and 9",
		Title:  "Throughput over row length",
		See:    "This order explains most. Where kernels cross is the threshold that a rule needs.",
		OnGPU:  "A thread per row is fast at the left and falls; a warp per row rises to the right.",
		Sweep:  "csr-five",
		Needs:  second,
		draw: crossing{id: "gflops-vs-row-length", title: "Throughput over row length", order: byRowLength,
			unit: analysis.GFLOPS}.draw,
	},
	{
		ID:     "kernel-gflops-vs-row-length",
		Source: "csr-five-algorithms Fig. 4 to 8",
		Title:  "Each kernel over row length",
		See: "The distance between filled and hollow marks is the cost of float64. A value takes eight bytes instead " +
			"of four and the indices stay the same, so a kernel that is limited by memory keeps about two thirds of its " +
			"speed.",
		Sweep: "csr-five",
		Needs: second,
		draw:  drawKernels,
	},
	{
		ID:     "bandwidth-vs-row-length",
		Source: "csr-five-algorithms Fig. 12",
		Title:  "Bandwidth over row length",
		See: "How much of the device's memory bandwidth the compulsory traffic uses. A kernel near the dashed line " +
			"can't be improved; one above it is served by caches. COO moves more bytes for the same product, so " +
			"compare formats in GFLOP/s.",
		Sweep: "csr-five",
		Needs: second,
		draw: crossing{id: "bandwidth-vs-row-length", title: "Bandwidth over row length", order: byRowLength,
			unit: analysis.GBPS}.draw,
	},
	{
		ID:     "roofline",
		Source: "coo-spmv-first Fig. 5",
		Title:  "Share of the roof",
		See: "What is left to 100% is what better use of memory could still gain. Marks above it were served by " +
			"caches. The product never comes near the arithmetic peak: memory limits it on any device.",
		Sweep: "simple-coo",
		Needs: "run the sweep again with a version that measures the bandwidth of the device",
		draw:  roofFigure.draw,
	},
	{
		ID:    "block-grid-heatmap",
		Title: "Throughput over block and grid size",
		See: "Where the outlined area is wide, tuning is easy and neighbouring sizes will do. A narrow area at an " +
			"edge means that sizes beyond it should be tried. A slanted area means that the two sizes depend on each " +
			"other, which no figure over one of them can show.",
		Sweep: "quickstart",
		Needs: "give a kernel several block sizes and several grid sizes",
		draw:  drawHeatmaps,
	},
	{
		ID:    "configurations",
		Title: "What tuning buys",
		See: "Where the thick part is near the right end, any configuration will do. Where it is far, tuning pays; " +
			"where the mark is far too, it pays for each matrix again, and one configuration for all does not do.",
		Sweep: "quickstart",
		Needs: "give a kernel four configurations or more",
		draw:  byCondition(configurationsPage),
	},
	{
		ID:     "selection-regret",
		Source: "csr-five-algorithms Sec. VI, coo-spmv-final Table VI", // whose rules are beside the learned one
		Title:  "What choosing by a rule costs",
		See: "At the right edge nothing is lost. The learned rule pays where it stays further right than one kernel " +
			"for all matrices. Where it does not, the sweep has no similar matrix.",
		Sweep: "authors-code",
		Needs: "add a second matrix to the sweep: a rule is judged on matrices left out",
		draw:  drawRegret,
	},
	{
		ID:    convergenceID,
		Title: "How fast searches find the best",
		See: "A line that falls early saves the time to its right: a search takes that much less time than the whole " +
			"grid, and loses as much speed as the line shows at its end. The line of random is what trying " +
			"everything in random order has found by then. A wide band is a strategy that depends on the matrix, or " +
			"on luck.",
		Sweep: "authors-code",
		Needs: fmt.Sprintf("measure grids of %d to %d configurations for a matrix, without a budget of trials",
			analysis.LeastSearched, analysis.MostSearched),
		draw: drawConvergence,
	},
	{
		ID:    "break-even",
		Title: "Preparation and break-even",
		See: "A format that takes long to prepare pays off where its colour begins. An iterative solver makes " +
			"hundreds to thousands of products with a matrix; one who multiplies once takes what is at the left.",
		Sweep: "quickstart",
		Needs: runAgain,
		draw:  byCondition(drawBreakEven),
	},
	{
		ID:    "run-to-run",
		Title: "Run-to-run spread",
		See: "On a single matrix, differences between kernels that are smaller than this are not called wins. Where the " +
			"hollow mark is far to the left of the other, one run looks surer than it is.",
		Sweep: "quickstart",
		Needs: "repeat trials: leave `repeats` in [protocol] above zero",
		draw:  byCondition(runToRunPage),
	},
	{
		ID:    "drift",
		Title: "Drift of the device",
		See: "The same trial is measured again and again through the sweep. A line at 1 is a device that stayed " +
			"equally fast. Where the drift is significant, ties and comparisons divide times by it.",
		Sweep: "quickstart",
		Needs: "measure more than 50 trials of a matrix, or set a lower sentinel in [protocol]",
		draw:  drawDrift,
	},
}

// IDs lists the ids of all figures.
func IDs() []string {
	ids := make([]string, len(All))
	for i := range All {
		ids[i] = All[i].ID
	}
	return ids
}

// A Drawn is a figure with its pictures.
type Drawn struct {
	*Figure
	Pictures []*canvas.Picture
	Words    []Statement // What stands in place of pictures with too little to draw.
	Omitted  int         // The number of pictures of single matrices beyond the limit, which were not made.
}

// A Statement is what is said of a setup.
type Statement struct {
	analysis.Setup
	Text string
}

// Draw makes the pictures that the data allows. Each has a note on the twins among its
// matrices. The errors are warnings.
func (f *Figure) Draw(d *analysis.Data) (Drawn, []error) {
	pictures, warnings := f.draw(d)
	out := Drawn{Figure: f}

	details := 0
	for _, p := range pictures {
		if p.Detail {
			if details++; details > MostDetails {
				out.Omitted++
				continue
			}
		}
		p.Caption(twinNote(d, p))
		out.Pictures = append(out.Pictures, p)
	}

	if f.words != nil {
		out.Words = f.words(d)
	}
	return out, warnings
}

// Look says what a reader of a report should look for.
func (f *Figure) Look(d *analysis.Data) string {
	if f.OnGPU == "" || !slices.ContainsFunc(d.Rows, func(r store.Row) bool { return d.IsGPU(r.Device) }) {
		return f.See
	}
	return f.See + " " + f.OnGPU
}

// Empty reports whether the figure has nothing to say.
func (d *Drawn) Empty() bool { return len(d.Pictures) == 0 && len(d.Words) == 0 }

// MostDetails is the most pictures of single matrices that a figure has. Hundreds would take
// minutes, and nobody would look through them. A report on some of the matrices has theirs.
const MostDetails = 48

// twinNote names the twins among the matrices on a picture.
func twinNote(d *analysis.Data, p *canvas.Picture) string {
	if p.Matrices == nil {
		return analysis.Twins(d.Matrices)
	}
	var own []trial.Matrix
	for _, m := range d.Matrices {
		if slices.Contains(p.Matrices, m.Name) {
			own = append(own, m)
		}
	}

	return analysis.Twins(own)
}

// Choose returns the figures with these ids in the registry's order, and all if there are
// no ids.
func Choose(ids []string) ([]*Figure, error) {
	for _, id := range ids {
		if !slices.Contains(IDs(), id) {
			return nil, fmt.Errorf("unknown figure %q; available: %s", id, strings.Join(IDs(), ", "))
		}
	}

	var chosen []*Figure
	for i := range All {
		if len(ids) == 0 || slices.Contains(ids, All[i].ID) {
			chosen = append(chosen, &All[i])
		}
	}

	return chosen, nil
}

// Lacks says what to do for a figure without data.
func (f *Figure) Lacks(d *analysis.Data) error {
	if len(d.Panels) == 0 {
		return fmt.Errorf("no data for figure %s: `run %s` produces it", f.ID, f.Sweep)
	}
	return fmt.Errorf("no data for figure %s: %s", f.ID, f.Needs)
}

// fileStem makes the name of a picture: the figure, the device where there are several, and
// the rest.
func fileStem(d *analysis.Data, figure, device string, rest ...string) string {
	words := []string{figure}
	if d.SeveralDevices() {
		words = append(words, analysis.ShortDevice(device))
	}
	return canvas.Slug(append(words, rest...)...)
}

// NeedSearches reports whether one of these figures, or all without any, shows replays of
// searches.
func NeedSearches(ids []string) bool { return len(ids) == 0 || slices.Contains(ids, convergenceID) }

// NeedRule reports whether one of these figures shows a learned rule.
func NeedRule(ids []string) bool { return slices.Contains(ids, "selection-regret") }

// A limit is how much a picture has room for, on the report's page and in a column of a paper.
type limit struct{ page, column int }

// here is the limit on the page that is drawn for.
func (l limit) here() int {
	if canvas.Narrow() {
		return l.column
	}
	return l.page
}

var (
	mostMatrices     = limit{40, 20}  // rows of bars
	mostBarsOnPage   = limit{120, 48} // bars; more of them are dots on one line for each matrix
	mostPanels       = limit{30, 8}   // panels of matrices
	mostSheetRows    = limit{10, 6}   // rows of tiles
	mostSheetColumns = limit{6, 2}    // columns of tiles
	mostPatterns     = limit{25, 8}   // patterns of matrices
	mostKernels      = limit{24, 12}  // panels of kernels
)

// entitle gives a picture a title that states what it shows, and puts what its axes are into the
// subtitle. If there is nothing to state, the title is about the axes.
func entitle(p *canvas.Picture, statement, axes string) {
	if statement == "" {
		p.Title = axes
		return
	}
	p.Title, p.Subtitle = statement, axes+". "+p.Subtitle
}
