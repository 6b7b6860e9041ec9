package table

import "spmvtune/analysis"

// Sheets are the sheets of a report. Those of a paper's experiment are left out if they have
// no tables, because most databases do not hold them.
func Sheets(d *analysis.Data) []Sheet {
	list := []Sheet{
		{"best-configuration", "", "Best configuration", BestNotes(d), BestTables(d)},
		{"summary", "", "Summary", summaryNotes(d), SummaryTables(d)},
		{"claims", "", "Claims of the papers", ClaimNotes(d), claimTables(d)},
	}

	if d.Against != nil {
		changes, notes := AgainstTable(d.Against, d.Base)
		list = append(list, Sheet{"against", "", "Against " + d.Base, notes, []Table{changes}})
	}

	for _, s := range append([]Sheet{WinnerSheet(d), WhySheet(d), LibrarySheet(d), PreparationSheet(d)}, PaperSheets(d)...) {
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
