package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spmvtune/analysis"
	"spmvtune/plots/table"
)

// An htmlSheet is a sheet as the page shows it.
type htmlSheet struct {
	Title   string
	Notes   []string
	Tables  []htmlTable
	Details []htmlTable // Tables that are folded away.
	Cut     int         // The number of rows that are left out.
}

// mostPrepared is the number of kernels on matrices that a table of the page lists.
const mostPrepared = 120

// preparation says when preparing pays off: by kernel and, folded away, by kernel and matrix. The
// file of the sheet has all rows.
func preparation(d *analysis.Data) htmlSheet {
	// A summary goes before each table.
	return summed(d, table.PreparationSheet(d), func(i int) bool { return i%2 == 1 })
}

// library says how the fastest compare with cuSPARSE: in the mean and, folded away, by matrix.
func library(d *analysis.Data) htmlSheet {
	return summed(d, table.LibrarySheet(d), func(i int) bool { return i > 0 })
}

// why says what the fastest kernels do otherwise than the next.
func why(d *analysis.Data) htmlSheet {
	return summed(d, table.WhySheet(d), func(int) bool { return false })
}

// summed folds the long tables of a sheet away.
func summed(d *analysis.Data, s table.Sheet, folded func(i int) bool) htmlSheet {
	h := htmlSheet{Title: s.Title, Notes: s.Notes}
	for i, t := range htmlTables(s.Tables, s.Stem) {
		if !folded(i) {
			h.Tables = append(h.Tables, t)
			continue
		}
		n := min(len(t.Rows), mostPrepared)
		h.Cut += len(t.Rows) - n
		t.Rows = t.Rows[:n]
		h.Details = append(h.Details, t)
	}
	h.Tables, h.Details = onlyChosen(d, h.Tables), onlyChosen(d, h.Details)
	return h
}

// onlyChosen shows the tables at first that are about what the switches choose.
func onlyChosen(d *analysis.Data, tables []htmlTable) []htmlTable {
	var group []*tagged
	for i := range tables {
		group = append(group, &tables[i].tagged)
	}
	turnOn(d, group)
	return tables
}

// htmlSheets returns the sheets that have tables, and says what produces the others.
func htmlSheets(list []table.Sheet) (shown []htmlSheet, lacking string) {
	var others []string
	for _, s := range list {
		if len(s.Tables) == 0 {
			others = append(others, s.Title+": sweep "+s.Sweep)
			continue
		}
		shown = append(shown, htmlSheet{Title: s.Title, Notes: s.Notes, Tables: htmlTables(s.Tables, s.Stem)})
	}
	return shown, strings.Join(others, "; ")
}

// htmlTables converts several tables and numbers their ids.
func htmlTables(tables []table.Table, id string) []htmlTable {
	var list []htmlTable
	for i, t := range tables {
		list = append(list, htmlTableOf(t, fmt.Sprintf("%s-%d", id, i+1)))
	}
	return list
}

// htmlTableOf gives a table an id and every cell its sort key.
func htmlTableOf(t table.Table, id string) htmlTable {
	h := htmlTable{tagged: tagsOf(t.About), ID: id, Title: t.Title, Columns: t.Columns}
	for n, row := range t.Rows {
		cells := make([]htmlCell, len(row))
		for i, c := range row {
			cells[i] = htmlCell{Text: c.Text, Right: t.Columns[i].Right, Bold: t.IsBold(n, i)}
			if !math.IsNaN(c.Key) {
				cells[i].Key = strconv.FormatFloat(c.Key, 'g', 9, 64)
			} else if cells[i].Right {
				cells[i].Key = "nan" // after all numbers
			}
		}
		h.Rows = append(h.Rows, cells)
	}

	return h
}
