package cli

import (
	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/store"
)

func newBest() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "best [DB]",
		Short: "The best configuration for each matrix",
		Long: `best prints, for each matrix, precision and cache state, the configuration that
was fastest. Where the measurements can't tell several apart (tied says how many),
it is the one whose neighbouring block and grid sizes are fast too.`,
		Example: `  spmvtune best
  spmvtune best results/a30/results.db --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteFile("db"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, _, err := command.DatabaseArg(cmd, args)
			if err != nil {
				return err
			}
			defer db.Close()
			if asJSON {
				t, err := db.Query(cmd.Context(), "best")
				if err != nil {
					return err
				}
				return term.Table{Columns: t.Columns, Rows: t.Rows}.JSON(cmd.OutOrStdout())
			}
			best, err := db.Best(cmd.Context(), store.Filter{})
			if err != nil {
				return err
			}
			if err := show.Best(cmd.OutOrStdout(), best); err != nil {
				return err
			}
			matrices, err := db.Features(cmd.Context())
			if err != nil {
				return err
			}
			show.Twins(cmd.OutOrStdout(), matrices)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
