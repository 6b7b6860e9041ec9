package configs

import (
	stdflag "flag"
	"strings"
	"testing"

	"spmvtune/internal/testing/docs"
)

var regen = stdflag.Bool("regen", false, "write the format of a sweep file into the documentation")

// The documentation has every key, as `spmvtune help config` does.
func TestDocumentation(t *testing.T) {
	var b strings.Builder
	b.WriteString(helpIntro)
	for _, s := range sections() {
		b.WriteString("## " + s.heading + "\n\n```toml\n" + s.text + "```\n\n")
	}
	docs.Section(t, "../docs/sweep.md", "<!-- help config -->\n", "<!-- end -->\n", b.String(), *regen)
}
