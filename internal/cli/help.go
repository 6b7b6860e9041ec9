package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/base/lists"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
	"spmvtune/store"
)

// newHelp is the command help. It replaces cobra's, which exits with 0 for a wrong topic.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command, about config (sweep files) or about database (views)",
		Example: `  spmvtune help run
  spmvtune help config`,
		ValidArgsFunction: completeTopic,
		RunE:              help,
	}
}

func completeTopic(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	topic, _, err := cmd.Root().Find(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return topics(topic), cobra.ShellCompDirectiveNoFileComp
}

func help(cmd *cobra.Command, args []string) error {
	topic, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		err := fmt.Errorf("no help about %q", strings.Join(args, " "))
		if near := configs.Nearest(args[len(args)-1], topics(cmd.Root())); near != "" {
			err = fmt.Errorf("%w: did you mean %s?", err, near)
		}
		return command.UsageHint(err, "spmvtune --help lists the commands")
	}

	topic.InitDefaultHelpFlag()
	topic.InitDefaultVersionFlag()
	return topic.Help()
}

// topics are the names of the commands and topics below cmd.
func topics(cmd *cobra.Command) []string {
	shown := lists.Where(cmd.Commands(), func(c *cobra.Command) bool { return !c.Hidden })
	return lists.Of(shown, (*cobra.Command).Name)
}

// newTopics are the help topics: commands without a body, whose text `spmvtune help TOPIC` prints.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "config", Short: "The format of a sweep file", Long: configs.Help(), Example: "  spmvtune help config | less"},
		{Use: "database", Short: "The views of a results database, and their columns", Long: databaseHelp(),
			Example: "  spmvtune help database | less"},
		{Use: "environment", Short: "The environment variables that the program reads", Long: environmentHelp(),
			Example: "  SPMVTUNE_OUT=/scratch/me spmvtune run quickstart"},
	}
}

// databaseHelp is about the views of a database and their columns.
func databaseHelp() string {
	const indent = 22 // of what a column says
	var b strings.Builder
	b.WriteString("spmvtune query and any SQLite tool read the results database. These views are stable: their columns\n" +
		"do not change within a major version. What is not known is null. docs/database.md has queries.\n")
	for _, v := range store.Explained() {
		fmt.Fprintf(&b, "\n%s: a row for %s\n", v.Name, v.Row)
		for _, c := range v.Columns {
			text := term.Wrap(strings.ReplaceAll(c.Doc, "`", ""), term.PageWidth-indent, strings.Repeat(" ", indent))
			fmt.Fprintf(&b, "  %-*s%s\n", indent-2, c.Name, text)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

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
	{"NO_COLOR", "has no effect: the program prints no colours"},
	{"TERM", "dumb: nothing is drawn in place, and tables have all columns"},
	{"XDG_CACHE_HOME", "the folder of caches"},
	{"TMPDIR", "the folder of temporary files"},
	{"CUDA_HOME, CUDA_PATH", "where CUDA is, for a sweep's own kernels, cuSPARSE, and ncu"},
	{"NVCC", "the compiler of a sweep's own CUDA kernels, or off; else nvcc on the PATH or in CUDA's folder"},
	{"CC", "the compiler of a sweep's own kernels in C; else that on the PATH"},
	{"CUDA_VISIBLE_DEVICES", "the GPUs that may be used"},
	{"GOMEMLIMIT", "the memory from which on garbage is collected more often; else 1000 MiB in report"},
	{"GOTRACEBACK", "any value: an internal error prints its stack"},
	{"SSH_CONNECTION", "serve then says how to see its page through ssh"},
	{"SBATCH_*", "what sbatch asks for, where the sweep does not say it"},
	{"SLURM_*", "what Slurm gives to a task; SLURM_CLUSTERS also chooses the cluster"},
}

// environmentHelp is about the variables that the program reads.
func environmentHelp() string {
	const indent = "    "
	var b strings.Builder
	b.WriteString("These variables hold where neither a flag nor the sweep says otherwise.\n")
	for _, v := range environment {
		fmt.Fprintf(&b, "\n%s\n%s%s\n", v.name, indent, term.Wrap(v.what, term.PageWidth-len(indent), indent))
	}
	return strings.TrimRight(b.String(), "\n")
}

func newVersion() *cobra.Command {
	var output command.Output
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  spmvtune version
  spmvtune version --json                  # with the commit, its date, and how it was built`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output.Data() {
				return output.Write(cmd.OutOrStdout(), command.ThisBuild())
			}
			fmt.Fprint(cmd.OutOrStdout(), versionLine())
			return nil
		},
	}
	output.Flags(cmd)
	return cmd
}

func versionLine() string {
	b := command.ThisBuild()
	return fmt.Sprintf("spmvtune %s (%s, %s)\n", b.Version, b.Go, b.System)
}
