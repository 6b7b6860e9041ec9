package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
)

// environment explains the variables that the program reads, those of its own first.
var environment = []struct{ name, what string }{
	{command.EnvOut, `the folder below which run, report and import write, and runs are looked for by name; else
spmvtune-out. --out names the folder of one run`},
	{command.EnvRuns, "the folder of the runs of a cluster, as --runs; else runs"},
	{command.EnvRule, `the rule that select applies without --rule: a run, a rule.json, or one that comes with the
program; else that of the last run`},
	{command.EnvFormat, "the format of what commands print, as --format; else table"},
	{cache.Env, `the folder of cached matrices, or off for none; else spmvtune/matrices in $XDG_CACHE_HOME, or in
~/.cache`},
	{cache.EnvLimit, `how much that folder may hold, as 50GB, or none for any; else 10 GB. What was not used for
longest goes first`},
	{fetch.EnvOffline, "1: download nothing, as --offline"},
	{fetch.EnvServers, "the servers of the SuiteSparse collection, with blanks between; else its own"},
	{command.EnvPager, "the pager for long output on a terminal, empty or cat for none; else less"},
	{"LESS", "what less does; else FRX"},
	{"NO_COLOR", "has no effect: the program prints no colours"},
	{"TERM", "dumb: nothing is drawn in place, tables have all columns, and there is no pager"},
	{"LC_ALL, LC_CTYPE, LANG", "whether matrix info may print signs that are not ASCII"},
	{"XDG_CACHE_HOME", "the folder of caches"},
	{"TMPDIR", "the folder of temporary files"},
	{"CUDA_HOME, CUDA_PATH", "where CUDA is, for a sweep's own kernels, cuSPARSE, and ncu"},
	{"NVCC", "the compiler of a sweep's own CUDA kernels, or off; else nvcc on the PATH or in CUDA's folder"},
	{"CC", "the compiler of a sweep's own kernels in C; else that on the PATH"},
	{"CUDA_VISIBLE_DEVICES", "the GPUs that may be used"},
	{"GOMEMLIMIT", "from how much memory on it is collected eagerly; else 1000 MiB in report"},
	{"GOTRACEBACK", "anything: a mistake in the program ends it with its stack"},
	{"SSH_CONNECTION", "serve then says how to see its page through ssh"},
	{"SBATCH_*", "what sbatch asks for, where the sweep does not say it"},
	{"SLURM_*", "what Slurm gives to a task; SLURM_CLUSTERS also chooses the cluster"},
}

// newHelpEnvironment is a help topic: the variables that the program reads.
func newHelpEnvironment() *cobra.Command {
	const indent = "    "
	var b strings.Builder
	b.WriteString("These variables hold where neither a flag nor the sweep says otherwise.\n")
	for _, v := range environment {
		fmt.Fprintf(&b, "\n%s\n%s%s\n", v.name, indent, term.Wrap(v.what, term.PageWidth-len(indent), indent))
	}
	return &cobra.Command{
		Use:     "environment",
		Short:   "The environment variables that the program reads",
		Long:    strings.TrimRight(b.String(), "\n"),
		Example: "  SPMVTUNE_OUT=/scratch/me spmvtune run quickstart",
	}
}
