package table

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
)

// markdown prints tables under a title and notes. Columns are aligned in the source, too,
// so that the file reads well in a terminal.
func (s *Sheet) markdown() []byte {
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

// csv prints all digits of numbers. Columns whose numbers have intervals are followed by those of
// their ends. Tables with the same columns become one, with the title of each in the first column.
// Others follow after an empty line.
func (s *Sheet) csv() []byte {
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

// latex prints table environments, to be read by \input into any document class, without a package. For a paper they
// are as wide as a page at most and set with booktabs, and their captions end with some facts.
func (s *Sheet) latex(paper bool, facts string) []byte {
	b := bytes.NewBufferString("% " + latexComment(s.Title) + "\n")
	if paper {
		b.WriteString("% needs \\usepackage{booktabs,graphicx}\n")
	}
	for _, n := range s.Notes {
		b.WriteString("% " + latexComment(n) + "\n")
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		environment, caption, before, after := "table", LaTeX(s.Title+": "+t.Title), "", "\n"
		switch {
		case paper && len(t.Rows) > mostOnPage:
			fmt.Fprintf(b, "\n%% %s has %d rows, too many for a page: the report's CSV has them\n", latexComment(t.Title), len(t.Rows))
			continue
		case paper:
			environment, caption = "table*", caption+".\n"+LaTeX(facts)
			before, after = "\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"+fit+"{%\n", "}\n"
		}
		fmt.Fprintf(b, "\n\\begin{%s}\n\\centering\n\\caption{%s}\n\\label{tab:%s}\n%s", environment, caption,
			canvas.Slug(s.Stem, t.Title), before)
		t.tabular(b, paper)
		fmt.Fprintf(b, "%s\\end{%s}\n", after, environment)
	}
	return b.Bytes()
}

// Booktabs prints the sheet for a paper: without columns that no row fills and those that are to spare.
func (s *Sheet) Booktabs(facts string) []byte { return s.latex(true, facts) }

// tabular prints the columns, with rules at the top, below the headings and at the end. A paper does without those
// that no row fills or that are to spare, and long text is broken into lines there.
func (t *Table) tabular(b *bytes.Buffer, paper bool) {
	var shown []int
	align, rules := "", [3]string{"hline", "hline", "hline"}
	for i, c := range t.Columns {
		longest := 0
		for _, row := range t.Rows {
			longest = max(longest, utf8.RuneCountInString(row[i].Text))
		}
		if paper && (c.Spare || longest == 0) {
			continue
		}
		shown = append(shown, i)
		switch {
		case c.Right:
			align += "r"
		case paper && longest > sentence:
			align += fmt.Sprintf("p{%.1fcm}", min(5, 0.12*float64(longest)))
		default:
			align += "l"
		}
	}
	if paper {
		align, rules = "@{}"+align+"@{}", [3]string{"toprule", "midrule", "bottomrule"}
	}

	cells := make([]string, len(shown))
	for k, i := range shown {
		cells[k] = LaTeX(t.Columns[i].Name)
	}
	fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\%s\n%s \\\\\n\\%s\n", align, rules[0], strings.Join(cells, " & "), rules[1])
	for _, row := range t.Rows {
		for k, i := range shown {
			if cells[k] = LaTeX(row[i].Text); row[i].Bold {
				cells[k] = "\\textbf{" + cells[k] + "}"
			}
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	fmt.Fprintf(b, "\\%s\n\\end{tabular}", rules[2])
}

// sentence is the least length of text that is broken into lines in a paper.
const sentence = 30

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

// fit makes a table smaller that is wider than a page.
const fit = `\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}`
