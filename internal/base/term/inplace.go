package term

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// InPlace returns what shows a page from the upper left corner of a terminal. It clears each line
// to its end and then the rest, so that nothing flickers. Of a page that is too long it shows the
// top, and lines that are too wide it cuts, because the terminal would scroll. A width or height
// of 0 is not known.
func InPlace(page string, width, height int) string {
	const corner, toEnd, rest = "\x1b[H", "\x1b[K\n", "\x1b[J"
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	// The cursor has a line of its own.
	if height > 1 && len(lines) > height-1 {
		more := fmt.Sprintf("… and %s more", Count(len(lines)-(height-2), "line", "lines"))
		lines = append(slices.Clip(lines[:height-2]), more)
	}

	for i, line := range lines {
		if width > 0 {
			lines[i] = text.Trim(line, width)
		}
	}

	return corner + strings.Join(lines, toEnd) + toEnd + rest
}
