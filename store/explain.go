package store

import "slices"

// A Column is a column of a stable view, and what it says.
type Column struct{ Name, Doc string }

// A View is one of the stable views: what it has a row for, and its columns in their order.
type View struct {
	Name, Row string
	Columns   []Column
}

// Explained are the stable views, the most useful first.
var Explained = []View{
	{"results", "each trial", slices.Concat(outcome, certainty)},
	{"best", "the winner of each place: a device, matrix, precision and cache state", slices.Concat(
		renamed(outcome, "median_ms", "time of a product in ms: the geometric mean of its runs (`time_ms` of `results`)"), tie)},
	{"speedup", "each kernel in each place, in its fastest configuration", slices.Concat(
		picked(outcome, "device", "matrix", "precision", "cache", "kernel", "block", "grid", "params"), ratios)},
	{"features", "each matrix", matrixColumns},
	{"telemetry", "each trial", slices.Concat(
		picked(outcome, "sweep", "device", "matrix", "kernel", "precision", "block", "grid", "params", "cache", "status",
			"median_ms"), sensors)},
	{"profile", "each trial that a profiler counted", slices.Concat(
		picked(outcome, "sweep", "device", "matrix", "kernel", "precision", "block", "grid", "params", "cache",
			"median_ms"), counted)},
}

// outcome is what a trial was and how it ended.
var outcome = []Column{
	{"sweep", "name of the sweep that measured it"},
	{"device", "model of the processor or GPU"},
	{"matrix", "name of the matrix; \"NAME (twin)\" is a generated likeness"},
	{"rows", "rows of the matrix"},
	{"cols", "columns of the matrix"},
	{"nnz", "stored entries of the matrix, symmetric ones expanded"},
	{"kernel", "name of the kernel, as `spmvtune kernels` lists it"},
	{"format", "format that the kernel reads, such as csr, coo or sell"},
	{"precision", "float32 or float64"},
	{"block", "block size; `spmvtune kernels NAME` says what it counts; 0: the kernel has none"},
	{"grid", "grid size; on a processor mostly the number of threads; 0: the kernel has none"},
	{"params", "the kernel's other parameters, as in `tile=8 unroll=4`"},
	{"cache", "warm: products back to back; cold: caches flushed before each sample"},
	{"status", "ok; wrong: outside the error bound; invalid: the device can't launch it; fault, timeout, oom: " +
		"the worker crashed, hung or ran out of memory"},
	{"median_ms", "median time of a product in ms, of this trial's samples"},
	{"low_ms", "another run finds a time of at least this (95% interval), ms"},
	{"high_ms", "another run finds a time of at most this (95% interval), ms"},
	{"samples", "number of samples taken"},
	{"gflops", "2 · nnz / time, in 10⁹ a second"},
	{"gbps", "compulsory traffic of the format / time, in 10⁹ bytes a second: each array of the format once, the " +
		"elements of x that occur once, y once"},
	{"roof_fraction", "gbps over the highest bandwidth that was measured on the device; warm products of small " +
		"matrices can exceed 1"},
	{"prepare_ms", "time to convert the matrix for the kernel, ms; not in any other time"},
	{"max_error", "largest error of an element of y, over its bound; above 1 is wrong"},
	{"message", "what went wrong, or what else there is to say"},
	{"measured_at", "when, in UTC"},
}

// certainty says how sure the times of results are, and which of several results counts.
var certainty = []Column{
	{"stop", "why sampling ended: target, samples, budget, clock (it can't resolve more), slow (hopeless beside the best) " +
		"or search (a search asked for no more)"},
	{"measurement", "version of the code that took the samples"},
	{"version", "version of the program"},
	{"in_force", "1: the trial counts; 0: a later measurement replaced it"},
	{"time_ms", "best estimate of the time in ms: the geometric mean of its repeat runs, else the median"},
	{"runs", "how many runs time_ms is the mean of"},
	{"within_low_ms", "lower end of the 95% interval of the median within this run, ms"},
	{"within_high_ms", "upper end of the 95% interval of the median within this run, ms"},
	{"factor", "how far two runs differ in this place, as a ratio; null if it is not known"},
	{"tied", "1: can't be told from the fastest of its place"},
}

// tie says how clear a winner is.
var tie = []Column{
	{"margin", "how much longer the fastest configuration takes that is not tied, as a fraction: 0.05 is 5%"},
	{"tie_size", "configurations that can't be told from the fastest, that one included"},
	certainty[5],
	certainty[8],
}

// ratios compare kernels.
var ratios = []Column{
	{"median_ms", "time of a product in ms, as `time_ms` of `results`"},
	{"over_coo_atomic", "how many times as fast as coo_atomic"},
	{"over_cpu_coo", "how many times as fast as cpu_coo"},
	{"over_best_single", "how many times as fast as the kernel that is the best single choice for all matrices"},
	{"over_cusparse", "how many times as fast as the fastest of cuSPARSE's algorithms"},
}

// picked are the columns of these names.
func picked(columns []Column, names ...string) (some []Column) {
	for _, name := range names {
		some = append(some, columns[slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })])
	}
	return some
}

// renamed is a copy of the columns in which one says something else.
func renamed(columns []Column, name, doc string) []Column {
	columns = slices.Clone(columns)
	columns[slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })].Doc = doc
	return columns
}

// matrixColumns are those of the view features. docs/features.md has the formulas.
var matrixColumns = []Column{
	{"matrix", "name of the matrix"},
	{"class", "family of the matrix; relatives are not used to judge a rule"},
	{"hash", "digest of its content"},
	{"source", "where it comes from: a file, a generator with its arguments, the SuiteSparse collection"},
	{"field", "of its file: real, integer, pattern or complex"},
	{"symmetry", "of its file: general, symmetric, skew-symmetric or hermitian"},
	{"rows", "rows"},
	{"cols", "columns"},
	{"nonzeros", "stored entries, symmetric matrices expanded"},
	{"row_mean", "mean number of entries in a row"},
	{"row_std", "standard deviation of the row lengths"},
	{"row_min", "length of the shortest row"},
	{"row_p25", "length that a quarter of the rows does not exceed"},
	{"row_median", "length that half of the rows do not exceed"},
	{"row_p75", "length that three quarters of the rows do not exceed"},
	{"row_p90", "length that 90% of the rows do not exceed"},
	{"row_p99", "length that 99% of the rows do not exceed"},
	{"row_max", "length of the longest row"},
	{"empty_rows", "rows without entries"},
	{"cols_used", "columns with an entry"},
	{"bandwidth", "largest distance of an entry from the diagonal"},
	{"bandwidth_mean", "mean distance of the entries from the diagonal"},
	{"row_skewness", "skewness of the row lengths"},
	{"row_gini", "Gini coefficient of the row lengths: 0 if all rows are equally long"},
	{"row_max_over_mean", "longest row over the mean"},
	{"share_above_32", "share of the entries that lie in rows of more than 32"},
	{"share_above_256", "share of the entries that lie in rows of more than 256"},
	{"share_above_1024", "share of the entries that lie in rows of more than 1024"},
	{"row_span_mean", "mean distance from a row's first column to its last"},
	{"profile", "size of the envelope: the distances from each row's first column to the diagonal, added up"},
	{"col_gap_mean", "mean distance from an entry to the next in its row"},
	{"neighbour_rate", "mean number of entries right beside an entry in its row: 0 to 2"},
	{"row_similarity", "mean share of a row's entries that have an entry at most a column away in the next row"},
	{"diagonals", "diagonals with an entry"},
	{"pattern_symmetry", "share of the entries off the diagonal whose mirror image is stored"},
	{"twin_of", "the published matrix that a twin imitates; null for other matrices"},
	{"twin_scale", "rows of a twin over those of the published matrix"},
}

// sensors are what the view telemetry adds to a trial. docs/telemetry.md says more.
var sensors = []Column{
	{"node", "name of the host"},
	{"uuid", "of the GPU, as `nvidia-smi -L` prints it; null for a processor"},
	{"job", "Slurm's job, with the task of an array: 12_3; null outside of Slurm"},
	{"sm_mhz", "lowest clock of the multiprocessors during the trial, MHz"},
	{"memory_mhz", "lowest clock of the memory during the trial, MHz"},
	{"celsius", "highest temperature during the trial, °C"},
	{"watts", "highest power during the trial, W"},
	{"joules", "energy of the board for a product, J; of long warm trials only"},
	{"clock_reasons", "why clocks were reduced, names with blanks between; empty: they were not"},
	{"repeated", "samples that were dropped because the card throttled, and taken again"},
	{"throttled", "samples that were kept although the card throttled"},
	{"warnings", "JSON array of texts"},
	outcome[len(outcome)-1],
	{"others", "share of the processor's time that other processes took"},
	{"stolen", "share of the processor's time that the hypervisor took"},
	{"switches", "how often the system took a core away from the worker, in a second of its processor time"},
	{"load", "load average of the machine over one minute"},
}

// counted are what the view profile adds to a trial. docs/profiling.md has the profilers' names.
var counted = []Column{
	{"occupancy", "resident warps over the most that a multiprocessor holds, while it was active"},
	{"warp_efficiency", "threads that take part in an instruction, over the 32 of a warp"},
	{"load_efficiency", "bytes that threads ask for over those that global loads move"},
	{"instructions", "instructions of a product: of warps on a GPU, of threads on a processor"},
	{"data_refs", "processor: data references of a product"},
	{"d1_misses", "processor: misses of the first cache level in a product"},
	{"ll_misses", "processor: misses of the last cache level in a product"},
	{"launches", "kernels that a product launches"},
	{"kernel_ms", "time of a product's kernels under the profiler, ms"},
	{"dram_read_bytes", "bytes that a product reads from the device's memory"},
	{"dram_write_bytes", "bytes that a product writes to the device's memory"},
	{"dram_fraction", "memory bandwidth over its peak"},
	{"l2_read_bytes", "bytes that a product asks of the L2 cache"},
	{"l2_hit_rate", "share of sectors found in the L2 cache"},
	{"l1_hit_rate", "share of sectors found in the L1 cache"},
	{"sectors_per_request", "sectors of 32 bytes that a global load of a warp moves"},
	{"issue_fraction", "share of the cycles in which a scheduler issues"},
	{"balance", "busy cycles of a multiprocessor: the mean over those of the busiest"},
	{"registers", "registers of a thread"},
	{"stall", "the most frequent reason for which resident warps issue nothing"},
	{"stall_fraction", "share of the warps' time for that reason"},
}
