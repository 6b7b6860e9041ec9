package kernels

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"spmvtune/internal/testing/docs"
)

var regen = flag.Bool("regen", false, "write the tables of kernels into the documentation")

// The documentation has every kernel, as the catalogue says.
func TestDocumentation(t *testing.T) {
	var b strings.Builder
	var sources strings.Builder
	for _, family := range []struct{ heading, backend string }{{"For a processor", "cpu"}, {"For a GPU", "cuda"}} {
		fmt.Fprintf(&b, "## %s\n\n| kernel | format | bits | what takes what | block and grid | parameters | from |\n"+
			"|---|---|---|---|---|---|---|\n", family.heading)
		for _, k := range Catalogue {
			if k.Backend == family.backend {
				b.WriteString(row(k))
				sources.WriteString(k.Source + "; ")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("## The papers\n\n")
	for _, p := range Cited(sources.String()) {
		who := strings.TrimPrefix(p.Authors+": ", ": ")
		fmt.Fprintf(&b, "- **%s**: %s%s. %s, %d\n", p.Key, who, p.Title, p.Where, p.Year)
	}
	docs.Section(t, "../docs/kernels.md", "<!-- catalogue -->\n", "<!-- end -->\n", b.String(), *regen)
}

// row is a kernel's row of the documentation.
func row(k Kernel) string {
	var params []string
	for _, p := range k.Params {
		values := "any positive integer"
		if len(p.Values) > 0 {
			values = strings.Join(p.Values, ", ")
		}
		params = append(params, fmt.Sprintf("`%s` (%s): %s", p.Name, values, p.Doc))
	}
	bits := "vary"
	if k.Deterministic {
		bits = "same"
	}
	var shape []string
	for _, choice := range [][2]string{{"block: ", k.Block}, {"grid: ", k.Grid}} {
		if choice[1] != "" {
			shape = append(shape, choice[0]+choice[1])
		}
	}
	cells := []string{"`" + k.Name + "`", string(k.Format), bits, k.Mapping, strings.Join(shape, "; "),
		strings.Join(params, "; "), k.Source}
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", "\\|")
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}
