package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
)

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
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
	output.Flags(cmd)
	return cmd
}

func versionLine() string {
	b := command.ThisBuild()
	return fmt.Sprintf("spmvtune %s (%s, %s)\n", b.Version, b.Go, b.System)
}
