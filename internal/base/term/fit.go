package term

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// sized is a writer that knows how wide a table on it may be.
type sized interface{ Columns() int }

// A Page holds what is printed for a terminal of a width; 0: tables have all columns.
type Page struct {
	bytes.Buffer
	Width int
}

// Columns is the width of the page.
func (p *Page) Columns() int { return p.Width }

// Columns returns how many columns a table written to w may have: those of a terminal, or 0 for any number.
func Columns(w io.Writer) int {
	if s, ok := w.(sized); ok {
		return s.Columns()
	}
	size := SizeOf(w)
	if size == nil {
		return 0
	}
	width, _ := size()
	if width <= 0 {
		return narrowest
	}
	return width
}

// narrowest is the width of a terminal that does not tell its own.
const narrowest = 80

// leastText is how many columns of a text are shown at least.
const leastText = 16

// A grid is a table of texts.
type grid struct {
	header []string
	rows   [][]string
	right  []bool // whether a column is of numbers
}

// width is that of a column.
func (g *grid) width(column int) int {
	w := text.LongestLineLen(g.header[column])
	for _, row := range g.rows {
		w = max(w, text.LongestLineLen(row[column]))
	}
	return w
}

// total is the width of the whole table: a column has a space on each side.
func (g *grid) total() int {
	n := 0
	for i := range g.header {
		n += g.width(i) + 2
	}
	return n
}

// drop leaves out a column, and says what it is: with its value if that is the same everywhere.
func (g *grid) drop(column int) string {
	said := g.header[column]
	if same := g.rows[0][column]; same != "" && len(g.rows) > 1 && len(same) <= leastText &&
		!slices.ContainsFunc(g.rows, func(row []string) bool { return row[column] != same }) {
		said += " (" + same + ")"
	}
	g.header = slices.Delete(slices.Clone(g.header), column, column+1)
	g.right = slices.Delete(slices.Clone(g.right), column, column+1)
	for i, row := range g.rows {
		g.rows[i] = slices.Delete(slices.Clone(row), column, column+1)
	}
	return said
}

// fit makes the table at most so wide, and returns the columns that are left out. First go those of less, in
// that order; then long texts are shortened; then the last columns go.
func (g *grid) fit(width int, less []string) (left []string) {
	if len(g.rows) == 0 {
		return nil
	}
	for _, name := range less {
		if i := slices.Index(g.header, name); i >= 0 && g.total() > width {
			left = append(left, g.drop(i))
		}
	}
	for g.total() > width && g.shorten(g.total()-width) {
	}
	for g.total() > width && len(g.header) > 1 {
		left = append(left, g.drop(len(g.header)-1))
	}
	return left
}

// shorten makes the widest column of texts narrower by up to so much. It reports whether it could.
func (g *grid) shorten(by int) bool {
	widest := -1
	for i := range g.header {
		if w := g.width(i); !g.right[i] && w > max(leastText, text.LongestLineLen(g.header[i])) &&
			(widest < 0 || w > g.width(widest)) {
			widest = i
		}
	}
	if widest < 0 {
		return false
	}
	room := max(g.width(widest)-by, leastText, text.LongestLineLen(g.header[widest]))
	for _, row := range g.rows {
		row[widest] = narrowed(row[widest], room)
	}
	return true
}

// narrowed wraps a text of several lines, and cuts the middle out of others: the ends tell names apart.
func narrowed(s string, width int) string {
	if strings.Contains(s, "\n") {
		s = Wrap(strings.Join(strings.Fields(s), " "), width, "")
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > width {
			tail := (width - 1) / 3
			lines[i] = string(runes[:width-1-tail]) + "…" + string(runes[len(runes)-tail:])
		}
	}
	return strings.Join(lines, "\n")
}
