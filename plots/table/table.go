// Package table makes the tables of a report and writes them as Markdown, CSV and LaTeX.
package table

import (
	"math"
	"strconv"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
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
