package table

import (
	"fmt"
	"strings"
)

// latex prints table environments, to be read by \input into any document class. It needs no
// package.
func (s *Sheet) latex() []byte {
	var b strings.Builder
	b.WriteString("% " + latexComment(s.Title) + "\n")
	for _, n := range s.Notes {
		b.WriteString("% " + latexComment(n) + "\n")
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		shown, align := make([]int, len(t.Columns)), make([]string, len(t.Columns))
		for i, c := range t.Columns {
			shown[i], align[i] = i, "l"
			if c.Right {
				align[i] = "r"
			}
		}
		b.WriteString("\n\\begin{table}\n\\centering\n\\caption{" + LaTeX(s.Title+": "+t.Title) + "}\n")
		t.tabular(&b, shown, strings.Join(align, ""), [3]string{"hline", "hline", "hline"})
		b.WriteString("\n\\end{table}\n")
	}
	return []byte(b.String())
}

// tabular prints some columns, with rules at the top, below the headings and at the end.
func (t *Table) tabular(b *strings.Builder, shown []int, align string, rules [3]string) {
	cells := make([]string, len(shown))
	for k, i := range shown {
		cells[k] = LaTeX(t.Columns[i].Name)
	}
	fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\%s\n%s \\\\\n\\%s\n", align, rules[0], strings.Join(cells, " & "), rules[1])
	for r, row := range t.Rows {
		for k, i := range shown {
			if cells[k] = LaTeX(row[i].Text); t.IsBold(r, i) {
				cells[k] = "\\textbf{" + cells[k] + "}"
			}
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	fmt.Fprintf(b, "\\%s\n\\end{tabular}", rules[2])
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
