package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/plots/figure"
	"spmvtune/plots/table"
)

// undrawnTable lists figures without data and what would produce it.
func undrawnTable(list []*figure.Figure) table.Table {
	t := table.Table{Title: "Figures without data",
		Columns: table.Columns("figure", "id", "produced by", "or, in a sweep of your own")}
	for _, f := range list {
		t.Rows = append(t.Rows, []table.Cell{table.Text(f.Title), table.Text(f.ID), table.Text("run " + f.Sweep),
			table.Text(f.Needs)})
	}
	return t
}

type htmlFigure struct {
	ID, Title, See, Source string
	Pages, Details         []htmlPage
	Left                   int // The number of details that are too large for the page.
	Omitted                int // The number of details beyond the limit, which were not made.
}

type htmlPage struct {
	tagged
	Name, Title, Alt, Twins string
	SVG                     template.HTML // The picture if it is not folded away.
	Packed                  string        // The SVG of a folded picture, see packed.
	Tips                    string        // The texts of the marks, see packed.
}

// detailBudget bounds the bytes that pictures of single matrices add to the page, which should
// open at once. Further pictures are files only.
const detailBudget = 3 << 20

func htmlFigures(d *data.Report, figures []figure.Drawn, styles *canvas.WebStyles) []htmlFigure {
	var list []htmlFigure
	budget := detailBudget
	for _, f := range figures {
		h := htmlFigure{ID: f.ID, Title: f.Title, See: f.See, Source: f.Source, Omitted: f.Omitted}
		overview := overviews(d, f)
		for i, p := range f.Pictures {
			if p.Detail && budget <= 0 {
				h.Left++
				continue
			}
			if !p.Detail {
				h.Pages = append(h.Pages, htmlPageOf(p, overview[i], !overview[i].On || inAppendix(f.Figure), styles))
				continue
			}
			page := htmlPageOf(p, tagged{On: true}, true, styles)
			switch size := len(page.Packed) + len(page.Tips); {
			case size <= budget:
				budget -= size
				h.Details = append(h.Details, page)
			default:
				budget = 0 // the details that follow are left out too, so that it is plain which ones are shown
				h.Left++
			}
		}
		list = append(list, h)
	}

	return list
}

// overviews returns what the pictures of a figure are about, and turns on those of them that are
// shown at first.
func overviews(d *data.Report, f figure.Drawn) []tagged {
	tags := make([]tagged, len(f.Pictures))
	var group []*tagged
	for i, p := range f.Pictures {
		if !p.Detail {
			tags[i] = pictureTags(d, f.ID, p)
			group = append(group, &tags[i])
		}
	}
	turnOn(d, group)
	return tags
}

// htmlPageOf puts a picture on the page, packed if it is not shown at first.
func htmlPageOf(p *canvas.Picture, t tagged, folded bool, styles *canvas.WebStyles) htmlPage {
	svg, tips := p.Web(styles)
	h := htmlPage{tagged: t, Name: p.Name, Title: p.Title, Alt: p.Alt, Twins: p.Note, Tips: packedTips(tips)}
	if folded {
		h.Packed = packed(svg)
	} else {
		h.SVG = template.HTML(svg) // text in it was escaped when it was drawn
	}
	return h
}

// packedTips packs the tips of a picture, a line each: left, top and text.
func packedTips(tips []canvas.Tip) string {
	if len(tips) == 0 {
		return ""
	}
	var b strings.Builder
	for _, t := range tips {
		fmt.Fprintf(&b, "%d %d %s\n", t.X, t.Y, strings.Map(oneLine, t.Text))
	}
	return packed(b.String())
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
