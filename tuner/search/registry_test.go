package search

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"spmvtune/internal/testing/docs"
)

var regen = flag.Bool("regen", false, "write the table of strategies into the documentation")

// The documentation has every strategy, as the registry says.
func TestDocumentation(t *testing.T) {
	var table strings.Builder
	for _, k := range Strategies {
		adaptive := map[bool]string{true: "yes", false: "no"}[k.Adaptive]
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", k.Name, adaptive, k.Help)
	}
	docs.Section(t, "../../docs/searching.md", "| strategy | adaptive | what it measures |\n|---|---|---|\n", "\n\n",
		strings.TrimSuffix(table.String(), "\n"), *regen)
}

// Help fits a line of `spmvtune help config`.
func TestHelp(t *testing.T) {
	for _, k := range Strategies {
		if len(k.Help) == 0 || len(k.Help) > 70 || strings.Contains(k.Help, "\n") {
			t.Errorf("the help of %s is %q", k.Name, k.Help)
		}
	}
}
