// SPDX-License-Identifier: Apache-2.0

// Package command holds what the commands share: errors with exit codes and hints, flags and
// their completion, and how a command finds its database or its sweep.
package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/fetch"
	"example.org/spmvtune/sparse/file"
)

// The Makefile takes these from git. They are empty in a plain go build.
var (
	stamped          = "" // the version
	stampedCommit    = ""
	stampedCommitted = ""
)

// A Build says of which code a program is, and how it was built.
type Build struct {
	Version string `json:"version"`
	// Commit, Committed (its date) and Modified (whether other changes are in it) are absent outside of git.
	Commit    string `json:"commit,omitempty"`
	Committed string `json:"committed,omitempty"`
	Modified  bool   `json:"modified,omitempty"`
	Go        string `json:"go"`
	System    string `json:"system"`
	Tags      string `json:"tags"`
	// CUDA tells whether the program itself can use GPUs.
	CUDA bool `json:"cuda"`
}

// ThisBuild describes this program.
func ThisBuild() Build {
	b := Build{Version: stamped, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, _ := debug.ReadBuildInfo() // which every program of a module has
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Committed = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "-tags":
			b.Tags = s.Value
		}
	}
	b.CUDA = slices.Contains(strings.Split(b.Tags, ","), "cuda")

	// go run in the clone stamps no commit. What is run from elsewhere has a version, and the folder may be another repository.
	program, _ := os.Executable()
	if b.Commit == "" && info.Main.Version == "(devel)" && strings.Contains(program, "go-build") && filepath.Ext(program) != ".test" {
		head, _ := exec.Command("git", "rev-parse", "HEAD").Output() // there may be no git
		changes, _ := exec.Command("git", "status", "--porcelain").Output()
		b.Commit, b.Modified = strings.TrimSpace(string(head)), len(changes) > 0
	}

	switch {
	case b.Version != "":
	case len(b.Commit) >= 12:
		b.Version = "devel " + b.Commit[:12]
	case info.Main.Version != "(devel)":
		b.Version = info.Main.Version
	}
	b.Version = cmp.Or(b.Version, "devel")
	b.Commit, b.Committed = cmp.Or(b.Commit, stampedCommit), cmp.Or(b.Committed, stampedCommitted)
	return b
}

// String says all of it in a line, which databases keep: 0.1.0 (1c9a10ce0f3b, go1.26.8, linux/amd64, cuda).
func (b Build) String() string {
	parts := []string{b.Go, b.System}
	if b.Tags != "" {
		parts = append(parts, b.Tags)
	}
	if len(b.Commit) >= 12 && !strings.Contains(b.Version, b.Commit[:8]) {
		parts = append([]string{b.Commit[:12]}, parts...)
	}
	return fmt.Sprintf("%s (%s)", b.Version, strings.Join(parts, ", "))
}

// Version names this build.
func Version() string { return ThisBuild().Version }

// completeFirst completes one argument only.
func completeFirst(directive cobra.ShellCompDirective, words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(), directive
	}
}

// CompleteFile completes one argument with files of these kinds: "db" for *.db.
func CompleteFile(extensions ...string) cobra.CompletionFunc {
	return completeFirst(cobra.ShellCompDirectiveFilterFileExt, func() []string { return extensions })
}

// CompleteSweep completes one argument with the shipped sweeps and with files.
var CompleteSweep = completeFirst(cobra.ShellCompDirectiveDefault, configs.Shipped)

// CompleteRun completes one argument with the names of runs, or with files.
var CompleteRun = CompleteRunWith(analysis.DatabaseFile)

// CompleteRunWith is CompleteRun for runs that have a file.
func CompleteRunWith(file string) cobra.CompletionFunc {
	return completeFirst(cobra.ShellCompDirectiveDefault, func() []string { return RunNames(file) })
}

// FlagValues completes the values of a flag of cmd.
func FlagValues(cmd *cobra.Command, flag string, values ...string) {
	complete := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, complete))
}

// FlagNames completes a flag of cmd with names that are found when they are asked for, with the arguments typed so far.
func FlagNames(cmd *cobra.Command, flag string, others cobra.ShellCompDirective, names func(args []string) []string) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag,
		func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return names(args), others
		}))
}

// FlagWord adds a flag to cmd whose value is one of some words, or as it was. what is such a word.
func FlagWord(cmd *cobra.Command, value *string, flag, what, usage string, words ...string) {
	cmd.Flags().StringVar(value, flag, *value, usage)
	cobra.CheckErr(cmd.Flags().SetAnnotation(flag, wordFlag, append([]string{what}, words...)))
	FlagValues(cmd, flag, words...)
}

// wordFlag annotates a flag of FlagWord: what its words are, and the words.
const wordFlag = "spmvtune_word"

// CheckWords refuses other words for flags of FlagWord.
func CheckWords(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if words := f.Annotations[wordFlag]; words != nil && f.Value.String() != f.DefValue {
			err = cmp.Or(err, Known(words[0], f.Value.String(), words[1:]))
		}
	})
	return err
}

// FlagFile completes a flag of cmd with files of these kinds. Without kinds it completes
// folders.
func FlagFile(cmd *cobra.Command, flag string, extensions ...string) {
	if len(extensions) == 0 {
		cobra.CheckErr(cmd.MarkFlagDirname(flag))
		return
	}
	cobra.CheckErr(cmd.MarkFlagFilename(flag, extensions...))
}

// FlagOffline adds --offline to a command that may download.
func FlagOffline(cmd *cobra.Command, offline *bool) {
	cmd.Flags().BoolVar(offline, "offline", false,
		"download nothing, use the matrices that are here (same as "+fetch.EnvOffline+"=1)")
}

// Group makes a command that only has subcommands: by itself it prints its help.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.Args, cmd.SuggestionsMinimumDistance = subcommandOnly, 2
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// subcommandOnly refuses arguments, and suggests a subcommand.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w: did you mean %s?", err, strings.Join(near, " or "))
	}
	return err
}

// NeedsSweep checks that a command has one argument, a sweep.
var NeedsSweep = Needs("a sweep: a file, or the name of a shipped one such as quickstart")

// FlagOnce adds the flags that change a sweep for once.
func FlagOnce(cmd *cobra.Command, once *configs.Once) {
	f := cmd.Flags()
	f.StringArrayVar(&once.Set, "set", nil, "set a key of the sweep for once: protocol.cache=warm, kernel.block=64")
	f.StringArrayVar(&once.Matrix, "matrix", nil, "only matrices of this name, or pattern")
	f.StringArrayVar(&once.Kernel, "kernel", nil, "only kernels of this name, or pattern such as 'csr_*'")
	FlagNames(cmd, "matrix", cobra.ShellCompDirectiveNoFileComp, func(args []string) []string {
		return lists.Of(begun(args).Matrices, func(m configs.Matrix) string { return m.Name })
	})
	FlagNames(cmd, "kernel", cobra.ShellCompDirectiveNoFileComp, func(args []string) []string {
		return slices.Concat(lists.Of(begun(args).Kernels, func(k configs.Space) []string { return k.Kernels })...)
	})
}

// begun is the sweep that arguments name, or one of all kernels where they name none.
func begun(args []string) *configs.Sweep {
	sweep, err := configs.Load(strings.Join(args, ""))
	if err != nil {
		sweep = &configs.Sweep{Kernels: []configs.Space{{Kernels: kernels.Names()}}}
	}
	return sweep
}

// LoadSweep loads a sweep, with changes. Its mistakes are usage errors.
func LoadSweep(cmd *cobra.Command, name string, once configs.Once) (*configs.Sweep, error) {
	_, err := os.Stat(name)
	if _, matrix := file.Stem(name); matrix && err == nil {
		return nil, UsageHint(fmt.Errorf("%s is a matrix, and no sweep", name), term.Shell("spmvtune", "tune", Shown(name))+
			" finds its fastest kernel")
	}
	stages, folders := show.NewStages(cmd.ErrOrStderr()), 0
	defer stages.Clear()
	once.Look = func() error {
		folders++
		stages.At(fmt.Sprintf("looking for matrices: in %d folders so far", folders), 0, 0)
		return cmd.Context().Err()
	}
	sweep, err := configs.LoadOnce(name, once)
	if interrupted := cmd.Context().Err(); interrupted != nil {
		return nil, interrupted
	}
	if mistakes := (configs.Errors)(nil); errors.As(err, &mistakes) {
		return nil, UsageHint(err, "spmvtune help config describes the format")
	}
	return sweep, Usage(err)
}

// EnvFormat names the format of what commands print.
const EnvFormat = "SPMVTUNE_FORMAT"

// Output is how a command prints what it has found: the flags are the same for all commands.
type Output struct {
	// Format is one of term.Formats.
	Format string
	// Wide asks for all columns of tables, however narrow the terminal is.
	Wide bool
}

// Flags adds --format, --json and --wide to cmd.
func (o *Output) Flags(cmd *cobra.Command) {
	formats := strings.Join(term.Formats, ", ")
	f := cmd.Flags()
	f.StringVar(&o.Format, "format", term.Formats[0], formats)
	asJSON := f.Bool("json", false, "print JSON, as --format json")
	f.BoolVar(&o.Wide, "wide", false, "on a terminal, print all columns of tables, and nothing shortened")
	cmd.MarkFlagsMutuallyExclusive("format", "json")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		said := "--format"
		if *asJSON {
			o.Format = "json"
		} else if format := os.Getenv(EnvFormat); format != "" && !f.Changed("format") {
			said, o.Format = EnvFormat, format
		}
		if !slices.Contains(term.Formats, o.Format) {
			return Usage(fmt.Errorf("%s=%s: must be one of %s", said, o.Format, formats))
		}
		if o.Wide {
			cmd.SetOut(term.Wide(cmd.OutOrStdout()))
		}
		return nil
	}
	FlagValues(cmd, "format", term.Formats...)
}

// Data reports whether programs read what is printed: it is not a table for people.
func (o *Output) Data() bool { return o.Format != term.Formats[0] }

// ForPeople reports whether people read what is printed: numbers are rounded then.
func (o *Output) ForPeople() bool { return !o.Data() || o.Format == "markdown" }

// Print prints v in the format that is asked for, for people by print.
func (o *Output) Print(w io.Writer, v any, print func(io.Writer)) error {
	if o.Data() {
		return o.Write(w, v)
	}
	print(w)
	return nil
}

// Write prints a value for programs, see term.Format.
func (o *Output) Write(w io.Writer, v any) error { return term.Format(w, o.Format, v) }

// FewNames is how many names are listed on a line.
const FewNames = 5

// Shown returns a path relative to the working folder if it is below that. No command takes it for a flag.
func Shown(path string) string {
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(short) {
			path = short
		}
	}
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return path
}

// Known refuses a name that is not valid.
func Known(what, name string, valid []string) error {
	if slices.Contains(valid, name) {
		return nil
	}
	return Usage(fmt.Errorf("unknown %s %q: %s", what, name, configs.Instead(name, valid)))
}

// NothingLeft says that there is nothing to measure, because all configurations are left out for these reasons.
func NothingLeft(reasons []string) string {
	return fmt.Sprintf("no configuration is left to measure (skipped: %s)", term.Some(reasons, FewNames))
}
