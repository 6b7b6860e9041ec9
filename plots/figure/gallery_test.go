package figure

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The gallery shows each figure, or says what would: its pictures are there, and none
// that it does not show.
func TestGallery(t *testing.T) {
	const docs = "../../docs"
	text, err := os.ReadFile(filepath.Join(docs, "gallery.md"))
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllSubmatch(text, -1) {
		for _, id := range strings.Split(string(m[1]), " and ") {
			headings[id] = true
		}
	}
	for i := range Figures {
		if id := Figures[i].ID; !headings[id] {
			t.Errorf("%s is not in the gallery", id)
		}
	}
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile(`\]\((gallery/[^)]*)\)`).FindAllSubmatch(text, -1) {
		shown[filepath.FromSlash(string(m[1]))] = true
	}
	pictures, err := filepath.Glob(filepath.Join(docs, "gallery", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pictures {
		name, err := filepath.Rel(docs, path)
		if err != nil {
			t.Fatal(err)
		}
		if !shown[name] {
			t.Errorf("%s is not shown", name)
		}
		delete(shown, name)
	}
	for name := range shown {
		t.Errorf("%s is shown and not there", name)
	}
}
