package configs

import (
	"fmt"
	"strings"

	"spmvtune/sparse/generate"
	"spmvtune/tuner/search"
)

// Help documents the format of a sweep file. It is what "spmvtune help config" prints.
func Help() string { return helpIntro + example() }

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

// example is a sweep file with every key. A test decodes it.
func example() string {
	var texts []string
	for _, s := range sections() {
		texts = append(texts, s.text)
	}
	return strings.Join(texts, "\n")
}

// A helpSection is a part of the example, and the heading that docs/sweep.md gives it.
type helpSection struct{ heading, text string }

// sections are the parts of the example, in their order.
func sections() []helpSection {
	var s Sweep
	keys := s.Search.keys(nil)
	return []helpSection{
		{"Name and title", s.keys(nil)[:2].example()},
		{"[protocol]", "[protocol]\n" + s.Protocol.keys().example()},
		{"[search]", "[search]\n" + keys.without("rule", "top").example() + "\n# The strategies:\n" + strategies() +
			strategiesHelp + ruleHelp + keys[len(keys)-2:].comments()},
		{"[[matrix]]", matrixHelp + "#\n" + matrixKeys.comments() + matrixExamples + generators() + twinHelp},
		{"[[kernel]]", kernelHelp + "#\n" + kernelKeys.comments() + kernelExamples},
		{"[[kernel]] with a source", ownHelp + "#\n" + ownKeys.comments() + ownExample},
		{"[[kernel]] with a command", programHelp + programKeys.comments()},
		{"[device]", "[device]\n" + s.Device.keys().example()},
		{"[learn]", "[learn]\n" + s.Learn.keys().example()},
		{"[report]", "[report]\n" + s.Report.keys().example()},
		{"[slurm]", slurmHelp + "[slurm]\n" + s.Slurm.keys().example()},
		{"[slurm.finish]", finishHelp + "[slurm.finish]\n" + s.Slurm.Finish.keys().example()},
		{"[[slurm.array]]", arrayHelp},
	}
}

// strategies lists the search strategies, in comments.
func strategies() string {
	var b strings.Builder
	width := 0
	for _, k := range search.Strategies {
		width = max(width, len(k.Name))
	}
	for _, k := range search.Strategies {
		help := k.Help
		if k.Adaptive {
			help += " (adaptive)"
		}
		fmt.Fprintf(&b, "#     %-*s  %s\n", width, k.Name, help)
	}
	return b.String()
}

// generators lists the generators and their arguments, in comments.
func generators() string {
	var b strings.Builder
	for _, g := range generate.Generators {
		var args []string
		for _, a := range g.Args {
			if a.Required {
				args = append(args, a.Name)
			} else {
				args = append(args, a.Name+" = "+a.Value(a.Default))
			}
		}
		fmt.Fprintf(&b, "#     %-18s %s\n", g.Name, strings.Join(args, ", "))
	}

	return b.String()
}

const programHelp = `# A [[kernel]] may also be an external program, which it names; block, grid and params are
# passed on by {block}, {grid} and {NAME}. If it writes no {y}, its name ends in "(not verified)".
#
`

const ruleHelp = `
# Two more keys go with strategy = "rule". It measures those kernels of the sweep that a rule
# expects to be the fastest:
#
`

const strategiesHelp = `#
# An adaptive strategy first measures configurations with few samples. Only those that may be the
# fastest are then measured by the protocol. Each precision and cache state is searched on its own;
# they share the trials of the budget. "spmvtune replay" tries strategies on what a grid has
# measured.
`

const matrixHelp = `# One [[matrix]] section describes a matrix, or all that a glob finds. It has path, generate or
# suitesparse, or the last two together. Names must differ. The keys are
`

const matrixExamples = `
[[matrix]]
path    = "matrices/*.mtx"
class   = "circuit"
expand  = true
complex = "real-part"

[[matrix]]
name     = "ecology1"
generate = "grid_5pt"
nx       = 1000
ny       = 1000

# An argument may be a list: the section then describes a matrix for each combination,
# named for its arguments.
[[matrix]]
class       = "power law"
generate    = "rmat"
scale       = [12, 14, 16]
edge_factor = [4, 16]
where       = "nnz <= 500_000"

# A matrix of the collection is downloaded once, when it is first measured, and kept.
# Reading or planning a sweep downloads nothing.
[[matrix]]
suitesparse = "HB/1138_bus"

# With a generator beside it, the generated matrix is measured where the matrix can't be
# downloaded (offline, or no server gives it). Results say which: the twin is called
# "mc2depi (twin)", and its source begins with "twin of Williams/mc2depi". A twin of which
# there are two forms has the form in its name: "rail4284 (twin, locality published)".
[[matrix]]
suitesparse = "Williams/mc2depi"
generate    = "triangular"
nx          = 512
ny          = 1024

# The generators and their arguments; one with a value here may be left out:
`

const twinHelp = `# A twin resembles a published matrix, as of = "webbase-1M": it has the same size, and
# similar row lengths, bandwidth, runs of columns and similar rows. scale makes it smaller.
# locality is for rail4284 and mouse_gene, of which there are two forms.
# docs/generators.md lists them.
`

const kernelHelp = `# One [[kernel]] section is a set of choices: all combinations of them are tried. "spmvtune
# kernels" lists kernels, what block and grid mean for each, and their parameters. The keys are
`

const kernelExamples = `
[[kernel]]
name      = ["cpu_csr", "cpu_csr_rows"]
precision = ["float32", "float64"]
block     = [64, 256, 1024]
grid      = "auto"
where     = "block * grid <= rows"

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
# Most kernels also take reorder, the order of the matrix's rows: "none",
# "rows-by-length", "rows-by-column" or "rcm" (Cuthill and McKee; rows and columns).

[[kernel]]
name  = "cpu_coo_chunks"
block = { from = 8192, to = 65536, step = 8192 }
grid  = [1, 2]
# where is an expression over block, grid, the kernels' parameters, kernel and precision
# (both text), and the matrix's rows, cols and nnz, in the language of https://expr-lang.org
where = 'precision == "float64" or block * 10 <= nnz'
`

const ownHelp = `# A [[kernel]] section with a source defines a kernel of your own. "spmvtune kernels new NAME"
# writes one that works, and docs/extending.md says more. Its keys, beside those above, are
`

const ownExample = `#
#     [[kernel]]
#     name   = "mine"
#     source = "mine.cu"
#     block  = [128, 256]
#     params = { lanes = [1, 4, 32] }
#     blocks = "(rows * lanes + block - 1) / block"
`

const finishHelp = `# [slurm.finish] is what the job that merges asks for; it needs little unless told. With
# finish = false in [slurm] there is no such job: run spmvtune merge.
`

const arrayHelp = `# Every [[slurm.array]] sends tasks for the whole sweep to devices of another type, into the same
# database. It may have the keys partition, qos, gres, gpus, constraint and nodelist:
#
#     [[slurm.array]]
#     gres = "gpu:a30:1"
#
#     [[slurm.array]]
#     gres = "gpu:h100:1"
`

const slurmHelp = `# [slurm] is what spmvtune submit asks the cluster for. Every key may be left out. The last
# four are then as shown; the others ask for nothing.
`
