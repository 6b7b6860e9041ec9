package command

import (
	"github.com/spf13/cobra"

	"spmvtune/configs"
)

// NeedsSweep checks that a command has one argument, a sweep.
var NeedsSweep = Needs("a sweep: a file, or the name of a shipped one such as quickstart")

// LoadSweep loads a sweep. Its mistakes are usage errors.
func LoadSweep(name string) (*configs.Sweep, error) {
	sweep, err := configs.Load(name)
	if err != nil {
		return nil, UsageHint(err, "spmvtune help config describes the format")
	}
	return sweep, nil
}

// CompleteSweep completes one argument with the shipped sweeps and with files.
func CompleteSweep(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return configs.Shipped(), cobra.ShellCompDirectiveDefault
}
