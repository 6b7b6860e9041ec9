package page

import (
	"fmt"
	"strings"

	"spmvtune/analysis"
	"spmvtune/analysis/claims"
	"spmvtune/internal/base/term"
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

func htmlTableOf(t table.Table, id string) htmlTable { return htmlTable{tagsOf(t.About), id, t} }

// htmlClaims are the claims on one device.
type htmlClaims struct {
	ID, Title, Count string
	Judged           []htmlClaim // Those with a verdict.
}

type htmlClaim struct {
	Number                       int
	Verdict, Class, Text, Source string
	Parts                        []htmlFinding
}

type htmlFinding struct {
	Verdict, Class, Says, Found, Rule, Published string
	Caveats                                      []string
	Cases                                        htmlTable
	Cut                                          int // The number of cases that are left out.
}

// mostCases is the number of cases of a statement that the page lists.
const mostCases = 60

func claimSections(d *analysis.Data) []htmlClaims {
	var list []htmlClaims
	for n, judged := range d.ClaimsByDevice() {
		h := htmlClaims{ID: fmt.Sprintf("claims-%d", n+1), Title: d.DeviceWords(judged[0].Device)}
		count := map[claims.Verdict]int{}
		for i := range judged {
			j := &judged[i]
			if count[j.Verdict]++; j.Verdict == claims.Unknown {
				continue // the terminal says what it lacks
			}
			c := htmlClaim{Number: j.Number, Verdict: string(j.Verdict), Class: badge(j.Verdict), Text: j.Text,
				Source: j.Paper + ", " + j.Section}
			for k := range j.Parts {
				if f := &j.Parts[k]; len(f.Cases) > 0 {
					c.Parts = append(c.Parts, findingSection(fmt.Sprintf("%s-%d-%d", h.ID, j.Number, k+1), f))
				}
			}
			h.Judged = append(h.Judged, c)
		}
		h.Count = fmt.Sprintf("Of %d claims: holds %d, does not hold %d, not enough data %d.",
			len(judged), count[claims.Holds], count[claims.Fails], count[claims.Unknown])
		list = append(list, h)
	}

	return list
}

// badge is the class of a verdict in the style sheet.
func badge(v claims.Verdict) string {
	switch v {
	case claims.Holds:
		return "holds"
	case claims.Fails:
		return "fails"
	}
	return "open"
}

func findingSection(id string, f *claims.Finding) htmlFinding {
	h := htmlFinding{Verdict: string(f.Verdict), Class: badge(f.Verdict), Says: table.Sentence(f.Says),
		Found: f.Words(), Rule: f.Rule,
		Published: f.PublishedWords(), Caveats: f.Caveats()}
	t := table.Table{Title: "Cases", Columns: table.Columns(
		"matrix", "precision", "cache", "of", ">figure", ">published", "stands",
	)}
	for i := range f.Cases {
		if i == mostCases {
			h.Cut = len(f.Cases) - mostCases
			break
		}
		c := &f.Cases[i]
		known := table.Text(term.Missing)
		if c.Published != nil {
			known = table.Cell{Text: term.Significant(*c.Published, 3), Key: *c.Published}
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(c.Name()), table.Text(c.Precision), table.Text(c.Cache),
			table.Text(c.Note),
			{Text: claims.Figure(c.Value, c.Low, c.High), Key: c.Value}, known, table.Text(c.Position.Words())})
	}

	h.Cases = htmlTableOf(t, id)
	return h
}
