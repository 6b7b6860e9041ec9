// SPDX-License-Identifier: Apache-2.0

package term

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"example.org/spmvtune/internal/base/lists"
)

// A Grid is a table of texts.
type Grid struct {
	Columns []string   `json:"columns"`
	Right   []bool     `json:"right"` // whether a column is of numbers, which stand at the right
	Rows    [][]string `json:"rows"`
}

// width is that of a column.
func (g *Grid) width(column int) int {
	rows := lists.Most(g.Rows, func(row []string) int { return text.LongestLineLen(row[column]) })
	return max(rows, text.LongestLineLen(g.Columns[column]))
}

// total is the width of the whole table: a column has a space on each side.
func (g *Grid) total() int {
	return 2*len(g.Columns) + lists.Sum(lists.Indices(len(g.Columns)), g.width)
}

// drop leaves out a column, and says what it is: with its value if that is the same everywhere.
func (g *Grid) drop(column int) string {
	said := g.Columns[column]
	if same := g.Rows[0][column]; same != "" && len(g.Rows) > 1 && len(same) <= leastText &&
		!slices.ContainsFunc(g.Rows, func(row []string) bool { return row[column] != same }) {
		said += " (" + same + ")"
	}
	g.Columns = slices.Delete(slices.Clone(g.Columns), column, column+1)
	g.Right = slices.Delete(slices.Clone(g.Right), column, column+1)
	for i, row := range g.Rows {
		g.Rows[i] = slices.Delete(slices.Clone(row), column, column+1)
	}
	return said
}

// fit makes the table at most so wide, and returns the columns that are left out. First go those of less, in
// that order; then texts are wrapped, with whole names; then the last columns go. Where less said which columns are
// dispensable, names are cut before others go.
func (g *Grid) fit(width int, less []string) (left []string) {
	if len(g.Rows) == 0 {
		return nil
	}
	for _, name := range less {
		if i := slices.Index(g.Columns, name); i >= 0 && g.total() > width {
			left = append(left, g.drop(i))
		}
	}
	for g.total() > width && g.shorten(g.total()-width, leastName) {
	}
	for len(less) > 0 && g.total() > width && g.shorten(g.total()-width, 0) {
	}
	for g.total() > width && len(g.Columns) > 1 {
		left = append(left, g.drop(len(g.Columns)-1))
	}
	for g.total() > width && g.shorten(g.total()-width, 0) {
	}
	return left
}

// shorten makes the widest column of texts narrower by up to so much; names up to a length stay whole. It reports
// whether it could.
func (g *Grid) shorten(by, name int) bool {
	widest, room := -1, 0
	for i := range g.Columns {
		least := max(leastText, text.LongestLineLen(g.Columns[i]))
		for _, row := range g.Rows {
			for _, word := range strings.Fields(row[i]) {
				least = max(least, min(len([]rune(word)), name))
			}
		}
		if w := g.width(i); !g.Right[i] && w > least && (widest < 0 || w > g.width(widest)) {
			widest, room = i, max(w-by, least)
		}
	}
	if widest < 0 {
		return false
	}
	for _, row := range g.Rows {
		row[widest] = narrowed(row[widest], room)
	}
	return true
}

// fewWords is how many words a text has at least that is wrapped.
const fewWords = 5

// narrowed wraps a text of several lines or words, and cuts the middle out of others: the ends tell names apart.
func narrowed(s string, width int) string {
	if strings.Contains(s, "\n") || len(strings.Fields(s)) >= fewWords {
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

// pretty lays a grid out.
func (g *Grid) pretty() table.Writer {
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	out := table.NewWriter()
	out.SetStyle(style)

	var configs []table.ColumnConfig
	for i, right := range g.Right {
		if right {
			c := table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
			configs = append(configs, c)
		}
	}
	out.SetColumnConfigs(configs)

	cells := func(row []string) table.Row { return lists.Of(row, func(s string) any { return s }) }
	out.AppendHeader(cells(g.Columns))
	for _, row := range g.Rows {
		out.AppendRow(cells(row))
	}
	return out
}
