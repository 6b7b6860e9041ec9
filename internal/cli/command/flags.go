// Package command holds what the commands share: errors with exit codes and hints, flags and
// their completion, and how a command finds its database or its sweep.
package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/sparse/fetch"
)

// CompleteFile completes one argument with files of these kinds: "db" for *.db.
func CompleteFile(extensions ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

// CompleteOne completes one argument with one of these words.
func CompleteOne(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			words = nil
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// FlagValues completes the values of a flag of cmd.
func FlagValues(cmd *cobra.Command, flag string, values ...string) {
	complete := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, complete))
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

// PictureFormats are the extensions of pictures.
var PictureFormats = []string{"png", "svg", "pdf"}

// SubcommandOnly refuses arguments of a command that only has subcommands. It suggests one.
func SubcommandOnly(cmd *cobra.Command, args []string) error {
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

// LoadSweep loads a sweep. Its mistakes are usage errors.
func LoadSweep(name string) (*configs.Sweep, error) {
	sweep, err := configs.Load(name)
	if mistakes := (configs.Errors)(nil); errors.As(err, &mistakes) {
		return nil, UsageHint(err, "spmvtune help config describes the format")
	}
	return sweep, Usage(err)
}

// CompleteSweep completes one argument with the shipped sweeps and with files.
func CompleteSweep(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return configs.Shipped(), cobra.ShellCompDirectiveDefault
}
