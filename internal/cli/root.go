// SPDX-License-Identifier: Apache-2.0

// Package cli is the command line: a file for each command with its flags and what it prints.
// The commands on matrices and on a cluster have packages of their own below; command and show
// hold what commands share.
package cli

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/cluster"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/matrix"
	"example.org/spmvtune/store"
)

// Main runs the program with these arguments and returns its exit code.
func Main(args []string) int {
	read, leave := whileRead()
	defer leave()
	ctx, stop := signal.NotifyContext(read, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) == 0 || args[0] != "task" { // Slurm says how long the trial of a task may go on
		go endAfter(ctx, stop, patience, os.Exit)
	}
	root, out, alarm := New(), term.Escaped(os.Stdout), term.Escaped(os.Stderr)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(alarm)
	err := panics.Caught(func() error { return root.ExecuteContext(ctx) })()
	if lost := term.Lost(out); err == nil || lost != nil && !errors.Is(lost, syscall.EPIPE) && !errors.Is(err, lost) {
		err = errors.Join(err, lost)
	}
	return command.Finish(alarm, command.Interrupted(ctx, command.Reported(err, args)))
}

// patience is how long a command may take to end after a signal.
const patience = 4 * time.Second

// endAfter ends the program some time after ctx, if it has not ended by itself.
func endAfter(ctx context.Context, stop func(), patience time.Duration, exit func(code int)) {
	<-ctx.Done()
	stop() // a second Ctrl-C ends the program at once
	time.Sleep(patience)
	exit(command.Finish(os.Stderr, command.Interrupted(ctx, errors.New("the command did not end by itself; "+
		"what was measured is kept, and the same command goes on"))))
}

// whileRead returns a context that ends when nobody reads the output any more, as of a pipe to head. By
// default, that would end the program before it has removed its temporary files. The signal also comes
// when another program, such as sbatch, ends before it has read all that it was given: that means nothing.
func whileRead() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		for {
			select {
			case <-broken:
				if unread(os.Stdout) {
					cancel(syscall.EPIPE)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// unread reports whether nobody reads a pipe any more.
func unread(f *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// New is the command spmvtune with all its commands.
func New() *cobra.Command {
	root := command.Group(&cobra.Command{
		Use:   "spmvtune",
		Short: "Tune sparse matrix-vector products",
		Long: `spmvtune finds the fastest sparse matrix-vector product (SpMV) kernel for your
matrices: it searches kernels, block sizes, grid sizes and precisions, verifies
and measures every trial, keeps all results in one SQLite file, and makes
figures, tables and a learned selection rule from it.`,
		Example: `  spmvtune tune matrix.mtx                 # the fastest kernel for a matrix, in seconds
  spmvtune run quickstart                  # a whole sweep, about half a minute
  spmvtune run my-sweep.toml --out results
  spmvtune best                            # the winner for each matrix
  spmvtune select matrix.mtx               # which kernel for a new matrix?`,
		Version:       command.Version(), // adds the flag; the template has the text
		SilenceUsage:  true,
		SilenceErrors: true,
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return command.UsageHint(suggestFlag(cmd, err), fmt.Sprintf("see %s --help", cmd.CommandPath()))
	})
	root.SetVersionTemplate(versionLine())
	addCommands(root)
	usageArgs(root)
	return root
}

// addCommands adds all commands, in groups.
func addCommands(root *cobra.Command) {
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"measure", "Measure:", []*cobra.Command{newTune(), newRun(), newPlan()}},
		{"look", "Look at results:", []*cobra.Command{newBest(), newCompare(), newQuery(), newReport(), newServe(), newSelect(),
			newImport(), newExport()}},
		{"about", "Find out:", []*cobra.Command{matrix.NewCommand(), newKernels(), newDoctor(), newVersion()}},
		{"cluster", "On a cluster, through Slurm:", cluster.Commands()},
		{"research", "For research:", []*cobra.Command{newLearn(), newClaims(), newReplay(), newProfile()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}

	root.AddCommand(newWorker(), newDevice(), newProduct())
	root.AddCommand(newTopics()...)

	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()

	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			command.Group(c)
		}
	}
}

// suggestFlag adds a suggestion to the error of an unknown flag.
func suggestFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := configs.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w: did you mean --%s?", err, near)
	}
	return err
}

// usageArgs turns mistakes in the arguments of all commands, flags that exclude each other, and wrong words of flags
// into usage errors.
func usageArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		if err := cmp.Or(check(c, args), c.ValidateFlagGroups()); err != nil {
			return command.UsageHint(err, fmt.Sprintf("see %s --help", c.CommandPath()))
		}
		return command.CheckWords(c)
	}

	for _, c := range cmd.Commands() {
		usageArgs(c)
	}
}

// newHelp is the command help. It replaces cobra's, which exits with 0 for a wrong topic.
func newHelp() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command, about config (sweep files) or about database (views)",
		Example: `  spmvtune help run
  spmvtune help config
  spmvtune help config --json-schema > sweep.json   # for editors`,
		ValidArgsFunction: completeTopic,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !schema:
				return help(cmd, args)
			case strings.Join(args, " ") != "config":
				return command.UsageHint(errors.New("--json-schema prints the format of sweep files"),
					"spmvtune help config --json-schema")
			}
			_, err := io.WriteString(cmd.OutOrStdout(), configs.Schema)
			return err
		},
	}
	cmd.Flags().BoolVar(&schema, "json-schema", false, "print the format of sweep files as a JSON schema")
	return cmd
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
		{Use: "environment", Short: "The environment variables that the program reads", Long: environment,
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

// environment is what help says of the environment variables that the program reads.
//
//go:embed environment.txt
var environment string

func newVersion() *cobra.Command {
	var output command.Output
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  spmvtune version
  spmvtune version --json                  # with the commit, its date, and how it was built`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return output.Print(cmd.OutOrStdout(), command.ThisBuild(), func(w io.Writer) { io.WriteString(w, versionLine()) })
		},
	}
	output.Flags(cmd)
	return cmd
}

func versionLine() string {
	b := command.ThisBuild()
	return fmt.Sprintf("spmvtune %s (%s, %s)\n", b.Version, b.Go, b.System)
}
