// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
)

// A barFigure describes a figure of bars: matrices from top to bottom by mean row length, a
// column for each precision, a mark for each series.
type barFigure struct {
	id       string
	title    string // The title of a page, before the words of its scene; "" for that of the registry.
	series   []series
	quantity quantity
	least    int                            // The fewest series with data that make a page.
	fit      func(f *barFigure, s *scene)   // Fits the above to a scene. It may be nil.
	scenes   func(d *analysis.Data) []scene // The pages. If it is nil, each device and cache state has one.
	// finish adds to a page. It may be nil.
	finish   func(s *scene, t *tally, p *canvas.Picture, b *canvas.Bars)
	warnings func(d *analysis.Data) []error // The warnings. If it is nil, they name matrices without the baseline.
}

// A scene holds the trials of one picture.
type scene struct {
	words  string         // Where the trials were measured.
	about  analysis.Setup // The same in names of files.
	panels []analysis.Panel

	data      *analysis.Data
	published *citations // Published results to draw, nil for none.
}

// scenesByCondition makes a scene of each condition.
func scenesByCondition(d *analysis.Data) []scene {
	return lists.Of(d.Conditions(), func(at analysis.Condition) scene {
		return scene{words: d.ConditionWords(at), about: analysis.Setup{Condition: at}, panels: d.Under(at), data: d}
	})
}

// draw makes the pictures of the figure.
func (f *barFigure) draw(d *analysis.Data) ([]*canvas.Picture, []error) {
	scenes := scenesByCondition(d)
	if f.scenes != nil {
		scenes = f.scenes(d)
	}
	var pages []*canvas.Picture

	var lacking []string
	for i := range scenes {
		s := &scenes[i]
		s.data, s.published = d, citationsOf(d)
		f := *f
		words := wordsOf(f.id)
		f.title = cmp.Or(f.title, words.Heading, words.Title)
		if f.fit != nil {
			f.fit(&f, s)
		}
		t := tabulate(d, s, f.series)
		if t.found < max(1, f.least) {
			continue
		}
		lacking = append(lacking, t.lacking...)
		if len(t.matrices) > mostMatrices.here() {
			pages = append(pages, f.clouds(s, t)...)
		} else {
			pages = append(pages, f.page(s, t))
		}
	}

	if f.warnings != nil {
		return pages, f.warnings(d)
	}
	if len(lacking) > 0 {
		return pages, []error{fmt.Errorf("figure %s lacks %s: the baseline has no verified trial there",
			f.id, analysis.Enumerate(lists.Distinct(lacking, func(m string) string { return m })))}
	}

	return pages, nil
}

// page draws the matrices of a tally.
func (f *barFigure) page(s *scene, t *tally) *canvas.Picture {
	q, matrices := f.quantity, t.matrices
	b := &canvas.Bars{Slots: len(t.shown), Label: q.label, Origin: q.origin, Number: q.number}
	b.Dots = q.dots || len(t.shown) < t.found || b.Slots > canvas.MostBars || b.Slots*len(matrices) > mostBarsOnPage.here()
	b.Roof.Low, b.Roof.High = s.data.RoofOf(s.about.Device, analysis.Unit{Bytes: q.bytes})
	b.Columns = columnsOf(t.precisions)
	note := func(m string) string { return term.Significant(t.rowMean[m], 3) + " per row" }
	b.Rows = canvas.NewRows(matrices, note, len(b.Columns), func(m string, column int) []canvas.Mark {
		return t.marks(&q, spot{m, t.precisions[column]}, s.published)
	})

	if mean := t.meanRow(); mean != nil {
		b.Rows = append(b.Rows, *mean)
	}
	if b.Dots {
		nameDots(b)
	}
	low, high := b.Reach()
	if b.Origin > 0 { // ratios, which may be far out
		low, high = b.Usual()
	}
	if b.Roof.High > high && b.Roof.High <= canvas.RoofWithin*high {
		high = b.Roof.High
	}
	b.Axis = q.scale(low, high)
	keys := lists.Of(t.shown, func(j int) canvas.Key { return canvas.Key{Text: t.series[j].id, Look: t.series[j].look} })
	for i := range keys {
		dots := b.Dots || math.IsNaN(q.origin)
		keys[i].Dot, keys[i].Bar = dots, !dots
	}
	p := f.picture(s, q.label+" on "+strings.Join(matrices, ", "), b)
	p.Keys, p.Subtitle = keys, p.Subtitle+inGrey(t.found-len(t.shown))
	if f.finish != nil {
		f.finish(s, t, p, b)
	}
	return p
}

// picture is one of the figure, with what was published.
func (f *barFigure) picture(s *scene, alt string, of body) *canvas.Picture {
	p := pictureOf(s.data, f.id, s.about, alt, of)
	p.Title, p.Where, p.Subtitle = f.title, s.words, p.Subtitle+f.quantity.note+s.published.Caption()
	return p
}

// nameDots names the kernels that have the numbers. In a column of a paper, which has little room, it names only those
// that the legend does not.
func nameDots(b *canvas.Bars) {
	for cell := range b.Cells {
		best := canvas.Numbered(cell)
		if best.Row != nil {
			best.Name = best.Row.Kernel
		}
		if best.Faint() || !canvas.Narrow() {
			best.Words = best.Name
		}
	}
}

// meanRow has the geometric means of the shown series that are compared, over all matrices; nil where there are none.
func (t *tally) meanRow() *canvas.BarRow {
	row := canvas.BarRow{Name: meanOfAll, Cells: make([][]canvas.Mark, len(t.precisions))}
	means := 0
	for column, precision := range t.precisions {
		for slot, j := range t.shown {
			m := canvas.Mark{Slot: slot, Hollow: math.NaN()}
			var gains []stat.Ratio
			for _, matrix := range t.matrices {
				for _, e := range t.cells[spot{matrix, precision}] {
					if e.series == j && e.base != nil {
						m.Name, m.Look = t.series[j].id, t.series[j].look
						gains = append(gains, analysis.Ratio(e.base, e.row))
					}
				}
			}
			if len(gains) == len(t.matrices) && len(gains) > 1 {
				mean := stat.MeanRatio(gains)
				m.V, m.Low, m.High = mean.Value, mean.Low, mean.High
				row.Cells[column] = append(row.Cells[column], m)
				means++
			}
		}
	}
	if means == 0 {
		return nil
	}
	return &row
}

// marks returns the marks of one matrix in one precision. If published is not nil, they
// include what papers published.
func (t *tally) marks(q *quantity, at spot, published *citations) []canvas.Mark {
	var list []canvas.Mark
	var fastest *store.Row
	for _, e := range t.cells[at] {
		if q.dots && (fastest == nil || e.row.Time < fastest.Time) {
			fastest = e.row
		}
	}
	for _, e := range t.cells[at] {
		v := q.of(e.row, e.base)
		if !(v.Y > 0) || math.IsInf(v.Y, 0) {
			continue
		}
		m := canvas.Mark{Slot: slices.Index(t.shown, e.series), Look: canvas.Look{Color: canvas.LineColor}, V: v.Y,
			Low: v.Low, High: v.High, Row: e.row, First: e.row == fastest, Hollow: published.value(q, e)}
		if !m.Faint() {
			m.Look = t.series[e.series].look
		}
		list = append(list, m)
	}
	// Those without a series of their own are drawn first.
	slices.SortStableFunc(list, func(a, b canvas.Mark) int { return cmp.Compare(min(a.Slot, 0), min(b.Slot, 0)) })
	return list
}

// clouds draws more matrices than a page has rows for: a picture for each precision, with a dot for
// each matrix over its row length.
func (f *barFigure) clouds(s *scene, t *tally) []*canvas.Picture {
	var stops []stop
	for _, m := range t.matrices {
		if x := t.rowMean[m]; x > 0 {
			stops = append(stops, stop{m, x})
		}
	}
	var pages []*canvas.Picture
	for _, precision := range t.precisions {
		cl := cloud{over: byRowLength, stops: stops, sets: t.sets(&f.quantity, precision, s.published), label: f.quantity.label}
		if len(cl.sets) == 0 || len(stops) < fewestStops {
			continue
		}
		p := f.picture(s, fmt.Sprintf("%s on %s by %s", cl.label, term.Matrices(len(stops)),
			rowLengthLabel), cl.panels())
		p.About.Precision, p.Keys, p.Subtitle = precision, cl.keys(), wordsOf(overRowLength.id).Says+s.published.Caption()
		p.Name, p.Title = fileStem(s.data, f.id, p.About), p.Title+", "+string(precision)
		pages = append(pages, p)
	}
	return pages
}

// sets returns the shown series in one precision over the row length of matrices.
func (t *tally) sets(q *quantity, precision kernels.Precision, published *citations) []canvas.Line {
	var sets []canvas.Line
	for _, j := range t.shown {
		l := canvas.Line{Kernel: t.series[j].id, Look: t.series[j].look}
		for _, m := range t.matrices {
			for _, e := range t.cells[spot{m, precision}] {
				v := q.of(e.row, e.base)
				if x := t.rowMean[m]; e.series == j && x > 0 && v.Y > 0 {
					v.X, v.Row = x, e.row
					l.Points = append(l.Points, v)
					if h := published.value(q, e); h > 0 {
						l.Published = append(l.Published, canvas.Point{X: x, Y: h, Words: e.row.Kernel + " as published"})
					}
				}
			}
		}
		if len(l.Points) > 0 {
			sets = append(sets, l)
		}
	}
	return sets
}
