package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// newHelpDatabase is a help topic: the views of a database and their columns.
func newHelpDatabase() *cobra.Command {
	return &cobra.Command{
		Use:     "database",
		Short:   "The views of a results database, and their columns",
		Long:    databaseHelp(),
		Example: "  spmvtune help database | less",
	}
}

func databaseHelp() string {
	const indent = 22 // of what a column says
	var b strings.Builder
	b.WriteString("spmvtune query and any SQLite tool read the results database. These views are stable: their columns\n" +
		"do not change within a major version. What is not known is null. docs/database.md has queries.\n")
	for _, v := range store.Explained {
		fmt.Fprintf(&b, "\n%s: a row for %s\n", v.Name, v.Row)
		for _, c := range v.Columns {
			text := term.Wrap(strings.ReplaceAll(c.Doc, "`", ""), term.PageWidth-indent, strings.Repeat(" ", indent))
			fmt.Fprintf(&b, "  %-*s%s\n", indent-2, c.Name, text)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
