package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spmvtune/internal/term"
)

// fewNames is how many names are listed where more would fill the line.
const fewNames = 5

// unsensed says that a run continues without the device's sensors, and why.
func unsensed(why string) string {
	return "GPU clocks, temperature and power are not recorded: " + why
}

// again returns the command line that runs cmd with its flags and these words.
func again(cmd *cobra.Command, words ...string) string {
	line := strings.Fields(cmd.CommandPath())
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			line = append(line, "--"+f.Name)
		} else {
			line = append(line, "--"+f.Name, f.Value.String())
		}
	})
	return term.Shell(append(line, words...)...)
}
