package plots

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spmvtune/store"
)

func TestTwins(t *testing.T) {
	const real = "SuiteSparse Williams/mc2depi"
	twin := func(of, scale string) string {
		return "twin of G/" + of + ": twin(of=" + of + ", scale=" + scale + ", seed=1)"
	}
	for _, tt := range []struct {
		sources []string
		want    string
	}{
		{[]string{real}, ""},
		{nil, ""},
		{[]string{real, twin("a", "1")}, "A twin, not the real matrix: a."},
		{[]string{twin("a", "0.1"), twin("b", "1"), real, twin("c", "1")}, "Twins, not the real matrices: b, c; a at scale 0.1."},
		{[]string{twin("a", "1"), twin("b", "1"), twin("c", "1"), twin("d", "1")}, "All matrices are twins, not the real ones."},
		{[]string{twin("a", "1"), twin("b", "0.1"), twin("c", "0.1"), twin("d", "0.5")}, "All matrices are twins, not the real ones; d at scale 0.5; b, c at scale 0.1."},
		{[]string{twin("a", "0.1"), twin("b", "0.1"), twin("c", "0.1"), twin("d", "0.1")}, "All matrices are twins, not the real ones, at scale 0.1."},
		{[]string{"twin(of=model7, scale=1, seed=1)"}, "A twin, not the real matrix: model7."},
		{append(slices.Repeat([]string{twin("a", "1")}, 13), real), "Of 14 matrices 13 are twins, not the real ones."},
	} {
		var list []store.Matrix
		for _, s := range tt.sources {
			list = append(list, store.Matrix{Name: s, Source: s})
		}
		if got := Twins(list); got != tt.want {
			t.Errorf("%q gives %q, not %q", tt.sources, got, tt.want)
		}
	}
}

// Every figure, every table of matrices and the page say what was measured; a figure of
// one matrix says it of that one.
func TestTwinsAreSaid(t *testing.T) {
	draws(t)
	d := processor().data()
	note := "A twin, not the real matrix: model7."
	for i := range d.matrices {
		if d.matrices[i].Name == "uniform" {
			d.matrices[i].Source = "twin of Meszaros/model7: twin(of=model7, scale=1, seed=1)"
		}
	}
	dir := t.TempDir()
	written, err := write(t.Context(), d, nil, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range written.Files {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if ext := filepath.Ext(name); ext == ".png" || ext == ".pdf" || ext == ".csv" { // no text in there, or only names
			continue
		}
		other := false // of one other matrix alone
		for _, m := range d.matrices {
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

// A figure of some of the matrices counts the twins among these.
func TestTwinsOnAPage(t *testing.T) {
	d := &data{matrices: []store.Matrix{{Name: "a"}, {Name: "b", Source: "twin(of=model7, scale=1, seed=1)"}, {Name: "c", Source: "twin(of=F1, scale=0.1, seed=1)"}}}
	for _, tt := range []struct {
		on   []string
		want string
	}{
		{nil, "Twins, not the real matrices: model7; F1 at scale 0.1."},
		{[]string{"a", "b"}, "A twin, not the real matrix: model7."},
		{[]string{"a"}, ""},
	} {
		if got := d.twinNote(&page{matrices: tt.on}); got != tt.want {
			t.Errorf("on %q: %q, not %q", tt.on, got, tt.want)
		}
	}
}
