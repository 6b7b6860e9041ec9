// SPDX-License-Identifier: Apache-2.0

// Package table makes the tables of a report and writes them as Markdown, CSV and LaTeX.
package table

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
)

// A Table is printed as Markdown, CSV, LaTeX and HTML.
type Table struct {
	Title   string
	About   analysis.Setup // The setup that the table is about; the zero value stands for all.
	Folded  bool           // The page folds it away.
	Spare   bool           // A paper does without it.
	Columns []Column
	Rows    [][]Cell
}

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
	// Low and High are the ends of the interval where another run finds the number, 0 where there is none. The
	// CSV file has them in columns of their own.
	Low, High float64
	Bold      bool
}

// Text is a cell that is sorted by its text.
func Text(s string) Cell { return keyed(s, math.NaN()) }

func keyed(text string, key float64) Cell { return Cell{Text: text, Key: key} }

// SortKey is what a cell of the page is sorted by, "" for its text. Of a column of numbers, what has none comes last.
func (c Cell) SortKey(right bool) string {
	switch {
	case !math.IsNaN(c.Key):
		return strconv.FormatFloat(c.Key, 'g', 9, 64)
	case right:
		return "nan"
	}
	return ""
}

// missing is a cell without a number.
var missing = Text(term.Missing)

// number is a cell with n significant digits.
func number(v float64, n int) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	return keyed(term.Significant(v, n), v)
}

// within gives a cell its interval, if it is one.
func (c Cell) within(low, high float64) Cell {
	if low > 0 && low < high && !math.IsInf(high, 0) {
		c.Low, c.High = low, high
	}
	return c
}

func integer(n int) Cell {
	if n == 0 {
		return keyed(term.Missing, 0)
	}
	return keyed(strconv.Itoa(n), float64(n))
}

// configuration is the kernel, its sizes and its parameters.
func configuration(r *store.Row) []Cell {
	return []Cell{Text(r.Kernel), integer(r.Block), integer(r.Grid), Text(r.Params.String())}
}

func count(n int) Cell { return keyed(term.Grouped(n), float64(n)) }

// notes are the paragraphs that are not empty, after one on twins.
func notes(d *analysis.Data, paragraphs ...string) []string {
	return slices.DeleteFunc(append([]string{analysis.Twins(d.Matrices)}, paragraphs...), func(s string) bool { return s == "" })
}

// perSetup makes a table of each setup, whose title follows the setup's. Tables without rows are left out.
func perSetup(d *analysis.Data, of func([]analysis.Panel) Table) (list []Table) {
	for _, s := range d.Setups() {
		if t := of(d.In(s)); len(t.Rows) > 0 {
			t.Title, t.About = d.Words(s)+t.Title, s
			list = append(list, t)
		}
	}
	return list
}

// perPanel makes a table of each setup, to which of adds what there is of each matrix.
func perPanel(d *analysis.Data, columns []Column, of func(t *Table, p *analysis.Panel)) []Table {
	return perSetup(d, func(panels []analysis.Panel) Table {
		t := Table{Columns: columns}
		for i := range panels {
			of(&t, &panels[i])
		}
		return t
	})
}

// timeCell, rateCell and ratioCell round to what the interval supports.
func timeCell(r *store.Row) Cell {
	ms := 1e3 * r.Time
	return keyed(term.Interval(ms, 1e3*r.Another.Low, 1e3*r.Another.High), ms)
}

func rateCell(r *store.Row, v float64) Cell { return keyed(term.Rounded(v, v*analysis.Relative(r)), v) }

func ratioCell(base, r *store.Row) Cell {
	if base == nil || r == nil {
		return missing
	}
	ratio := analysis.Ratio(base, r)
	text := term.RoundedIn(ratio.Value, ratio.Low, ratio.High)
	if base.Config != r.Config && !analysis.Tells(base, r) && !analysis.Tells(r, base) {
		text += tiedMark
	}
	return keyed(text, ratio.Value)
}

// tiedMark stands after a ratio that may as well be 1.
const tiedMark = " (tied)"

// paperRate is the bandwidth in the COO papers' count of bytes.
func paperRate(r *store.Row) Cell { return rateCell(r, 24e-9*float64(r.NNZ)/r.Time) }

// mark makes the cell of the fastest of some trials bold, and puts = before those that are tied with it.
func mark(trials []*store.Row, cell func(i int) *Cell) {
	best := slices.MinFunc(trials, func(a, b *store.Row) int { return cmp.Compare(a.Time, b.Time) })
	for i, r := range trials {
		switch c := cell(i); {
		case r == best:
			c.Bold = true
		case !analysis.Tells(best, r):
			c.Text = "= " + c.Text
		}
	}
}

// markLast marks trials of the last row, in these columns.
func (t *Table) markLast(trials []*store.Row, columns ...int) {
	row := t.Rows[len(t.Rows)-1]
	mark(trials, func(i int) *Cell { return &row[columns[i]] })
}

// Sentences turns errors into sentences.
func Sentences(list []error) []string {
	return lists.Of(list, func(err error) string { return sentence(err.Error()) })
}

// sentence starts s with a capital and ends it with a full stop.
func sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:] + "."
}

// Sheets are the sheets of a report that have tables.
func Sheets(d *analysis.Data) []Sheet {
	list := []Sheet{BestSheet(d), {Stem: "summary", Title: "Summary", Notes: notes(d, append(Sentences(d.Crowded()), Sentences(d.Missed())...)...), Tables: SummaryTables(d)},
		ClaimSheet(d), WhySheet(d), LibrarySheet(d), PreparationSheet(d)}
	if d.Against != nil {
		list = append(list, AgainstSheet(d.Against, d.Base))
	}
	return lists.Where(append(list, PaperSheets(d)...), func(s Sheet) bool { return len(s.Tables) > 0 })
}

// A Sheet is one file of tables, written as Markdown, CSV and LaTeX.
type Sheet struct {
	Stem   string
	Title  string
	Paper  bool     // It is a table of a paper.
	Notes  []string // Paragraphs of notes.
	Tables []Table
}
