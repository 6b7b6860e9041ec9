package plots

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
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
	Papers         []htmlSheet
	PapersLacking  string // which tables of the papers have no data
	ClaimNotes     []string
	Claims         []htmlClaims
	RuleText       string
	Trees          []htmlPage // the rule as drawn trees
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
	Omitted                int // that were not made, because of their number
}

type htmlPage struct {
	Name, Title, Alt, Twins string
	SVG                     template.HTML // of what is seen at once
	Packed                  string        // of what is folded away: the SVG, see packed
	Tips                    string        // what the marks say, see packed
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
	Bold  bool
}

// detailBudget bounds the bytes that pages of single matrices add to the report; beyond
// it they are files only. A report should open at once.
const detailBudget = 3 << 20

// mostFailures are listed; a sweep that fails throughout has one reason, not a
// million.
const mostFailures = 2000

func writeHTML(w io.Writer, d *data, r *rule.Rule, pages []*page, undrawn []*Figure, best []table, warnings []error, opt Options) error {
	styles := &webStyles{}
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
	for _, p := range pages {
		if p.figure == ruleFigure {
			doc.Trees = append(doc.Trees, htmlPageOf(p, styles))
		}
	}
	pages = slices.DeleteFunc(slices.Clone(pages), func(p *page) bool { return p.figure == ruleFigure })
	doc.Figures, doc.Undrawn = htmlFigures(pages, styles), undrawnTable(undrawn).html("undrawn")
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
	doc.Papers, doc.PapersLacking = htmlSheets(paperSheets(d))
	doc.ClaimNotes, doc.Claims = claimNotes(d), claimSections(d)
	if r != nil {
		var b bytes.Buffer
		if err := r.WriteText(&b); err != nil {
			return err
		}
		doc.RuleText, doc.Validation = b.String(), validationTable(d, r).html("validation")
	}
	doc.Sources, doc.Origins = sources(d, pages), originTable(d).html("origins")
	doc.CSS += template.CSS(styles.rules.String())
	return reportTemplate.Execute(w, doc)
}

func htmlFigures(pages []*page, styles *webStyles) []htmlFigure {
	var list []htmlFigure
	budget := detailBudget
	for _, p := range pages {
		if n := len(list); n == 0 || list[n-1].ID != p.figure.ID {
			f := p.figure
			list = append(list, htmlFigure{ID: f.ID, Title: f.Title, See: f.See, Source: f.Source})
		}
		f := &list[len(list)-1]
		f.Omitted += p.omitted
		if p.Detail && budget <= 0 {
			f.Left++
			continue
		}
		h := htmlPageOf(p, styles)
		switch size := len(h.Packed) + len(h.Tips); {
		case !p.Detail:
			f.Pages = append(f.Pages, h)
		case size <= budget:
			budget -= size
			f.Details = append(f.Details, h)
		default:
			budget = 0 // all that follow, too: which ones are there is to be plain
			f.Left++
		}
	}
	return list
}

func htmlPageOf(p *page, styles *webStyles) htmlPage {
	svg, tips := p.web(styles)
	h := htmlPage{Name: p.Name, Title: p.Title, Alt: p.Alt, Twins: p.twins, Tips: packedTips(tips)}
	if p.Detail {
		h.Packed = packed(svg)
	} else {
		h.SVG = template.HTML(svg) // text in it was escaped when it was drawn
	}
	return h
}

// packedTips are those of a page, a line each: left, top, and what the mark says.
func packedTips(tips []tip) string {
	if len(tips) == 0 {
		return ""
	}
	var b strings.Builder
	for _, t := range tips {
		fmt.Fprintf(&b, "%d %d %s\n", t.x, t.y, strings.Map(oneLine, t.text))
	}
	return packed(b.String())
}

func oneLine(r rune) rune {
	if r = printable(r); r == '\n' {
		return ' '
	}
	return r
}

// packed is text that the page unpacks when it is needed: compressed, in base64.
func packed(text string) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that there is
	z.Write([]byte(text))                                 // to memory, which does not fail
	z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// An htmlSheet is a sheet as the page shows it.
type htmlSheet struct {
	Title  string
	Notes  []string
	Tables []htmlTable
}

// htmlSheets are those that have tables, and what produces the others.
func htmlSheets(list []sheet) (shown []htmlSheet, lacking string) {
	var others []string
	for _, s := range list {
		if len(s.tables) == 0 {
			others = append(others, s.title+": sweep "+s.sweep)
			continue
		}
		h := htmlSheet{Title: s.title, Notes: s.notes}
		for i, t := range s.tables {
			h.Tables = append(h.Tables, t.html(fmt.Sprintf("%s-%d", s.stem, i+1)))
		}
		shown = append(shown, h)
	}
	others = append(others, "Cache counters (coo-spmv-final, Table IV): no trial counts them, spmvtune matrix counters does")
	return shown, strings.Join(others, "; ")
}

// html gives t an id and every cell its sort key.
func (t table) html(id string) htmlTable {
	h := htmlTable{ID: id, Title: t.Title, Columns: t.Columns}
	for n, row := range t.Rows {
		cells := make([]htmlCell, len(row))
		for i, c := range row {
			cells[i] = htmlCell{Text: c.Text, Right: t.Columns[i].Right, Bold: t.bold[spotAt{n, i}]}
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
