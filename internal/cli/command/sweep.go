package command

import (
	"github.com/spf13/cobra"

	"spmvtune/configs"
)

// LoadSweep loads a sweep; all its mistakes are mistakes of the user's.
func LoadSweep(name string) (*configs.Sweep, error) {
	sweep, err := configs.Load(name)
	if err != nil {
		return nil, UsageHint(err, "spmvtune help config describes the format")
	}
	return sweep, nil
}

// CompleteSweep completes one argument with the shipped sweeps, and files.
func CompleteSweep(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return configs.Shipped(), cobra.ShellCompDirectiveDefault
}
