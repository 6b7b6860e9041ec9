package page

import (
	"slices"
	"testing"
)

// The navigation lists every figure, in the order of the page, and no figure is shown twice or lost.
func TestArrange(t *testing.T) {
	var doc document
	var given []htmlFigure
	for _, id := range []string{"drift", "unheard-of", "throughput-vs-block", "roofline", "winner-features"} {
		given = append(given, htmlFigure{ID: id})
	}
	doc.arrange(given)

	var listed, shown []string
	for _, f := range doc.Listed {
		listed = append(listed, f.ID)
	}
	lists := [][]htmlFigure{doc.Answer}
	for _, c := range doc.Chapters {
		lists = append(lists, c.Figures)
	}
	for _, f := range slices.Concat(append(lists, doc.Extra)...) {
		shown = append(shown, f.ID)
	}
	want := []string{"winner-features", "roofline", "throughput-vs-block", "drift", "unheard-of"}
	if !slices.Equal(listed, want) || !slices.Equal(shown, want) {
		t.Errorf("listed %q, shown %q", listed, shown)
	}
}
