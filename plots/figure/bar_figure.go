package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
)

// A barFigure describes a figure of bars: matrices from top to bottom by mean row length, a
// column for each precision, a mark for each series.
type barFigure struct {
	id       string
	title    func(s *scene) string // The title of a page, before the words of its scene.
	says     func(s *scene) string // What a bar is, after "Fastest configuration of each kernel".
	each     string                // A word in place of "kernel" there, "" to keep it.
	series   func(s *scene) []series
	quantity func(s *scene) quantity
	least    int                          // The fewest series with data that make a page.
	scenes   func(d *data.Report) []scene // The pages. If it is nil, each device and cache state has one.
	states   func(t *tally) string        // What is seen, for the title. If it is nil, who leads.
	warnings func(d *data.Report) []error // The warnings. If it is nil, they name matrices without the baseline.
}

// A scene holds the trials of one picture.
type scene struct {
	words  string   // Where the trials were measured.
	file   []string // The same in names of files.
	device string
	panels []data.Panel

	published *citations // Published results to draw, nil for none.
}

// scenesByCondition makes a scene of each condition.
func scenesByCondition(d *data.Report) []scene {
	var list []scene
	for _, at := range d.Conditions() {
		s := scene{words: d.ConditionWords(at), file: []string{string(at.Cache)}, device: at.Device}
		s.panels = d.Under(at)
		if d.SeveralDevices() {
			s.file = []string{data.ShortDevice(at.Device), string(at.Cache)}
		}
		list = append(list, s)
	}

	return list
}

// byCondition makes the draw function of a figure with a picture for each condition; page returns nil
// where there is nothing to show.
func byCondition(page func(*data.Report, *scene) *canvas.Picture) func(*data.Report) ([]*canvas.Picture, []error) {
	return func(d *data.Report) ([]*canvas.Picture, []error) {
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
func (f *barFigure) draw(d *data.Report) ([]*canvas.Picture, []error) {
	scenes := scenesByCondition(d)
	if f.scenes != nil {
		scenes = f.scenes(d)
	}
	var pages []*canvas.Picture

	var lacking []string
	for i := range scenes {
		s := &scenes[i]
		s.published = citationsOf(d)
		t := tabulate(d, s, f.series(s))
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
			f.id, data.Enumerate(lacking))}
	}

	return pages, nil
}

// page draws the matrices of a tally.
func (f *barFigure) page(s *scene, t *tally) *canvas.Picture {
	q, matrices := f.quantity(s), t.matrices
	b := &chart.Bars{Slots: len(t.shown), Label: q.label, Origin: q.origin, Number: q.number}
	b.Dots = b.Slots > chart.MostBars || b.Slots*len(matrices) > mostBarsOnPage.here()
	for _, precision := range t.precisions {
		b.Columns = append(b.Columns, string(precision))
	}

	for _, m := range matrices {
		r := chart.BarRow{Name: m, Note: number.Significant(t.rowMean[m], 3) + " per row"}
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
	if b.Roof > high && b.Roof <= chart.RoofWithin*high {
		high = b.Roof
	}
	b.Axis = q.scale(low, high)
	keys := t.legend(matrices)
	for i := range keys {
		dots := b.Dots || math.IsNaN(q.origin)
		keys[i].Dot, keys[i].Bar = dots, !dots
	}
	p := &canvas.Picture{
		Name:     canvas.Slug(append([]string{f.id}, s.file...)...),
		Subtitle: f.subtitle(s, t, b, &q),
		Alt:      fmt.Sprintf("%s on %s", q.label, strings.Join(matrices, ", ")),
		Keys:     keys,
		Height:   b.Height(),
		Body:     b.Draw,
	}
	f.entitle(p, s, t, "")
	return p
}

// entitle gives a page its title.
func (f *barFigure) entitle(p *canvas.Picture, s *scene, t *tally, also string) {
	states := (*tally).leads
	if f.states != nil {
		states = f.states
	}
	entitle(p, states(t), f.title(s)+also+", "+s.words)
}

// nameDots makes marks without a bar small and grey, and names the kernel that has the number. In a
// column of a paper, which has little room, it names only those that the legend does not.
func nameDots(b *chart.Bars) {
	for i := range b.Rows {
		for _, cell := range b.Rows[i].Cells {
			best := -1
			for k := range cell {
				m := &cell[k]
				if m.Slot < 0 {
					m.Look, m.Faint = canvas.Look{Color: canvas.LineColor}, true
				}
				if best < 0 || m.V > cell[best].V {
					best = k
				}
			}
			if best >= 0 && cell[best].Row != nil && (cell[best].Faint || !canvas.Narrow()) {
				cell[best].Words = cell[best].Row.Kernel
			}
			slices.SortStableFunc(cell, func(a, b chart.Mark) int { return faintFirst(a) - faintFirst(b) })
		}
	}
}

func faintFirst(m chart.Mark) int {
	if m.Faint {
		return 0
	}
	return 1
}

// marks returns the marks of one matrix in one precision. If published is not nil, they
// include what papers published.
func (t *tally) marks(q *quantity, at spot, published *citations) []chart.Mark {
	var list []chart.Mark
	for _, e := range t.cells[at] {
		v := q.of(e.row, e.base)
		if !(v.Y > 0) || math.IsInf(v.Y, 0) {
			continue
		}
		_, look := t.series[e.series].key(e.row)
		list = append(list, chart.Mark{Slot: slices.Index(t.shown, e.series), Look: look, V: v.Y, Low: v.Low,
			High: v.High, Row: e.row,
			Hollow: published.value(q, e)})
	}

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

// subtitle says what is drawn, how much of it, and what the marks mean.
func (f *barFigure) subtitle(s *scene, t *tally, b *chart.Bars, q *quantity) string {
	number := cmp.Or(q.best, "the fastest")
	if len(t.shown) < t.found {
		number += " of all"
	}
	text := f.shows(t) + ": " + f.says(s) + " Whiskers: " + chart.Interval + ". Number: " + number + "."
	if b.Clips() {
		text += " Arrows: beyond the axis."
	}
	if b.HasRoof() {
		text += " Grey dashes: measured memory bandwidth."
	}
	return text + " Matrices by rising mean row length." + q.note + s.published.Caption()
}
