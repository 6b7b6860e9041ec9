package configs

import (
	"fmt"
	"strings"

	"spmvtune/tuner/search"
)

// Help documents the format of a sweep file. It is what "spmvtune help config"
// prints.
var Help = helpIntro + example

const helpIntro = `A sweep file says what to measure. It is TOML (https://toml.io), and it is read
strictly: a key that is not listed below, a value that makes no sense, a matrix
that is not there are mistakes. All of them are reported, with their lines,
before anything runs.

Two sections are needed: a [[matrix]] and a [[kernel]]. Everything else has the
value shown, unless its comment says otherwise. The shortest sweep file is

    [[matrix]]
    path = "A.mtx"
    [[kernel]]
    name = "cpu_csr"

Below is one with every key. The sweep runs each configuration of each [[kernel]]
section on each matrix; a configuration that two sections share runs once.

`

// example uses every key. A test decodes it.
var example = `name  = "example"     # of the output folder; default: the file's name without .toml
title = "An example"  # of the report; default: none

[protocol]
cache        = "cold"     # cold: caches flushed before every sample; warm: back to back; both
warmup       = 3          # products before the first sample
samples      = [10, 200]  # fewest and most
target       = 0.01       # stop when the 95% interval of the median is within 1%
trial_budget = "2s"       # sampling time of one trial
timeout      = "60s"      # a trial that has not answered by then is killed
seed         = 1          # of x and of the order of trials
sentinel     = 50         # after so many trials, a matrix's first good one is measured again,
                          # so that drift is seen; 0: never
finals       = 32         # the fastest of a matrix are measured again when all is over, until
                          # it is settled which to name, each so often at most; 0: never
slow         = 3          # the fewest samples are enough for a trial that begins so many
                          # times slower than the best of its matrix; 0: no trial is cut short

[search]
strategy = "grid"                       # see below
order    = "file"                       # of matrices; shuffled: sections mixed, so that a part is like the whole
budget   = { trials = 0, time = "0s" }  # most trials per matrix, most time in all; 0: no bound

# rule            = "rule.json"         # for strategy = "rule": what learn wrote, or a database; default: the one
                                        # that comes with spmvtune. It measures only the rule's choice and its
                                        # two runners-up, as far as their kernels are in this sweep.

# The strategies:
` + strategyHelp() + `# An adaptive strategy measures configurations with few samples first, and only those by
# the protocol that may be the fastest.
# Each precision and cache state is searched on its own; they share the trials of the
# budget. "spmvtune replay" tries strategies on what a grid has measured.

# One [[matrix]] section per matrix, or for all that a glob finds. What is
# measured is named for it; names must differ.
[[matrix]]
path    = "matrices/*.mtx"  # relative to this file; a glob (* ? [a-c]) takes .mtx, .mm, .rb and .hb, also
                            # with .gz, .tar.gz, and .txt (edge lists) where it ends in that
class   = "circuit"         # matrices of a class count as one family; default: the name
expand  = true              # false: keep a symmetric file's triangle as it is
complex = "real-part"       # of complex files; default: refuse them

[[matrix]]
name     = "ecology1"       # default: the file's name, or the generator's with its arguments
generate = "grid_5pt"       # a generator; its arguments are keys beside it
nx       = 1000
ny       = 1000

# An argument may be a list: the section is a matrix for each combination, named for
# its arguments. where, over rows, cols and nnz as announced, keeps some of them.
[[matrix]]
class       = "power law"
generate    = "rmat"
scale       = [12, 14, 16]
edge_factor = [4, 16]
where       = "nnz <= 500_000"

# The generators and their arguments; one with a value here may be left out:
#     grid_5pt           nx, ny
#     grid_blocks        nx, ny, dof = 3, seed = 1
#     triangular         nx, ny
#     delaunay           points, seed = 1
#     triangulation_dual rows, border = 0, seed = 1
#     mycielskian        order
#     rmat               scale, edge_factor = 16, a = 0.57, b = 0.19, c = 0.19, symmetric = 0, seed = 1
#     uniform            rows, cols, row_nnz, seed = 1
#     fem_blocks         nodes, dof = 3, neighbours = 20, band = 400, seed = 1
#     road               rows, degree = 2.12, seed = 1
#     giant_row          rows, row_nnz = 4, giant, position = 0.5, seed = 1
#     twin               of, scale = 1, seed = 1
# A twin is the likeness of a published matrix, as of = "webbase-1M": of its size,
# and close to it in row lengths, bandwidth, runs of columns and similar rows.
# scale makes it smaller. docs/generators.md lists them.

# A matrix of the SuiteSparse collection, https://sparse.tamu.edu. It is downloaded
# once, when it is first measured, and kept; reading a sweep or planning it downloads
# nothing. name is its name there if it is left out; class, expand and complex are as
# for files.
[[matrix]]
suitesparse = "HB/1138_bus"

# With a generator beside it, the matrix, or, where it can't be downloaded (offline, or
# no server gives it), what the generator makes. Results say which: the twin is called
# "mc2depi (twin)", and its source begins with "twin of Williams/mc2depi".
[[matrix]]
suitesparse = "Williams/mc2depi"
generate    = "triangular"
nx          = 512
ny          = 1024

# One [[kernel]] section per set of choices: all combinations of them are tried.
# "spmvtune kernels" lists kernels, what block and grid mean for each, and their
# parameters.
[[kernel]]
name      = ["cpu_csr", "cpu_csr_rows"]  # a kernel or a list of them
precision = ["float32", "float64"]       # default: both
block     = [64, 256, 1024]              # default: one that suits the kernel
grid      = "auto"                       # every worker count up to the cores;
                                         # on a GPU 1, 2, 4, 8 and 16 blocks per multiprocessor
where     = "block * grid <= rows"       # keep only what this is true for; default: all

# A kernel without a choice of block or grid ignores it. Both may be written as
#     256                                  one value
#     [64, 128]                            a list
#     { from = 32, to = 1024, step = 32 }  an even spacing; step may be left out: 1
#     { pow2 = [32, 1024] }                powers of two
# and grid also as
#     { per_sm = [1, 2, 4, 8] }            times the multiprocessors, or cores, of the device
[[kernel]]
name  = "cpu_sell"
block = { pow2 = [4, 32] }
grid  = { per_sm = [1] }
sigma = [1, 256, 1024]      # a parameter of the kernel; left out: its default

[[kernel]]
name  = "cpu_coo_chunks"
block = { from = 8192, to = 65536, step = 8192 }
grid  = [1, 2]
# where is an expression over block, grid, the kernels' parameters, kernel and
# precision (both text), and the matrix's rows, cols and nnz, in the language of
# https://expr-lang.org
where = 'precision == "float64" or block * 10 <= nnz'

[device]
backend = "auto"  # auto: cuda if a device answers, else cpu; cpu; cuda
index   = 0       # which of several GPUs

[learn]
test = ["power law"]  # classes that are kept for the final test: they teach the rule nothing; default: none

[report]
figures    = ["throughput-vs-block", "throughput-vs-grid"]  # default: all that the data allows
kernels    = ["coo_*"]         # only these, as report --kernel takes them; default, here and below: all
matrices   = ["delaunay_n23"]
devices    = ["H100"]          # parts of their names
precisions = ["float32"]
caches     = ["cold"]
published  = false             # draw the papers' own numbers beside the measured ones

# What a cluster's Slurm is asked for by spmvtune submit. Every key may be left out,
# and then asks for nothing, or is as shown for the last ones.
[slurm]
partition  = "edu-short"
account    = "project"
qos        = "normal"
time       = "01:00:00"                # limit of one task
gres       = "gpu:a30:1"
gpus       = 0                         # per task, instead of gres; or with a type: "a30:1"
constraint = "a30"
cpus       = 4                         # per task
mem        = "16G"                     # per task
exclusive  = false                     # true: whole nodes
nodelist   = "node[01-04]"
throttle   = 8                         # most tasks at once; 0: no bound
setup      = ["module load CUDA/12.5"] # shell lines before a task
extra      = ["--mail-type=END"]       # further options of sbatch
chunk      = "20m"                     # wall time that a task is packed for
signal     = "USR1@120"                # warns a task, seconds before its limit, to end in good order; "": not
gpus_per_task = 1                      # GPUs that a task uses side by side, a trial at a time on each
mix_devices   = false                  # true: other device models than the first task's may measure, too
`

// strategyHelp lists the search strategies.
func strategyHelp() string {
	var b strings.Builder
	for _, k := range search.Strategies {
		help := k.Help
		if k.Adaptive {
			help += " (adaptive)"
		}
		fmt.Fprintf(&b, "#     %-7s %s\n", k.Name, help)
	}
	return b.String()
}
