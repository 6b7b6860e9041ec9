// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/plots/table"
)

// An htmlSheet is a sheet as the page shows it.
type htmlSheet struct {
	ID, Title string
	Notes     []string
	Tables    []htmlTable
	Details   []htmlTable // Tables that are folded away.
	Cut       int         // The number of their rows that are left out: the file of the sheet has them.
}

// mostFolded is the number of rows of a table that is folded away.
const mostFolded = 120

// sheetOf puts a sheet on the page.
func sheetOf(d *analysis.Data, s table.Sheet) *htmlSheet {
	h := &htmlSheet{ID: s.Stem, Title: s.Title, Notes: s.Notes}
	for i, of := range s.Tables {
		t := tableOf(of, fmt.Sprintf("%s-%d", s.Stem, i+1))
		if !t.Folded {
			h.Tables = append(h.Tables, t)
			continue
		}
		n := min(len(t.Rows), mostFolded)
		h.Cut += len(t.Rows) - n
		t.Rows = t.Rows[:n]
		h.Details = append(h.Details, t)
	}
	turnOn(d, h.Tables)
	turnOn(d, h.Details)
	return h
}

// An htmlTable adds to a table what the template needs to make it sortable.
type htmlTable struct {
	tagged
	ID string
	table.Table
}

// tableOf puts a table on the page, without the columns that are empty in all rows.
func tableOf(t table.Table, id string) htmlTable {
	kept := lists.Where(lists.Indices(len(t.Columns)), func(i int) bool {
		return slices.ContainsFunc(t.Rows, func(row []table.Cell) bool { return row[i].Text != "" })
	})
	t.Columns = lists.Of(kept, func(i int) table.Column { return t.Columns[i] })
	t.Rows = lists.Of(t.Rows, func(row []table.Cell) []table.Cell {
		return lists.Of(kept, func(i int) table.Cell { return row[i] })
	})
	return htmlTable{tagsOf(t.About), id, t}
}

// putSheets puts sheets on the page.
func (doc *document) putSheets(d *analysis.Data, list []table.Sheet) {
	doc.Sheets = map[string]*htmlSheet{}
	for _, s := range list {
		if s.Paper {
			doc.Papers = append(doc.Papers, sheetOf(d, s))
		} else {
			doc.Sheets[s.Stem] = sheetOf(d, s)
		}
	}
}
