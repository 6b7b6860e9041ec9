package term

import (
	"fmt"
	"strings"
	"testing"
)

// A page that does not fit a terminal is cut where it is least missed, at its end, and
// never makes it scroll.
func TestWatchShowsTheTop(t *testing.T) {
	var page strings.Builder
	for i := range 30 {
		fmt.Fprintf(&page, "line %d %s\n", i, strings.Repeat("x", 100))
	}
	for _, height := range []int{0, 1, 2, 3, 24, 30, 31, 100} {
		got := InPlace(page.String(), 40, height)
		lines := strings.Split(got, "\n")
		if height > 1 && len(lines) > height {
			t.Errorf("%d rows: %d lines", height, len(lines))
		}
		if height != 2 && !strings.HasPrefix(lines[0], "\x1b[Hline 0 xxx") || len(lines[0]) > 40+len("\x1b[H\x1b[K") {
			t.Errorf("%d rows: begins with %q", height, lines[0])
		}
		if cut := strings.Contains(got, " lines more"); cut != (height > 1 && height < 31) {
			t.Errorf("%d rows: it says that it was cut: %t", height, cut)
		}
	}
	if got := InPlace(page.String(), 40, 24); !strings.Contains(got, "line 21 ") || !strings.Contains(got, "… and 8 lines more") {
		t.Errorf("24 rows are\n%q", got)
	}
}
