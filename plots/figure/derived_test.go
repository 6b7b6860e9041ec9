package figure

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"
)

// What others know of figures follows from the registry: the ids that a sweep file may
// have, and the list in the gallery. The test writes both with -regen.
func TestDerived(t *testing.T) {
	derived(t, "../../configs/figures.txt", func([]byte) string { return strings.Join(IDs(), "\n") + "\n" })
	derived(t, "../../docs/gallery.md", func(text []byte) string {
		const begin, end = "<!-- figures -->\n", "<!-- end of figures -->\n"
		before, rest, ok := strings.Cut(string(text), begin)
		_, after, also := strings.Cut(rest, end)
		if !ok || !also {
			t.Fatalf("the gallery lacks %s or %s", begin, end)
		}
		return before + begin + galleryList() + end + after
	})
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

// derived compares a file with what it should be, or writes that.
func derived(t *testing.T, path string, make func(text []byte) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []byte(make(text))
	if bytes.Equal(text, want) {
		return
	}
	if !*cmpimg.GenerateTestData { // -regen
		t.Errorf("%s does not list the registry's figures: run `SPMVTUNE_LONG=1 go test ./plots/figure -regen`", path)
	} else if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}
