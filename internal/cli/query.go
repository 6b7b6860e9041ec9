// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/store"
)

// queryCommand is the command query.
type queryCommand struct {
	db      string
	output  command.Output
	maxRows int
}

func newQuery() *cobra.Command {
	var q queryCommand
	cmd := &cobra.Command{
		Use:   "query [RUN] SQL|VIEW",
		Short: "Query the database, read-only",
		Long: `query runs SQL on a results database, which it can't change. The name of a view
alone prints the whole view; a table for people leaves out columns without a value.
The stable views are results, best, speedup, features, profile and telemetry; their
columns do not change within a major version. "spmvtune help database" explains each.

` + command.RunHelp,
		Example: `  spmvtune query best
  spmvtune query "select matrix, kernel, min(median_ms) from results where status = 'ok' group by matrix, kernel"
  spmvtune query quickstart --format csv features > features.csv`,
		Args:              needsQuery,
		ValidArgsFunction: completeQuery,
		RunE:              q.Run,
	}
	cmd.Flags().StringVar(&q.db, "db", "", "the run, as an argument before the query names it")
	q.output.Flags(cmd)
	cmd.Flags().IntVar(&q.maxRows, "max-rows", 0, fmt.Sprintf(
		"print at most so many rows (default: all as csv or json, %d as table or markdown)", tableRows))
	command.FlagFile(cmd, "db", "db")
	return cmd
}

// needsQuery checks that there is a query, and at most a run before it.
func needsQuery(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("query needs SQL, or the name of a view: " + strings.Join(store.Views, ", "))
	case 1, 2:
		return nil
	}
	return fmt.Errorf("query takes a run and SQL, not %d arguments: put the SQL in quotes", len(args))
}

// completeQuery completes a query with the views, and the word before it with the runs.
func completeQuery(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return append(slices.Clone(store.Views), command.RunNames(analysis.DatabaseFile)...), cobra.ShellCompDirectiveDefault
	case 1:
		return store.Views, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// tableRows is how many rows a table for people has unless told: it is laid out in memory.
const tableRows = 10_000

// lessOfView are the columns of views that a narrow terminal can do without: what a configuration took stays.
var lessOfView = map[string][]string{"results": lessOfTrials, "best": lessOfTrials, "speedup": {"median_ms", "device", "cache",
	"params", "time_ms", "grid", "block", "over_best_single"}}

var lessOfTrials = []string{"recommended", "sweep", "version", "measurement", "in_force", "stop", "message", "measured_at", "max_error",
	"samples", "format", "low_ms", "high_ms", "within_low_ms", "within_high_ms", "margin", "runs", "prepare_ms", "roof_fraction",
	"rows", "cols", "nnz", "median_ms", "device", "cache", "params", "gbps", "factor", "status", "tied", "tie_size", "grid",
	"gflops"}

// errEnough ends a query whose answer has more rows than are wanted.
var errEnough = errors.New("enough")

// Run prints the answer to a query.
func (q *queryCommand) Run(cmd *cobra.Command, args []string) error {
	if q.maxRows < 0 || q.maxRows == 0 && cmd.Flags().Changed("max-rows") {
		return command.Usage(fmt.Errorf("--max-rows is %d: it must be at least 1", q.maxRows))
	}
	run, query := q.db, args[len(args)-1]
	if len(args) == 2 {
		if run != "" {
			return command.Usage(errors.New("name the run once: as an argument, or with --db"))
		}
		run = args[0]
	}
	db, _, err := command.OpenDatabase(cmd, run)
	if err != nil {
		return err
	}
	defer db.Close()
	most := q.maxRows
	if most == 0 && q.output.ForPeople() {
		most = tableRows
	}
	var rows *term.Rows
	n := 0
	err = db.Each(cmd.Context(), query, func(columns []string) (err error) {
		rows, err = term.NewRows(cmd.OutOrStdout(), q.output.Format, columns)
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
	if slices.Contains(store.Views, query) {
		empty = rows.DropEmpty()
		rows.Less(lessOfView[query])
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
