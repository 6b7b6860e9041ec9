package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/store"
)

func newQuery() *cobra.Command {
	var db, format string
	cmd := &cobra.Command{
		Use:   "query [--db FILE] SQL|VIEW",
		Short: "Ask the database, read-only",
		Long: `query runs SQL on a results database, which it can't change. The name of a view
alone prints the whole view. The stable views are results, best, speedup, features,
profile and telemetry; their columns do not change within a major version.`,
		Example: `  spmvtune query best
  spmvtune query "select matrix, kernel, min(median_ms) from results where status = 'ok' group by matrix, kernel"
  spmvtune query --db results.db --format csv features > features.csv`,
		Args:              command.Needs("SQL, or the name of a view: " + strings.Join(store.Views, ", ")),
		ValidArgsFunction: command.CompleteOne(store.Views),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, _, err := command.OpenDatabase(db, func(path string) string { return command.Again(cmd, append([]string{"--db", path}, args...)...) })
			if err != nil {
				return err
			}
			defer d.Close()
			t, err := d.Query(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return term.Table{Columns: t.Columns, Rows: t.Rows}.Write(cmd.OutOrStdout(), format)
		},
	}
	cmd.Flags().StringVar(&db, "db", "", "results database (default: the only one below "+command.OutRoot+")")
	command.FlagFormat(cmd, &format)
	command.FlagFile(cmd, "db", "db")
	return cmd
}
