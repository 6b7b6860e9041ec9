package plots

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
)

// A sheet is a file of tables: one content, written as Markdown, CSV and LaTeX.
type sheet struct {
	stem   string
	sweep  string // shipped, that produces its data; "" where any does
	title  string
	notes  []string // paragraphs
	tables []table
}

// sheets are those of a report. One without tables is left out where it is of a paper's
// experiment, which most databases do not hold.
func sheets(d *data, best []table) []sheet {
	list := []sheet{
		{"best-configuration", "", "Best configuration", bestNotes(d), best},
		{"summary", "", "Summary", summaryNotes(d), summaryTables(d)},
		{"claims", "", "Claims of the papers", claimNotes(d), claimTables(d)},
	}
	for _, s := range paperSheets(d) {
		if len(s.tables) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// write writes the three forms; without tables the first, which says so.
func (s *sheet) write(f *files) error {
	path := "tables/" + s.stem
	err := f.write(path+".md", markdownPage(s.title, s.notes, s.tables))
	if err != nil || len(s.tables) == 0 {
		return err
	}
	if err := f.write(path+".csv", s.csv()); err != nil {
		return err
	}
	return f.write(path+".tex", s.latex())
}

// csv gives all digits of numbers. Tables with the same columns are one, with the title
// of each as the first column; others follow after an empty line.
func (s *sheet) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b) // a bytes.Buffer takes everything
	var header []string
	for i := range s.tables {
		t := &s.tables[i]
		columns := []string{"table"}
		for _, c := range t.Columns {
			columns = append(columns, c.Name)
		}
		if strings.Join(columns, "\n") != strings.Join(header, "\n") {
			if w.Flush(); header != nil {
				b.WriteByte('\n')
			}
			header = columns
			w.Write(header)
		}
		for _, row := range t.Rows {
			line := []string{t.Title}
			for i, c := range row {
				if t.Columns[i].Right && !math.IsNaN(c.Key) && c.Text != missing {
					line = append(line, strconv.FormatFloat(c.Key, 'g', -1, 64))
				} else if c.Text == missing {
					line = append(line, "")
				} else {
					line = append(line, c.Text)
				}
			}
			w.Write(line)
		}
	}
	w.Flush()
	return b.Bytes()
}

// latex gives a table environment for each, to be read by \input into any document
// class: it takes no package.
func (s *sheet) latex() []byte {
	var b strings.Builder
	b.WriteString("% " + latexComment(s.title) + "\n")
	for _, n := range s.notes {
		b.WriteString("% " + latexComment(n) + "\n")
	}
	for i := range s.tables {
		s.tables[i].latex(&b, s.title)
	}
	return []byte(b.String())
}

func (t *table) latex(b *strings.Builder, title string) {
	align := make([]byte, len(t.Columns))
	for i, c := range t.Columns {
		align[i] = 'l'
		if c.Right {
			align[i] = 'r'
		}
	}
	b.WriteString("\n\\begin{table}\n\\centering\n\\caption{" + latexText(title+": "+t.Title) + "}\n\\begin{tabular}{" + string(align) + "}\n\\hline\n")
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteString(" & ")
		}
		b.WriteString(latexText(c.Name))
	}
	b.WriteString(" \\\\\n\\hline\n")
	for r, row := range t.Rows {
		for i, c := range row {
			if i > 0 {
				b.WriteString(" & ")
			}
			if text := latexText(c.Text); t.bold[spotAt{r, i}] {
				b.WriteString("\\textbf{" + text + "}")
			} else {
				b.WriteString(text)
			}
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\hline\n\\end{tabular}\n\\end{table}\n")
}

// latexText makes s stand for itself: what LaTeX gives a meaning is escaped, and what is
// not ASCII is written by commands that every engine knows, or else as a question mark.
func latexText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if known, ok := latexRunes[r]; ok {
			b.WriteString(known)
			continue
		}
		switch {
		case strings.ContainsRune("&%$#_{}", r):
			b.WriteString("\\" + string(r))
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
	'±': `$\pm$`, '×': `$\times$`, '−': `$-$`, '–': `--`, '—': `---`, '\u202f': `\,`, '\u00a0': `~`, '·': `$\cdot$`, '≥': `$\geq$`, '≤': `$\leq$`,
	'≈': `$\approx$`, 'µ': `$\mu$`, 'μ': `$\mu$`, '²': `$^2$`, '√': `$\surd$`, '∞': `$\infty$`, '…': `\ldots{}`, '’': `'`, '“': "``", '”': `''`, '°': `$^\circ$`,
	'ä': `\"a`, 'ö': `\"o`, 'ü': `\"u`, 'é': `\'e`, 'è': "\\`e", 'ß': `\ss{}`,
}

// latexComment keeps a text on its line.
func latexComment(s string) string { return strings.Join(strings.Fields(s), " ") }
