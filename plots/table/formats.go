// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"gonum.org/v1/plot/vg"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/canvas"
)

// Markdown prints tables under a title and notes. Columns are aligned in the source, too,
// so that the file reads well in a terminal.
func (s *Sheet) Markdown() []byte {
	var b bytes.Buffer
	b.WriteString("# " + markdownText(s.Title) + "\n")
	for _, n := range s.Notes {
		b.WriteString("\n" + markdownText(n) + "\n")
	}
	for _, t := range s.Tables {
		b.WriteString("\n## " + markdownText(t.Title) + "\n\n" + t.markdown() + "\n")
	}
	return b.Bytes()
}

func (t *Table) markdown() string {
	w := pretty.NewWriter()
	w.SetStyle(pretty.Style{Markdown: pretty.MarkdownOptions{PadContent: true}})
	var head pretty.Row
	var columns []pretty.ColumnConfig
	for i, c := range t.Columns {
		align := text.AlignLeft
		if c.Right {
			align = text.AlignRight
		}
		head = append(head, term.Markdown(c.Name))
		columns = append(columns, pretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(head)
	for _, r := range t.Rows {
		var line pretty.Row
		for _, c := range r {
			s := term.Markdown(c.Text)
			if c.Bold {
				s = "**" + s + "**"
			}
			line = append(line, s)
		}
		w.AppendRow(line)
	}
	return w.RenderMarkdown()
}

// markdownText escapes s for a table cell, a heading or a paragraph.
func markdownText(s string) string { return strings.ReplaceAll(term.Markdown(s), "|", `\|`) }

// CSV prints all digits of numbers. Columns whose numbers have intervals are followed by those of
// their ends. Tables with the same columns become one, with the title of each in the first column.
// Others follow after an empty line.
func (s *Sheet) CSV() []byte {
	var list []term.Table
	for i := range s.Tables {
		t := &s.Tables[i]
		unsure := s.unsure(t)
		names := []string{"table"}
		for i, c := range t.Columns {
			if names = append(names, c.Name); unsure[i] {
				names = append(names, c.Name+" low", c.Name+" high")
			}
		}
		if len(list) == 0 || !slices.Equal(names, list[len(list)-1].Columns) {
			list = append(list, term.Table{Columns: names})
		}
		for _, row := range t.Rows {
			list[len(list)-1].Add(t.line(row, unsure)...)
		}
	}

	var b bytes.Buffer // takes everything
	for i, t := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.Write(&b, "csv")
	}
	return b.Bytes()
}

// unsure tells which columns of a table have intervals, there or in another table of the sheet with
// as many columns.
func (s *Sheet) unsure(t *Table) map[int]bool {
	columns := map[int]bool{}
	for i := range s.Tables {
		if len(s.Tables[i].Columns) == len(t.Columns) {
			for _, row := range s.Tables[i].Rows {
				for k, c := range row {
					columns[k] = columns[k] || c.High > 0
				}
			}
		}
	}
	return columns
}

// line is a row with the table's title before it.
func (t *Table) line(row []Cell, unsure map[int]bool) []any {
	cells := []any{t.Title}
	for i, c := range row {
		switch {
		case c.Text == term.Missing:
			cells = append(cells, nil)
		case t.Columns[i].Right && !math.IsNaN(c.Key):
			cells = append(cells, c.Key)
		default:
			cells = append(cells, c.Text)
		}
		switch {
		case unsure[i] && c.High > 0:
			cells = append(cells, c.Low, c.High)
		case unsure[i]:
			cells = append(cells, nil, nil)
		}
	}
	return cells
}

// Booktabs prints the sheet in LaTeX, to be read by \input into a paper with columns of this width: across both columns
// where one is too narrow. Notes and facts stand in comments.
func (s *Sheet) Booktabs(column vg.Length, facts string) []byte {
	b := bytes.NewBufferString("% " + latexComment(s.Title) + "\n% needs \\usepackage{booktabs,array}\n")
	for _, n := range append(slices.Clone(s.Notes), facts) {
		b.WriteString("% " + latexComment(n) + "\n")
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		set, size := t.typeset(column)
		if t.Spare || len(set) == 0 {
			continue
		}
		if len(t.Rows) > mostOnPage {
			fmt.Fprintf(b, "\n%% %s has %d rows, too many for a page: the report's CSV has them\n", latexComment(t.Title), len(t.Rows))
			continue
		}
		if dropped := len(t.Columns) - 1 - set[len(set)-1].index; dropped > 0 {
			fmt.Fprintf(b, "\n%% %d columns more are in the report's CSV\n", dropped)
		}
		environment := "table"
		if widthOf(set) > column {
			environment = "table*"
		}
		fmt.Fprintf(b, "\n\\begin{%s}\n\\centering\n\\caption{%s.%s}\n\\label{tab:%s}\n"+
			"\\fontsize{%g}{%g}\\selectfont\\setlength{\\tabcolsep}{3pt}\n", environment, LaTeX(s.Title+": "+t.Title), t.signs(set),
			canvas.Slug(s.Stem, t.Title), size, size+1.5)
		t.tabular(b, set)
		fmt.Fprintf(b, "\n\\end{%s}\n", environment)
	}
	return b.Bytes()
}

// signs says what the signs in these columns of a table mean, "" if there are none.
func (t *Table) signs(set []typesetColumn) (said string) {
	has := func(is func(string) bool) bool {
		return slices.ContainsFunc(t.Rows, func(row []Cell) bool {
			return slices.ContainsFunc(set, func(c typesetColumn) bool { return is(row[c.index].Text) })
		})
	}
	if has(func(s string) bool { return strings.HasPrefix(s, "= ") }) {
		said += " Bold: fastest; =: can't be told from it."
	}
	if has(func(s string) bool { return strings.HasSuffix(s, tiedMark) }) {
		said += " (tied): can't be told from 1."
	}
	return said
}

// A typesetColumn is one that a table in LaTeX has, with its width in points: whole without line breaks, least with all.
type typesetColumn struct {
	index               int
	width, least, whole vg.Length
}

// columnsApart is the room between columns of a paper's table.
const columnsApart = vg.Length(6)

func widthOf(columns []typesetColumn) vg.Length {
	return lists.Sum(columns, func(c typesetColumn) vg.Length { return c.width + columnsApart }) - columnsApart
}

// typeset chooses the columns of a table and the size of its type. A paper does without columns that no row fills or
// that are to spare. Where the others are too wide for a page, which has two columns unless they are wide, the widest
// text is broken into lines, then type is smaller, and at last those on the right go.
func (t *Table) typeset(column vg.Length) (set []typesetColumn, size float64) {
	page := column
	if column < 300 {
		page = 2*column + 12
	}
	for _, size = range []float64{8, 7} {
		set = t.measure(size)
		for over := widthOf(set) - page; over > 0; over = widthOf(set) - page {
			widest := slices.MaxFunc(set, func(a, b typesetColumn) int { return cmp.Compare(a.width-a.least, b.width-b.least) }).index
			of := &set[slices.IndexFunc(set, func(c typesetColumn) bool { return c.index == widest })]
			if of.width-of.least < 1 {
				break
			}
			of.width = max(of.least, of.width-over)
		}
		if widthOf(set) <= page {
			return set, size
		}
	}
	for len(set) > 1 && widthOf(set) > page {
		set = set[:len(set)-1]
	}
	return set, size
}

// measure returns the columns in type of this size, and as wide as Computer Modern, the widest of papers' fonts, is with
// the spaces around its signs.
func (t *Table) measure(size float64) (set []typesetColumn) {
	style := canvas.Typeface(1.1*size, false, canvas.InkColor)
	for i, c := range t.Columns {
		of, filled := typesetColumn{index: i, least: lists.Most(headingLines(c.Name), style.Width)}, false
		of.width = of.least
		for _, row := range t.Rows {
			of.width, filled = max(of.width, style.Width(row[i].Text)), filled || row[i].Text != "" && row[i].Text != term.Missing
			of.least = max(of.least, lists.Most(strings.Fields(row[i].Text), style.Width))
		}
		if of.whole = of.width; c.Right {
			of.least = of.width
		}
		if filled && !c.Spare {
			set = append(set, of)
		}
	}
	return set
}

// headingLines breaks the name of a column.
func headingLines(name string) []string { return strings.Fields(strings.ReplaceAll(name, "_", "_ ")) }

// tabular prints columns, with rules at the top, below the headings, which are broken into lines, and at the end.
func (t *Table) tabular(b *bytes.Buffer, set []typesetColumn) {
	align, cells := "", make([]string, len(set))
	for k, c := range set {
		name, side := LaTeX(t.Columns[c.index].Name), "l"
		if t.Columns[c.index].Right {
			side = "r"
		}
		if lines := headingLines(name); len(lines) > 1 {
			name = "\\shortstack[" + side + "]{" + strings.Join(lines, "\\\\") + "}"
		}
		if cells[k] = name; c.width < c.whole {
			side = fmt.Sprintf(">{\\raggedright\\arraybackslash}p{%.0fbp}", c.width)
		}
		align += side
	}
	fmt.Fprintf(b, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s \\\\\n\\midrule\n", align, strings.Join(cells, " & "))
	for _, row := range t.Rows {
		for k, c := range set {
			if cells[k] = LaTeX(row[c.index].Text); row[c.index].Bold {
				cells[k] = "\\textbf{" + cells[k] + "}"
			}
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}")
}

// latexComment keeps a text on one line.
func latexComment(s string) string { return strings.Join(strings.Fields(s), " ") }

// LaTeX escapes s: characters with a meaning in LaTeX get a backslash, and characters
// beyond ASCII become commands that every engine knows, or a question mark.
func LaTeX(s string) string {
	var b strings.Builder
	for _, r := range s {
		if known, ok := latexRunes[r]; ok {
			b.WriteString(known)
			continue
		}
		switch {
		case strings.ContainsRune("&%$#_{}", r):
			b.WriteString("\\" + string(r))
		case r == '[' || r == '*': // after the end of a row it would be an option of that
			b.WriteString("{" + string(r) + "}")
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case r > 0x7f:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}

	return b.String()
}

var latexRunes = map[rune]string{
	'\\': `\textbackslash{}`, '~': `\textasciitilde{}`, '^': `\textasciicircum{}`, '<': `$<$`, '>': `$>$`, '|': `$|$`,
	'±': `$\pm$`, '×': `$\times$`, '−': `$-$`, '–': `--`, '—': `---`, '\u202f': `\,`, '\u00a0': `~`, '·': `$\cdot$`,
	'≥': `$\geq$`, '≤': `$\leq$`,
	'≈': `$\approx$`, 'µ': `$\mu$`, 'μ': `$\mu$`, '²': `$^2$`, '√': `$\surd$`, '∞': `$\infty$`, '…': `\ldots{}`,
	'’': `'`, '“': "``", '”': `''`, '°': `$^\circ$`,
	'ä': `\"a`, 'ö': `\"o`, 'ü': `\"u`, 'é': `\'e`, 'è': "\\`e", 'ß': `\ss{}`,
}

// mostOnPage is the number of rows that fit a page.
const mostOnPage = 60
