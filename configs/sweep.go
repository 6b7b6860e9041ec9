package configs

import (
	"time"

	"spmvtune/kernels"
)

// A Sweep is a decoded and checked sweep file, with defaults filled in.
type Sweep struct {
	Name     string
	Title    string
	Protocol Protocol
	Search   Search
	Matrices []Matrix
	Kernels  []Space
	Device   Device
	Learn    Learn
	Report   Report
	Slurm    Slurm

	Path string // where it was read from; "quickstart" for a shipped one
	Text []byte // the file as it was read
}

// Protocol says how a trial is measured.
type Protocol struct {
	Cache   string        // cold, warm or both
	Warmup  int           // products before the first sample
	Samples [2]int        // fewest and most
	Target  float64       // stop when the 95% interval of the median is within ± this fraction
	Budget  time.Duration // of one trial's sampling (trial_budget)
	Timeout time.Duration // a trial without an answer after this long is killed
	Seed    uint64        // of x, of the trials' order
	// Slow is how many times slower than the best of its matrix a trial must begin for
	// the fewest samples to be enough; 0: that makes no difference.
	Slow float64

	// Sentinel is after how many trials the first good one of a matrix is measured
	// again; 0: never. It changes no sample, so it is in no trial's identity.
	Sentinel int
	// Finals is how often at most each of the fastest trials of a matrix is measured
	// again when all are over; 0: never. It is in no trial's identity, either.
	Finals int
}

// Search says which points of the space are tried.
type Search struct {
	Strategy string        // grid: all; random: a seeded sample; the others search, see tuner/search
	Trials   int           // most trials per matrix and cache state, 0: no bound
	Time     time.Duration // of the whole sweep, 0: no bound
	Rule     string        // of the strategy "rule": a file, rule.json or a database; "": the one that comes with the program
	Shuffled bool          // the matrices are in an order that mixes their sections
}

// A Space is the product of all choices for some kernels, less what Where
// refuses. Expand lists it, Keep applies Where.
type Space struct {
	Kernels    []string
	Precisions []kernels.Precision
	Block      []int               // nil: one that suits the kernel
	Grid       Grid                // ignored, as Block is, by kernels without that choice
	Params     map[string][]string // by name; a missing one has its default
	Where      string              // expression over block, grid, the parameters, kernel, precision, rows, cols, nnz

	filter *filter // Where, compiled; nil: not yet
}

// Grid lists grid sizes, some of which depend on the device.
type Grid struct {
	Values []int // as they are
	PerSM  []int // times the device's units
	Auto   bool  // CPU: 1, 2, …, cores; GPU: 1, 2, 4, 8 and 16 blocks per multiprocessor
}

// Device chooses what to run on.
type Device struct {
	Backend string // auto, cpu or cuda
	Index   int
}

// Learn says what of the matrices teaches the rule.
type Learn struct {
	Test []string // classes that are kept for the final test: they teach nothing
}

// Report sets defaults of the report. Lists but that of figures hold names, or patterns
// with * and ?, of what the report is on; an empty one means all.
type Report struct {
	Figures    []string // ids; empty: all that the data allows
	Kernels    []string
	Matrices   []string
	Devices    []string // parts of their names
	Precisions []string
	Caches     []string
	Published  bool // draw the papers' own numbers, too
}

// Slurm says how the sweep is submitted. Every field may be left out.
type Slurm struct {
	Partition, Account, QOS, Gres, GPUs, Constraint, Nodelist string // as sbatch takes them

	Time   string // limit of a task, as sbatch takes it: "01:00:00"
	Mem    string // of a task, as sbatch takes it: "16G"
	Signal string // warning before the time limit, as in "USR1@120": seconds; "": none

	Chunk       time.Duration // wall time that a task is packed for
	GPUsPerTask int           // that a task uses side by side, a trial at a time on each
	MixDevices  bool          // let tasks run on other device models than the first
	CPUs        int           // per task, 0: not asked for
	Throttle    int           // most tasks at once, 0: no bound
	Exclusive   bool          // whole nodes
	Setup       []string      // shell lines before the task, such as "module load CUDA/12.5"
	Extra       []string      // further options of sbatch
}
