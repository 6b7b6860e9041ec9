package table

import (
	"strings"

	"spmvtune/plots/data"
)

// Sheets are the sheets of a report. Those of a paper's experiment are left out if they have
// no tables, because most databases do not hold them.
func Sheets(d *data.Report) []Sheet {
	list := []Sheet{
		{"best-configuration", "", "Best configuration", BestNotes(d), BestTables(d)},
		{"summary", "", "Summary", summaryNotes(d), SummaryTables(d)},
		{"claims", "", "Claims of the papers", ClaimNotes(d), claimTables(d)},
	}

	if d.Against != nil {
		changes, notes := AgainstTable(d.Against, d.Base)
		list = append(list, Sheet{"against", "", "Against " + d.Base, notes, []Table{changes}})
	}

	for _, s := range append([]Sheet{WinnerSheet(d), LibrarySheet(d), PreparationSheet(d)}, PaperSheets(d)...) {
		if len(s.Tables) > 0 {
			list = append(list, s)
		}
	}

	return list
}

// A Sheet is one file of tables, written as Markdown, CSV and LaTeX.
type Sheet struct {
	Stem   string
	Sweep  string // The shipped sweep that produces its data, "" if any does.
	Title  string
	Notes  []string // Paragraphs of notes.
	Tables []Table
}

// A form is a sheet in one format.
type form struct {
	Name    string
	Content []byte
}

// Forms returns the sheet as Markdown, CSV and LaTeX. Without tables it is Markdown alone,
// which says so.
func (s *Sheet) Forms() []form {
	list := []form{{s.Stem + ".md", markdownPage(s.Title, s.Notes, s.Tables)}}
	if len(s.Tables) > 0 {
		list = append(list, form{s.Stem + ".csv", s.csv()}, form{s.Stem + ".tex", s.latex()})
	}
	return list
}

// latex prints a table environment, to be read by \input into any document class. It needs no
// package.
func (s *Sheet) latex() []byte {
	var b strings.Builder
	b.WriteString("% " + latexComment(s.Title) + "\n")
	for _, n := range s.Notes {
		b.WriteString("% " + latexComment(n) + "\n")
	}
	for i := range s.Tables {
		s.Tables[i].latex(&b, s.Title)
	}
	return []byte(b.String())
}

func (t *Table) latex(b *strings.Builder, title string) {
	align := make([]byte, len(t.Columns))
	for i, c := range t.Columns {
		align[i] = 'l'
		if c.Right {
			align[i] = 'r'
		}
	}

	b.WriteString("\n\\begin{table}\n\\centering\n\\caption{" + LaTeX(title+": "+t.Title) +
		"}\n\\begin{tabular}{" + string(align) + "}\n\\hline\n")
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteString(" & ")
		}
		b.WriteString(LaTeX(c.Name))
	}

	b.WriteString(" \\\\\n\\hline\n")
	for r, row := range t.Rows {
		for i, c := range row {
			if i > 0 {
				b.WriteString(" & ")
			}
			if text := LaTeX(c.Text); t.IsBold(r, i) {
				b.WriteString("\\textbf{" + text + "}")
			} else {
				b.WriteString(text)
			}
		}
		b.WriteString(" \\\\\n")
	}

	b.WriteString("\\hline\n\\end{tabular}\n\\end{table}\n")
}

// latexComment keeps a text on one line.
func latexComment(s string) string { return strings.Join(strings.Fields(s), " ") }
