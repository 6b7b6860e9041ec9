package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
)

// mostOnPage is the number of rows that fit a page.
const mostOnPage = 60

// Booktabs prints the sheet for a paper: tables with rules of the package booktabs, at most as wide
// as a page, whose captions end with some facts. Columns that no row fills and those that are to
// spare are left out.
func (s *Sheet) Booktabs(facts string) []byte {
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs,graphicx}\n")
	for _, n := range s.Notes {
		b.WriteString("% " + latexComment(n) + "\n")
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		if len(t.Rows) > mostOnPage {
			fmt.Fprintf(&b, "\n%% %s has %d rows, too many for a page: the report's CSV has them\n", latexComment(t.Title),
				len(t.Rows))
			continue
		}
		fmt.Fprintf(&b, "\n\\begin{table*}\n\\centering\\caption{%s.\n%s}\n\\label{tab:%s}\n"+
			"\\footnotesize\\setlength{\\tabcolsep}{3pt}\n", LaTeX(s.Title+": "+t.Title), LaTeX(facts), canvas.Slug(s.Stem, t.Title))
		t.booktabs(&b)
		b.WriteString("\\end{table*}\n")
	}
	return []byte(b.String())
}

func (t *Table) booktabs(b *strings.Builder) {
	var shown []int
	align := "@{}"
	for i, c := range t.Columns {
		longest := t.longest(i)
		if c.Spare || longest == 0 {
			continue
		}
		shown = append(shown, i)
		switch {
		case c.Right:
			align += "r"
		case longest > sentence:
			align += fmt.Sprintf("p{%.1fcm}", min(5, 0.12*float64(longest)))
		default:
			align += "l"
		}
	}

	b.WriteString(fit + "{%\n")
	t.tabular(b, shown, align+"@{}", [3]string{"toprule", "midrule", "bottomrule"})
	b.WriteString("}\n")
}

// fit makes a table smaller that is wider than a page.
const fit = `\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}`

// sentence is the least length of text that is broken into lines.
const sentence = 30

// longest returns the length of the longest text of a column, 0 if no row has any.
func (t *Table) longest(column int) int {
	n := 0
	for _, row := range t.Rows {
		if text := row[column].Text; !slices.Contains([]string{"", term.Missing}, text) {
			n = max(n, utf8.RuneCountInString(text))
		}
	}
	return n
}
