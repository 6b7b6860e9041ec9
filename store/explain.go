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
