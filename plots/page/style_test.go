package page

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"spmvtune/plots/canvas"
)

// TestStyleSheetFollowsTheme: the report recolours SVGs by name, so each colour
// of the theme needs its name in the light, the dark and the printed sheet.
func TestStyleSheetFollowsTheme(t *testing.T) {
	hex := func(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
	check := func(name string, c color.RGBA) {
		t.Helper()
		if n := strings.Count(Colours+reportCSS, "--"+name+": "); n != 3 {
			t.Errorf("--%s is set %d times, want 3", name, n)
		}
		if n := strings.Count(Colours+reportCSS, "--"+name+": "+hex(c)+";"); n != 2 {
			t.Errorf("--%s is %s in %d of the light sheets, want 2", name, hex(c), n)
		}
	}
	for name, c := range canvas.Greys {
		check(name, c)
	}
}
