package figure

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The pictures of the gallery are there, and there is none that it does not show.
func TestGallery(t *testing.T) {
	const docs = "../../docs"
	text, err := os.ReadFile(filepath.Join(docs, "gallery.md"))
	if err != nil {
		t.Fatal(err)
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
