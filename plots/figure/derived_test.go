package figure

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"spmvtune/internal/testing/docs"
)

// What others know of figures follows from the registry: the ids that a sweep file may
// have, and the list in the gallery. The test writes both with -regen.
func TestDerived(t *testing.T) {
	docs.Section(t, "../../docs/gallery.md", "<!-- figures -->\n", "<!-- end of figures -->\n", galleryList(),
		*cmpimg.GenerateTestData)
	figures(t)
}

// galleryList is a table of all figures.
func galleryList() string {
	var b strings.Builder
	b.WriteString("| figure | shows | data from |\n|---|---|---|\n")
	for i := range All {
		f := &All[i]
		fmt.Fprintf(&b, "| %s | %s | `run %s` |\n", f.ID, f.Title, f.Sweep)
	}
	return b.String()
}

// figures compares the ids that a sweep file may have with the registry, or writes them.
func figures(t *testing.T) {
	t.Helper()
	const path = "../../configs/figures.txt"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(IDs(), "\n") + "\n"
	if want == string(text) {
		return
	}
	if !*cmpimg.GenerateTestData { // -regen
		t.Errorf("%s does not list the registry's figures: run `go test ./plots/figure -run TestDerived -regen`", path)
	} else if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
