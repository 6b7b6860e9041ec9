package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/store"
)

// queryCommand is the command query.
type queryCommand struct {
	db, format string
	maxRows    int
}

func newQuery() *cobra.Command {
	var q queryCommand
	cmd := &cobra.Command{
		Use:   "query [--db FILE] SQL|VIEW",
		Short: "Query the database, read-only",
		Long: `query runs SQL on a results database, which it can't change. The name of a view
alone prints the whole view; a table for people leaves out its columns without a value. The stable views are results, best, speedup, features,
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
	cmd.Flags().IntVar(&q.maxRows, "max-rows", 0, fmt.Sprintf(
		"print at most so many rows (default: all as csv or json, %d as table or markdown)", tableRows))
	command.FlagFile(cmd, "db", "db")
	return cmd
}

// tableRows is how many rows a table for people has unless told: it is laid out in memory.
const tableRows = 10_000

// errEnough ends a query whose answer has more rows than are wanted.
var errEnough = errors.New("enough")

// Run prints the answer to a query.
func (q *queryCommand) Run(cmd *cobra.Command, args []string) error {
	db, _, err := command.OpenDatabase(cmd.Context(), q.db, func(path string) string {
		return command.Again(cmd, "--db", path, args[0])
	})
	if err != nil {
		return err
	}
	defer db.Close()
	most := q.maxRows
	if people := q.format == "table" || q.format == "markdown"; most <= 0 && people {
		most = tableRows
	}
	var rows *term.Rows
	n := 0
	err = db.Each(cmd.Context(), args[0], func(columns []string) (err error) {
		rows, err = term.NewRows(cmd.OutOrStdout(), q.format, columns)
		return err
	}, func(row []any) error {
		if n++; most > 0 && n > most {
			return errEnough
		}
		return rows.Add(row)
	})
	if err != nil && err != errEnough {
		return err
	}
	var empty []string
	if slices.Contains(store.Views, args[0]) {
		empty = rows.DropEmpty()
	}
	if err := rows.Close(); err != nil {
		return err
	}

	if len(empty) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: columns without a value are not shown: %s\n", strings.Join(empty, ", "))
	}
	if err == errEnough {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: the answer has more rows; --max-rows sets how many are printed\n")
	}
	return nil
}
