package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/store"
)

// A barFigure describes a figure of bars: matrices from top to bottom by mean row length, a
// column for each precision, a mark for each series.
type barFigure struct {
	id       string
	title    string // The title of a page, before the words of its scene; "" for that of the registry.
	says     string // What a bar is, after "Fastest configuration of each kernel"; "" for what the registry says.
	each     string // A word in place of "kernel" there, "" to keep it.
	series   []series
	quantity quantity
	least    int                            // The fewest series with data that make a page.
	fit      func(f *barFigure, s *scene)   // Fits the above to a scene. It may be nil.
	scenes   func(d *analysis.Data) []scene // The pages. If it is nil, each device and cache state has one.
	// finish entitles a page and adds to it. It may be nil.
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
	var list []scene
	for _, at := range d.Conditions() {
		list = append(list, scene{words: d.ConditionWords(at), about: analysis.Setup{Condition: at}, panels: d.Under(at), data: d})
	}

	return list
}

// byCondition makes the draw function of a figure with a picture for each condition; page returns nil
// where there is nothing to show.
func byCondition(page func(*analysis.Data, *scene) *canvas.Picture) func(*analysis.Data) ([]*canvas.Picture, []error) {
	return func(d *analysis.Data) ([]*canvas.Picture, []error) {
		var pages []*canvas.Picture
		for _, s := range scenesByCondition(d) {
			if p := page(d, &s); p != nil {
				pages = append(pages, p)
			}
		}
		return pages, nil
	}
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
		f.title, f.says = cmp.Or(f.title, words.Heading, words.Title), cmp.Or(f.says, words.Says)
		if f.fit != nil {
			f.fit(&f, s)
		}
		t := tabulate(d, s, f.series)
		if t.found < max(1, f.least) {
			continue
		}
		for _, m := range t.lacking {
			if !slices.Contains(lacking, m) {
				lacking = append(lacking, m)
			}
		}
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
			f.id, analysis.Enumerate(lacking))}
	}

	return pages, nil
}

// page draws the matrices of a tally.
func (f *barFigure) page(s *scene, t *tally) *canvas.Picture {
	q, matrices := f.quantity, t.matrices
	b := &canvas.Bars{Slots: len(t.shown), Label: q.label, Origin: q.origin, Number: q.number}
	b.Dots = q.dots || b.Slots > canvas.MostBars || b.Slots*len(matrices) > mostBarsOnPage.here()
	for _, precision := range t.precisions {
		b.Columns = append(b.Columns, string(precision))
	}

	for _, m := range matrices {
		r := canvas.BarRow{Name: m, Note: term.Significant(t.rowMean[m], 3) + " per row"}
		for _, precision := range t.precisions {
			at := spot{m, precision}
			r.Cells = append(r.Cells, t.marks(&q, at, s.published))
			for _, e := range t.cells[at] {
				if q.bytes && e.row.RoofFraction > 0 {
					b.Roof = e.row.GBPS / e.row.RoofFraction
				}
			}
		}
		b.Rows = append(b.Rows, r)
	}

	if b.Dots {
		nameDots(b)
	}
	low, high := b.Reach()
	if b.Origin > 0 { // ratios, which may be far out
		low, high = b.Usual()
	}
	if b.Roof > high && b.Roof <= canvas.RoofWithin*high {
		high = b.Roof
	}
	b.Axis = q.scale(low, high)
	keys := t.legend()
	for i := range keys {
		dots := b.Dots || math.IsNaN(q.origin)
		keys[i].Dot, keys[i].Bar = dots, !dots
	}
	p := pictureOf(s.data, f.id, s.about, q.label+" on "+strings.Join(matrices, ", "), b)
	p.Title, p.Subtitle, p.Keys = f.title+", "+s.words, f.subtitle(s, t, b, &q), keys
	if f.finish != nil {
		f.finish(s, t, p, b)
	}
	return p
}

// nameDots names the kernels that have the numbers. In a column of a paper, which has little room, it names only those
// that the legend does not.
func nameDots(b *canvas.Bars) {
	for cell := range b.Cells {
		if best := canvas.Numbered(cell); best.Row != nil && (best.Faint() || !canvas.Narrow()) {
			best.Words = best.Row.Kernel
		}
	}
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
			_, m.Look = t.series[e.series].key(e.row)
		}
		list = append(list, m)
	}
	// Those without a series of their own are drawn first.
	slices.SortStableFunc(list, func(a, b canvas.Mark) int { return cmp.Compare(min(a.Slot, 0), min(b.Slot, 0)) })
	return list
}

// shows says which kernels are drawn.
func (f *barFigure) shows(t *tally) string {
	if n := len(t.shown); n < t.found {
		return fmt.Sprintf("In colour the %d of %d kernels that are most often the fastest (table Kernels lists all), "+
			"each in its fastest configuration", n, t.found)
	}
	return "Fastest configuration of each " + cmp.Or(f.each, "kernel")
}

// drawn says what is drawn.
func (f *barFigure) drawn(s *scene, t *tally) string {
	return f.shows(t) + ": " + f.says
}

// subtitle says what is drawn, how much of it, and what the marks mean.
func (f *barFigure) subtitle(s *scene, t *tally, b *canvas.Bars, q *quantity) string {
	number := cmp.Or(q.best, "the fastest")
	if len(t.shown) < t.found {
		number += " of all"
	}
	text := f.drawn(s, t) + " Whiskers: " + canvas.Interval + ". Number: " + number + "."
	if b.Clips() {
		text += " Arrows: beyond the axis."
	}
	if b.HasRoof() {
		text += " Grey dashes: measured memory bandwidth."
	}
	return text + " Matrices by rising mean row length." + q.note + s.published.Caption()
}

// clouds draws more matrices than a page has rows for: a picture for each precision, with a dot for
// each matrix over its row length.
func (f *barFigure) clouds(s *scene, t *tally) []*canvas.Picture {
	q := f.quantity
	var stops []stop
	for _, m := range t.matrices {
		if x := t.rowMean[m]; x > 0 {
			stops = append(stops, stop{m, x})
		}
	}
	var pages []*canvas.Picture
	for _, precision := range t.precisions {
		cl := cloud{over: byRowLength, stops: stops, sets: t.sets(&q, precision, s.published), label: q.label}
		if len(cl.sets) == 0 || len(stops) < fewestStops {
			continue
		}
		about := analysis.Setup{Condition: s.about.Condition, Precision: precision}
		p := &canvas.Picture{Name: fileStem(s.data, f.id, about), About: about, Subtitle: f.drawn(s, t),
			Alt: fmt.Sprintf("%s on %s by %s", q.label, term.GroupedCount(len(stops), "matrix", "matrices"), rowLengthLabel)}
		cl.fill(p)
		p.Subtitle += q.note + s.published.Caption()
		p.Title = f.title + ", " + string(precision) + ", " + s.words
		pages = append(pages, p)
	}
	return pages
}

// sets returns the shown series in one precision over the row length of matrices.
func (t *tally) sets(q *quantity, precision kernels.Precision, published *citations) []set {
	var sets []set
	for _, j := range t.shown {
		l := canvas.Line{Kernel: t.series[j].id}
		for _, m := range t.matrices {
			for _, e := range t.cells[spot{m, precision}] {
				v := q.of(e.row, e.base)
				if x := t.rowMean[m]; e.series == j && x > 0 && v.Y > 0 {
					v.X, v.Row = x, e.row
					_, l.Look = t.series[j].key(e.row)
					l.Points = append(l.Points, v)
					if h := published.value(q, e); h > 0 {
						l.Published = append(l.Published, canvas.Point{X: x, Y: h, Words: e.row.Kernel + " as published"})
					}
				}
			}
		}
		if len(l.Points) > 0 {
			sets = append(sets, setOf(l))
		}
	}
	return sets
}
