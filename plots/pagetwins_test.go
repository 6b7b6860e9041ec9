package plots

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
)

// Every figure, every table of matrices and the page say what was measured; a figure of
// one matrix says it of that one.
func TestTwinsAreSaid(t *testing.T) {
	draws(t)
	d := synthetic.Processor().Report()
	note := "A twin, not the real matrix: model7."
	for i := range d.Matrices {
		if d.Matrices[i].Name == "uniform" {
			d.Matrices[i].TwinOf, d.Matrices[i].TwinScale = "model7", 1
		}
	}
	dir := t.TempDir()
	written, err := Write(t.Context(), d, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range written.Files {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		// no text in there, or only names
		if ext := filepath.Ext(name); ext == ".png" || ext == ".pdf" || ext == ".csv" {
			continue
		}
		other := false // of one other matrix alone
		for _, m := range d.Matrices {
			other = other || m.Name != "uniform" && strings.Contains(name, "-"+m.Name+".")
		}
		if got := strings.Contains(flat(text), note); got == other {
			t.Errorf("%s: what was measured is in it: %v", name, got)
		}
	}
}

// flat is the text of a file in one line, without what marks it up: a picture's text is
// broken into lines.
func flat(text []byte) string {
	return strings.Join(strings.Fields(markup.ReplaceAllString(string(text), " ")), " ")
}

var markup = regexp.MustCompile(`<[^>]*>`)
