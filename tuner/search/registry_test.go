package search

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var regen = flag.Bool("regen", false, "write the table of strategies into the documentation")

// The documentation has every strategy, as the registry says.
func TestDocumentation(t *testing.T) {
	const path, begin, end = "../../docs/searching.md", "| strategy | adaptive | what it measures |\n|---|---|---|\n",
		"\n\n"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	var table strings.Builder
	for _, k := range Strategies {
		adaptive := map[bool]string{true: "yes", false: "no"}[k.Adaptive]
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", k.Name, adaptive, k.Help)
	}
	before, rest, _ := strings.Cut(string(data), begin)
	_, after, _ := strings.Cut(rest, end)
	want := before + begin + strings.TrimSuffix(table.String(), "\n") + end + after

	if *regen {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(data) {
		t.Errorf("%s lists other strategies than the registry: go test ./tuner/search -run TestDocumentation -regen", path)
	}
}

// Help fits a line of `spmvtune help config`.
func TestHelp(t *testing.T) {
	for _, k := range Strategies {
		if len(k.Help) == 0 || len(k.Help) > 70 || strings.Contains(k.Help, "\n") {
			t.Errorf("the help of %s is %q", k.Name, k.Help)
		}
	}
}
