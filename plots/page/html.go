// Package page writes the report's HTML page, which holds its pictures, tables, style sheet
// and script: the one file can be moved anywhere.
package page

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/plots/figure"
	"spmvtune/plots/table"
	"spmvtune/store"
)

var (
	//go:embed report/*.html
	reportHTML embed.FS
	//go:embed report/report.css
	reportCSS string
	//go:embed report/report.js
	reportJS string
)

var reportTemplate = template.Must(template.ParseFS(reportHTML, "report/*.html")).Lookup("report.html")

// A document is what the template of the report sees.
type document struct {
	Title, By     string
	CSS           template.CSS
	JS            template.JS
	Switches      []choice
	Headline      []htmlPart
	Winners       []winnerMap
	Facts         []fact
	Twins         string // A note on twins, "" if none was measured.
	Limits        string // The number of warnings in words.
	Warnings      []string
	Against       htmlTable // The changes against another database; no title if there is none.
	AgainstNotes  []string
	Summary       []htmlTable
	Listed        []htmlFigure // All figures.
	Answer, Extra []htmlFigure // Those beside the headline, and those in the appendix.
	Chapters      []chapter
	Undrawn       htmlTable // Figures without data.
	BestNotes     []string
	Best          []htmlTable
	Library       htmlSheet
	Preparation   htmlSheet
	Papers        []htmlSheet
	PapersLacking string // The tables of the papers that have no data.
	ClaimNotes    []string
	Claims        []htmlClaims
	RuleText      string
	Trees         []htmlPage // The rule as drawn trees.
	Validation    htmlTable
	Failures      htmlTable
	FailuresCut   int // The number of failures beyond those listed.
	Method        []string
	Sweeps        []store.Sweep
	Sources       []source
	Origins       htmlTable // The origins of the kernels.
	Texts         string    // What marks say, see book.
}

// An htmlTable adds to a table what the template needs to make it sortable.
type htmlTable struct {
	tagged
	ID, Title string
	Columns   []table.Column
	Rows      [][]htmlCell
}

type htmlCell struct {
	Text  string
	Key   string // What the column is sorted by; "" for the text.
	Right bool
	Bold  bool
}

// A Content is what the page is written from.
type Content struct {
	Report         *data.Report
	Title, Version string
	Figures        []figure.Drawn    // The figures that have pictures, in order.
	Undrawn        []*figure.Figure  // The figures that have no data.
	Trees          []*canvas.Picture // The rule as drawn trees.
	Warnings       []error
}

// Pictures returns all pictures of the page.
func (c *Content) Pictures() []*canvas.Picture {
	var list []*canvas.Picture
	for _, f := range c.Figures {
		list = append(list, f.Pictures...)
	}
	return append(list, c.Trees...)
}

// Write writes the page.
func (c *Content) Write(w io.Writer) error {
	d, styles := c.Report, &canvas.WebStyles{}
	pictures := &album{report: d, styles: styles, budget: detailBudget}
	doc := document{
		Title: cmp.Or(c.Title, "Sparse matrix-vector products"), By: byLine(c),
		CSS: template.CSS(reportCSS), JS: template.JS(reportJS), Switches: switches(d),
		Headline: headlineOf(d), Winners: winnerMaps(d, styles, &pictures.book), Facts: facts(d), Twins: data.Twins(d.Matrices),
		Summary:   htmlTables(table.SummaryTables(d), "summary"),
		BestNotes: table.BestNotes(d), Best: onlyChosen(d, htmlTables(table.BestTables(d), "best")),
		ClaimNotes: table.ClaimNotes(d), Claims: claimSections(d),
		Method: method(d), Sweeps: described(d), Sources: sources(c), Origins: htmlTableOf(table.OriginTable(d), "origins"),
	}

	for i := range doc.Best {
		doc.Best[i].Title = "Best configurations: " + doc.Best[i].Title
	}
	for _, w := range c.Warnings {
		doc.Warnings = append(doc.Warnings, table.Sentence(w.Error()))
	}
	doc.Limits = term.GroupedCount(len(doc.Warnings), "warning", "warnings")
	for _, p := range c.Trees {
		doc.Trees = append(doc.Trees, pictures.page(p, tagged{On: true}, true))
	}
	doc.arrange(pictures.figures(c.Figures))
	doc.Undrawn = htmlTableOf(undrawnTable(c.Undrawn), "undrawn")
	doc.CSS += template.CSS(styles.Rules.String())
	doc.Texts = packed(pictures.book.texts.String())

	failures, cut := table.FailureTable(d)
	doc.Failures, doc.FailuresCut = htmlTableOf(failures, "failures"), cut
	doc.Library, doc.Preparation = library(d), preparation(d)
	doc.Papers, doc.PapersLacking = htmlSheets(table.PaperSheets(d))
	if d.Against != nil {
		var changes table.Table
		changes, doc.AgainstNotes = table.AgainstTable(d.Against, d.Base)
		doc.Against = htmlTableOf(changes, "changes")
	}

	if d.Rule != nil {
		var b bytes.Buffer
		if err := d.Rule.WriteText(&b); err != nil {
			return err
		}
		doc.RuleText, doc.Validation = b.String(), htmlTableOf(table.ValidationTable(d), "validation")
	}

	return reportTemplate.Execute(w, doc)
}

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
func preparation(d *data.Report) htmlSheet {
	// A summary goes before each table.
	return summed(d, table.PreparationSheet(d), func(i int) bool { return i%2 == 1 })
}

// library says how the fastest compare with cuSPARSE: in the mean and, folded away, by matrix.
func library(d *data.Report) htmlSheet {
	return summed(d, table.LibrarySheet(d), func(i int) bool { return i > 0 })
}

// summed folds the long tables of a sheet away.
func summed(d *data.Report, s table.Sheet, folded func(i int) bool) htmlSheet {
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
func onlyChosen(d *data.Report, tables []htmlTable) []htmlTable {
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

	others = append(others, "Cache counters (coo-spmv-final, Table IV): no trial counts them, spmvtune matrix "+
		"counters does")
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

// described returns the sweeps with their protocols in words.
func described(d *data.Report) []store.Sweep {
	list := slices.Clone(d.Sweeps)
	for i := range list {
		list[i].ProtocolText = d.ProtocolWords(&list[i])
	}
	return list
}
