// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/plots/figure"
)

type htmlFigure struct {
	ID, Title, See, Source string
	Pages                  []htmlPage
	Folded                 []htmlPage // Pictures of single matrices.
	Wide                   bool       // Several pictures are shown at once.
	Omitted                int        // The number of details beyond the limit, which were not made.
}

type htmlPage struct {
	tagged
	Name, Title, Subtitle, Alt string
	SVG                        template.HTML // The picture if it is not packed.
	Packed                     string        // The SVG of a picture that is not shown at once, see packed.
	Ratio                      template.CSS  // Width over height of a packed picture, which keeps its place.
	Tips                       string        // The texts of the marks, see book.
}

const (
	// mostInline is the size of a picture up to which it is shown at once. Larger ones, of hundreds
	// of matrices, are unpacked after the page is painted.
	mostInline = 100 << 10
)

// An album puts pictures on the page.
type album struct {
	report *analysis.Data
	styles *canvas.WebStyles
	book   book
}

func (a *album) figures(list []figure.Drawn) []htmlFigure {
	var all []htmlFigure
	for _, f := range list {
		h := htmlFigure{ID: f.ID, Title: f.Title, See: f.See, Source: f.Source,
			Omitted: f.Omitted}
		overviews := slices.DeleteFunc(slices.Clone(f.Pictures), func(p *canvas.Picture) bool { return p.Detail })
		tags := lists.Of(overviews, func(p *canvas.Picture) tagged { return tagsOf(p.About) })
		turnOn(a.report, tags)
		for i, p := range overviews {
			h.Pages = append(h.Pages, a.page(p, tags[i], !tags[i].On || inAppendix(f.Figure)))
		}
		for _, p := range f.Pictures {
			if p.Detail {
				h.Folded = append(h.Folded, a.page(p, tagged{On: true}, true))
			}
		}
		h.Wide = len(lists.Where(tags, func(t tagged) bool { return t.On })) > 1
		all = append(all, h)
	}
	return all
}

var viewBox = regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`)

// page puts a picture on the page, packed if it is not shown at first.
func (a *album) page(p *canvas.Picture, t tagged, folded bool) htmlPage {
	drawn := *p
	drawn.Title, drawn.Where, drawn.Subtitle = "", "", "" // which the page says
	svg, tips := drawn.Web(a.styles)
	h := htmlPage{tagged: t, Name: p.Name, Title: p.Heading(), Subtitle: p.Subtitle, Alt: p.Alt, Tips: a.book.tips(tips)}
	if folded || len(svg) > mostInline {
		h.Packed = packed(svg)
		if size := viewBox.FindStringSubmatch(svg); size != nil {
			h.Ratio = template.CSS(size[1] + "/" + size[2]) // digits
		}
	} else {
		h.SVG = template.HTML(svg) // text in it was escaped when it was drawn
	}
	return h
}

// A book has the texts of all marks of the page, each once: many figures show the same trials.
type book struct {
	numbers map[string]int
	texts   strings.Builder // A line each.
}

// number is the number of a text.
func (b *book) number(text string) int {
	n, known := b.numbers[text]
	if !known {
		if b.numbers == nil {
			b.numbers = map[string]int{}
		}
		n = len(b.numbers)
		b.numbers[text] = n
		b.texts.WriteString(strings.Map(oneLine, term.Visible(text)) + "\n")
	}
	return n
}

// tips packs the tips of a picture, a line each: left, top and the number of the text.
func (b *book) tips(tips []canvas.Tip) string {
	if len(tips) == 0 {
		return ""
	}
	var lines strings.Builder
	for _, t := range tips {
		fmt.Fprintf(&lines, "%d %d %d\n", t.X, t.Y, b.number(t.Text))
	}
	return packed(lines.String())
}

func oneLine(r rune) rune {
	if r = canvas.Printable(r); r == '\n' {
		return ' '
	}
	return r
}

// packed compresses text, in base64. The page unpacks it when it is needed.
func packed(text string) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that there is
	z.Write([]byte(text))                                 // to memory, which does not fail
	z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// A chapter is a section of the page with its figures, in the order of a reader's questions.
type chapter struct {
	ID, Title string
	Figures   []htmlFigure
}

// chapters says which figures belong where. Those that no chapter names are in the appendix.
var chapters = []struct {
	id, title string
	figures   []string
}{
	{"why", "Why", []string{"gflops-vs-row-length", "roofline", "cpu-bandwidth", "gpu-vs-cpu",
		"occupancy", "warp-efficiency", "load-efficiency"}},
	{"tune", "How to tune", []string{"configurations", "throughput-vs-block", "throughput-vs-grid", "block-grid-heatmap",
		"launch-bounds", "prefix-sum-variants", "chunk-and-unroll", "version-improvement"}},
	{"choose", "How to choose", []string{"selection-regret", "speedup-over-baseline", "average-improvement"}},
	{"trust", "Trust", []string{"run-to-run", "drift"}},
	{"preparation", "Preparation", []string{"break-even"}},
}

// sheetChapter is the chapter that a sheet of tables stands in.
var sheetChapter = map[string]string{"why": "why", "best-configuration": "tune", "library": "choose",
	"preparation": "preparation"}

// arrange sorts figures into the chapters and the appendix.
func (doc *document) arrange(figures []htmlFigure) {
	rest := slices.Clone(figures)
	take := func(ids []string) (list []htmlFigure) {
		for _, id := range ids {
			if i := slices.IndexFunc(rest, func(f htmlFigure) bool { return f.ID == id }); i >= 0 {
				list, rest = append(list, rest[i]), slices.Delete(rest, i, i+1)
			}
		}
		return list
	}

	stands := map[string]bool{"trust": true, "choose": len(doc.Validation.Rows) > 0}
	for _, s := range doc.Sheets {
		stands[sheetChapter[s.ID]] = true
	}
	for _, c := range chapters {
		list := take(c.figures)
		if stands[c.id] || len(list) > 0 {
			doc.Chapters = append(doc.Chapters, chapter{c.id, c.title, list})
		}
		doc.Listed = append(doc.Listed, list...)
	}
	doc.Extra = rest
	doc.Listed = append(doc.Listed, rest...)
}

// inAppendix reports whether a figure is folded away with the appendix.
func inAppendix(f *figure.Figure) bool {
	for _, c := range chapters {
		if slices.Contains(c.figures, f.ID) {
			return false
		}
	}
	return true
}
