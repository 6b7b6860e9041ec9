// Package table makes the tables of a report and writes them as Markdown, CSV and LaTeX.
package table

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// A Table is printed as Markdown, CSV, LaTeX and HTML.
type Table struct {
	Title   string
	About   analysis.Setup // The setup that the table is about; the zero value stands for all.
	Columns []Column
	Rows    [][]Cell
	bold    map[spot]bool // The cells that are printed bold.
	// intervals are those of the cells that have one.
	intervals map[spot]interval
}

type spot struct{ row, column int }

// An interval is where another run finds a cell's number.
type interval struct{ low, high float64 }

// between gives a cell of the last row its interval, if it is one. The CSV file has it in columns
// of their own.
func (t *Table) between(column int, low, high float64) {
	if !(low > 0 && low < high) || math.IsInf(high, 0) {
		return
	}
	if t.intervals == nil {
		t.intervals = map[spot]interval{}
	}
	t.intervals[spot{len(t.Rows) - 1, column}] = interval{low, high}
}

// embolden prints a cell bold.
func (t *Table) embolden(row, column int) {
	if t.bold == nil {
		t.bold = map[spot]bool{}
	}
	t.bold[spot{row, column}] = true
}

// IsBold reports whether a cell is printed bold.
func (t *Table) IsBold(row, column int) bool { return t.bold[spot{row, column}] }

// A Column has a heading.
type Column struct {
	Name  string
	Right bool // The column is aligned to the right, as numbers are.
	Spare bool // A paper does without the column.
}

// Columns makes columns of these names. A ">" before a name aligns the column to the right, and
// a "?" before that makes it spare.
func Columns(names ...string) []Column {
	list := make([]Column, len(names))
	for i, name := range names {
		name, list[i].Spare = strings.CutPrefix(name, "?")
		list[i].Name, list[i].Right = strings.CutPrefix(name, ">")
	}
	return list
}

// A Cell is text and what the column is sorted by; a NaN key sorts by the text.
type Cell struct {
	Text string
	Key  float64
}

// Text is a cell that is sorted by its text.
func Text(s string) Cell { return Cell{s, math.NaN()} }

func integer(n int) Cell {
	if n == 0 {
		return Cell{term.Missing, 0}
	}
	return Cell{strconv.Itoa(n), float64(n)}
}

func count(n int) Cell { return Cell{term.Grouped(n), float64(n)} }

func isEmpty(s string) bool { return s == "" }

// timeCell, rateCell and ratioCell round to what the interval supports.
func timeCell(r *store.Row) Cell {
	ms := 1e3 * r.Time
	return Cell{term.Interval(ms, 1e3*r.Another.Low, 1e3*r.Another.High), ms}
}

func rateCell(r *store.Row, v float64) Cell { return Cell{term.Rounded(v, v*analysis.Relative(r)), v} }

func ratioCell(base, r *store.Row) Cell {
	if base == nil || r == nil {
		return Cell{term.Missing, math.NaN()}
	}
	v, low, high := analysis.Ratio(base, r)
	text := term.Rounded(v, max(v-low, high-v))
	if base.Config != r.Config && !analysis.Told(base, r) {
		text += tiedMark
	}
	return Cell{text, v}
}

// tiedMark stands after a ratio that may as well be 1.
const tiedMark = " (tied)"

// paperRate is the bandwidth in the COO papers' count of bytes.
func paperRate(r *store.Row) Cell { return rateCell(r, 24e-9*float64(r.NNZ)/r.Time) }

// Mark makes the fastest of a row's trials bold, and puts = before those that are tied with
// it. at gives the column of each trial; a nil trial has none.
func (t *Table) Mark(trials []*store.Row, at []int) {
	var best *store.Row
	for _, r := range trials {
		if r != nil && (best == nil || r.Time < best.Time) {
			best = r
		}
	}

	row := len(t.Rows) - 1
	for i, r := range trials {
		switch {
		case r == nil:
		case r == best:
			t.embolden(row, at[i])
		case !analysis.Tells(best, r):
			t.Rows[row][at[i]].Text = "= " + t.Rows[row][at[i]].Text
		}
	}
}

// sentences turns errors into sentences.
func sentences(list []error) []string {
	texts := make([]string, len(list))
	for i, err := range list {
		texts[i] = Sentence(err.Error())
	}
	return texts
}

// Sentence starts s with a capital and ends it with a full stop.
func Sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:] + "."
}

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
