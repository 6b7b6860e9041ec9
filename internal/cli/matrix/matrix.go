// Package matrix is the command matrix with its subcommands: it describes, draws, converts, lists and
// downloads matrices, and counts the cache misses of their products.
package matrix

import (
	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
)

func NewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Look at matrices, convert and download them",
		Example: `  spmvtune matrix info bcsstk13.mtx.gz
  spmvtune matrix spy bcsstk13.mtx.gz -o bcsstk13.png
  spmvtune matrix get HB/bcsstk13
  spmvtune matrix convert bcsstk13.mtx.gz bcsstk13.npz
  spmvtune matrix list`,
		Args:                       command.SubcommandOnly,
		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMatrixInfo(), newMatrixSpy(), newMatrixConvert(), newMatrixList(),
		newMatrixGet(), newMatrixCache())
	return cmd
}
