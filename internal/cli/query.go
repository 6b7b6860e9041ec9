package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/store"
)

// queryCommand is the command query.
type queryCommand struct{ db, format string }

func newQuery() *cobra.Command {
	var q queryCommand
	cmd := &cobra.Command{
		Use:   "query [--db FILE] SQL|VIEW",
		Short: "Query the database, read-only",
		Long: `query runs SQL on a results database, which it can't change. The name of a view
alone prints the whole view. The stable views are results, best, speedup, features,
profile and telemetry; their columns do not change within a major version.`,
		Example: `  spmvtune query best
  spmvtune query "select matrix, kernel, min(median_ms) from results where status = 'ok' group by matrix, kernel"
  spmvtune query --db results.db --format csv features > features.csv`,
		Args:              command.Needs("SQL, or the name of a view: " + strings.Join(store.Views, ", ")),
		ValidArgsFunction: command.CompleteOne(store.Views),
		RunE:              q.Run,
	}
	cmd.Flags().StringVar(&q.db, "db", "", "results database (default: the only one below "+command.OutRoot+")")
	command.FlagFormat(cmd, &q.format)
	command.FlagFile(cmd, "db", "db")
	return cmd
}

// Run prints the answer to a query.
func (q *queryCommand) Run(cmd *cobra.Command, args []string) error {
	db, _, err := command.OpenDatabase(cmd.Context(), q.db, func(path string) string {
		return command.Again(cmd, "--db", path, args[0])
	})
	if err != nil {
		return err
	}
	defer db.Close()
	answer, err := db.Query(cmd.Context(), args[0])
	if err != nil {
		return err
	}

	return term.Table{Columns: answer.Columns, Rows: answer.Rows}.Write(cmd.OutOrStdout(), q.format)
}
