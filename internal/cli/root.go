// Package cli is the command line: a file for each command with its flags and what it prints.
// The commands on matrices and on a cluster have packages of their own below; command and show
// hold what commands share.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"spmvtune/configs"
	"spmvtune/internal/base/panics"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/cluster"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/matrix"
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
	root, alarm := New(), term.Escaped(os.Stderr)
	root.SetArgs(args)
	root.SetOut(term.Escaped(os.Stdout))
	root.SetErr(alarm)
	err := panics.Caught(func() error { return root.ExecuteContext(ctx) })()
	return command.Finish(alarm, command.Interrupted(ctx, command.Reported(err, args)))
}

// patience is how long a command may take to end after a signal.
const patience = 4 * time.Second

// endAfter ends the program some time after ctx, if it has not ended by itself.
func endAfter(ctx context.Context, stop func(), patience time.Duration, exit func(code int)) {
	<-ctx.Done()
	stop() // a second Ctrl-C ends the program at once
	time.Sleep(patience)
	exit(command.Finish(os.Stderr, command.Interrupted(ctx, errors.New("the command did not end by itself"))))
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
	root := &cobra.Command{
		SuggestionsMinimumDistance: 2,
		Use:                        "spmvtune",
		Short:                      "Tune sparse matrix-vector products",
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
		Args:          command.SubcommandOnly,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
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
		{"cluster", "Cluster:", cluster.Commands()},
		{"look", "Look at results:", []*cobra.Command{
			newBest(), newClaims(), newCompare(), newQuery(), newReport(), newServe(),
			newLearn(), newSelect(), newImport(), newExport(), newProfile(), newReplay(),
		}},
		{"about", "Find out:", []*cobra.Command{matrix.NewCommand(), newKernels(), newDoctor(), newVersion()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}

	root.AddCommand(newWorker(), newDevice(), newProduct(), newDraw())
	root.AddCommand(newTopics()...)

	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()

	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.SuggestionsMinimumDistance = command.SubcommandOnly, 2
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
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
