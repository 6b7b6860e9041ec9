package figure

import (
	"testing"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// A figure of some of the matrices counts the twins among these.
func TestTwinsOnAPage(t *testing.T) {
	d := &data.Report{Matrices: []store.Matrix{{Name: "a"}, {Name: "b", TwinOf: "model7", TwinScale: 1},
		{Name: "c", TwinOf: "F1", TwinScale: 0.1}}}
	for _, tt := range []struct {
		on   []string
		want string
	}{
		{nil, "Twins, not the real matrices: model7; F1 at scale 0.1."},
		{[]string{"a", "b"}, "A twin, not the real matrix: model7."},
		{[]string{"a"}, ""},
	} {
		if got := twinNote(d, &canvas.Picture{Matrices: tt.on}); got != tt.want {
			t.Errorf("on %q: %q, not %q", tt.on, got, tt.want)
		}
	}
}
