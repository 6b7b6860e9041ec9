package plots

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"

	"spmvtune/rule"
	"spmvtune/store"
)

var (
	//go:embed report/report.html
	reportHTML string
	//go:embed report/report.css
	reportCSS string
	//go:embed report/report.js
	reportJS string
)

var reportTemplate = template.Must(template.New("report").Parse(reportHTML))

// A document is what the template of the report sees.
type document struct {
	Title, Version string
	CSS            template.CSS
	JS             template.JS
	Facts          []fact
	Twins          string // "" where none was measured
	Warnings       []string
	Against        htmlTable // what changed since another database; without a title where there is none
	AgainstNotes   []string
	TopGains       htmlTable
	Summary        []htmlTable
	Figures        []htmlFigure
	Undrawn        htmlTable // figures without data
	BestNotes      []string
	Best           []htmlTable
	ClaimNotes     []string
	Claims         []htmlClaims
	RuleText       string
	Validation     htmlTable
	Failures       htmlTable
	FailuresCut    int // failures beyond those listed
	Method         []string
	Sweeps         []store.Sweep
	Sources        []source
	Origins        htmlTable // of the kernels
}

// A fact is a figure of the summary, as "8 matrices".
type fact struct {
	Value, Name string
	Bad         bool
}

type htmlFigure struct {
	ID, Title, See, Source string
	Pages, Details         []htmlPage
	Left                   int // details not held by the report because of their size
}

type htmlPage struct {
	Name, Title, Alt, Twins string
	SVG                     template.HTML
}

// An htmlTable adds to a table what the template needs to make it sortable.
type htmlTable struct {
	ID, Title string
	Columns   []column
	Rows      [][]htmlCell
}

type htmlCell struct {
	Text  string
	Key   string // what the column is sorted by; "" for the text
	Right bool
}

// detailBudget bounds what pages of single matrices add to the report; beyond
// it they are files only. A report should open at once.
const detailBudget = 4 << 20

// mostFailures are listed; a sweep that fails throughout has one reason, not a
// million.
const mostFailures = 2000

func writeHTML(w io.Writer, d *data, r *rule.Rule, pages []*page, undrawn []*Figure, best []table, warnings []error, opt Options) error {
	doc := document{
		Title: opt.Title, Version: opt.Version,
		CSS: template.CSS(reportCSS), JS: template.JS(reportJS),
		Facts: facts(d), TopGains: gainTable(d).html("top"),
		Twins: Twins(d.matrices), BestNotes: bestNotes(d), Method: method(d), Sweeps: d.sweeps,
	}
	if doc.Title == "" {
		doc.Title = "Sparse matrix-vector products"
	}
	for _, w := range warnings {
		doc.Warnings = append(doc.Warnings, w.Error())
	}
	for i, t := range summaryTables(d) {
		doc.Summary = append(doc.Summary, t.html(fmt.Sprintf("summary-%d", i+1)))
	}
	doc.Figures, doc.Undrawn = htmlFigures(pages), undrawnTable(undrawn).html("undrawn")
	for i, t := range best {
		doc.Best = append(doc.Best, t.html(fmt.Sprintf("best-%d", i+1)))
	}
	failures, cut := failureTable(d)
	doc.Failures, doc.FailuresCut = failures.html("failures"), cut
	if opt.Against != nil {
		var changes table
		changes, doc.AgainstNotes = againstTable(opt.Against, opt.Base)
		doc.Against = changes.html("changes")
	}
	doc.ClaimNotes, doc.Claims = claimNotes(d), claimSections(d)
	if r != nil {
		var b bytes.Buffer
		if err := r.WriteText(&b); err != nil {
			return err
		}
		doc.RuleText, doc.Validation = b.String(), validationTable(d, r).html("validation")
	}
	doc.Sources, doc.Origins = sources(d, pages), originTable(d).html("origins")
	return reportTemplate.Execute(w, doc)
}

func htmlFigures(pages []*page) []htmlFigure {
	var list []htmlFigure
	budget := detailBudget
	for _, p := range pages {
		if n := len(list); n == 0 || list[n-1].ID != p.figure.ID {
			f := p.figure
			list = append(list, htmlFigure{ID: f.ID, Title: f.Title, See: f.See, Source: f.Source})
		}
		f := &list[len(list)-1]
		switch h := (htmlPage{p.Name, p.Title, p.Alt, p.twins, inline(p.svg)}); {
		case !p.Detail:
			f.Pages = append(f.Pages, h)
		case len(h.SVG) <= budget:
			budget -= len(h.SVG)
			f.Details = append(f.Details, h)
		default:
			f.Left++
		}
	}
	return list
}

// inline makes an SVG part of the page: it takes its width from there, and its
// colours from the style sheet, so that it follows the reader's light or dark
// mode. Text in it was escaped when it was drawn.
func inline(svg []byte) template.HTML {
	s := string(svg)
	if i := strings.Index(s, "<svg"); i >= 0 {
		s = s[i:]
	}
	if a, b := strings.Index(s, ` width="`), strings.Index(s, ` viewBox=`); a >= 0 && b > a {
		s = s[:a] + ` aria-hidden="true"` + s[b:]
	}
	return template.HTML(inliner.Replace(s))
}

var inliner = func() *strings.Replacer {
	pairs := []string{
		"font-family:" + fontFamilies + ";", "", "font-variant:normal;", "",
		"font-weight:normal;", "", "font-style:normal;", "",
	}
	hex := func(c [4]uint8) string { return fmt.Sprintf("#%02X%02X%02X", c[0], c[1], c[2]) }
	for name, c := range greys {
		pairs = append(pairs, hex([4]uint8{c.R, c.G, c.B}), "var(--"+name+")")
	}
	for i, c := range hues {
		pairs = append(pairs, hex([4]uint8{c.R, c.G, c.B}), "var(--k"+strconv.Itoa(i)+")")
	}
	return strings.NewReplacer(pairs...)
}()

// html gives t an id and every cell its sort key.
func (t table) html(id string) htmlTable {
	h := htmlTable{ID: id, Title: t.Title, Columns: t.Columns}
	for _, row := range t.Rows {
		cells := make([]htmlCell, len(row))
		for i, c := range row {
			cells[i] = htmlCell{Text: c.Text, Right: t.Columns[i].Right}
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
