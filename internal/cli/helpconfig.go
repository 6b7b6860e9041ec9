package cli

import (
	"github.com/spf13/cobra"

	"spmvtune/configs"
)

// newHelpConfig is a help topic: a command without a body, whose text is what
// `spmvtune help config` prints.
func newHelpConfig() *cobra.Command {
	return &cobra.Command{
		Use:     "config",
		Short:   "The format of a sweep file",
		Long:    configs.Help,
		Example: "  spmvtune help config | less",
	}
}
