// SPDX-License-Identifier: Apache-2.0

// Package page writes the report's HTML page, which holds its pictures, tables, style sheet
// and script: the one file can be moved anywhere.
package page

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"io"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/plots/figure"
	"example.org/spmvtune/plots/table"
	"example.org/spmvtune/store"
)

var (
	//go:embed report/*.html
	reportHTML embed.FS
	// Colours declares the colours of the page and of the pictures in it, light and dark.
	//go:embed report/colours.css
	Colours string
	//go:embed report/report.css
	reportCSS string
	//go:embed report/report.js
	reportJS string
)

var reportTemplate = template.Must(template.ParseFS(reportHTML, "report/*.html")).Lookup("report.html")

// A document is what the template of the report sees.
type document struct {
	Title, By   string
	CSS         template.CSS
	JS          template.JS
	Switches    []choice
	Headline    []htmlPart
	Winners     []winnerMap
	Facts       []fact
	Twins       string // A note on twins, "" if none was measured.
	Limits      string // The number of warnings in words.
	Warnings    []string
	Sheets      map[string]*htmlSheet // Those that have tables, by their stems.
	Papers      []*htmlSheet          // The papers' own tables that have data.
	Listed      []htmlFigure          // All figures.
	Extra       []htmlFigure          // Those in the appendix.
	Chapters    []chapter
	RuleText    string
	Validation  htmlTable
	Failures    htmlTable
	FailuresCut int // The number of failures beyond those listed.
	Measured    string
	Sweeps      []store.Sweep
	Sources     []kernels.Paper
	Origins     htmlTable // The origins of the kernels.
	Texts       string    // What marks say, see book.
	Explored    string    // All good trials, "" if there are none; see explored.
	LeftOut     string    // What Explored leaves out.
}

// A Content is what the page is written from.
type Content struct {
	Report         *analysis.Data
	Title, Version string
	Sheets         []table.Sheet
	Figures        []figure.Drawn // The figures that have pictures, in order.
	Warnings       []error
}

// Pictures returns all pictures of the page.
func (c *Content) Pictures() []*canvas.Picture {
	return slices.Concat(lists.Of(c.Figures, func(f figure.Drawn) []*canvas.Picture { return f.Pictures })...)
}

// Write writes the page. Signs that would turn the direction of its text are made visible.
func (c *Content) Write(w io.Writer) error {
	d, styles := c.Report, &canvas.WebStyles{}
	pictures := &album{report: d, styles: styles}
	doc := document{
		Title: cmp.Or(c.Title, "Sparse matrix-vector products"), By: c.By(),
		JS: template.JS(reportJS), Switches: switches(d),
		Headline: headlineOf(d), Winners: winnerMaps(d, styles, &pictures.book),
		Facts: facts(d), Twins: analysis.Twins(d.Matrices),
		Limits: term.Count(len(c.Warnings), "warning", "warnings"), Warnings: table.Sentences(c.Warnings),
		Measured: measured(d), Sweeps: described(d), Sources: sources(c), Origins: tableOf(table.OriginTable(d), "origins"),
	}
	failures, cut := table.FailureTable(d)
	doc.Failures, doc.FailuresCut = tableOf(failures, "failures"), cut
	doc.putSheets(d, c.Sheets)
	if d.Rule != nil {
		var b bytes.Buffer
		if err := d.Rule.WriteText(&b); err != nil {
			return err
		}
		doc.RuleText, doc.Validation = b.String(), tableOf(table.ValidationTable(d), "validation")
	}
	doc.arrange(pictures.figures(slices.DeleteFunc(slices.Clone(c.Figures), func(f figure.Drawn) bool { return f.Only != "" })))
	doc.CSS = template.CSS(Colours + reportCSS + styles.Rules.String())
	doc.Texts = packed(pictures.book.texts.String())
	if len(d.Panels) > 0 {
		doc.Explored, doc.LeftOut = explored(d)
	}
	return reportTemplate.Execute(term.Escaped(w), doc)
}

// sources lists the papers that the figures and the measured kernels cite by key.
func sources(c *Content) []kernels.Paper {
	var cites strings.Builder
	for _, f := range c.Figures {
		cites.WriteString(f.Source + "; ")
	}
	for _, name := range analysis.KernelsOf(c.Report.Panels) {
		k, _ := kernels.Lookup(name)
		cites.WriteString(k.Source + "; ")
	}

	return kernels.Cited(cites.String())
}
