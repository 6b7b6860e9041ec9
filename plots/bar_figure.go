package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A barFigure says what a figure of bars shows: matrices from top to bottom by mean
// row length, a column for each precision, a mark for each series. The pages follow
// from it.
type barFigure struct {
	id       string
	title    func(s *scene) string // of a page, before the words of its scene
	says     func(s *scene) string // what a bar is, after "Fastest configuration of each kernel"
	each     string                // what that says instead of "kernel"; "" for that
	series   func(s *scene) []series
	quantity func(s *scene) quantity
	least    int                   // series with data: a page with fewer compares nothing
	scenes   func(d *data) []scene // the pages; nil: one for each device and cache state
	warnings func(d *data) []error // nil: matrices without what is compared with
}

// A scene is the trials that a page is made of.
type scene struct {
	words  string   // where they were measured
	file   []string // the same, in names of files
	device string
	panels []panel

	published *citations // what of the papers is drawn; nil: nothing is to be
}

// scenesByPlace makes a scene of each device and cache state.
func (d *data) scenesByPlace() []scene {
	var list []scene
	for _, place := range d.places() {
		s := scene{words: d.place(place[0], place[1]), file: []string{place[1]}, device: place[0]}
		if d.severalDevices() {
			s.file = []string{shortDevice(place[0]), place[1]}
		}
		for _, p := range d.panels {
			if p.Device == place[0] && p.Cache == place[1] {
				s.panels = append(s.panels, p)
			}
		}
		list = append(list, s)
	}
	return list
}

// places lists devices with cache states, in order.
func (d *data) places() [][2]string {
	var list [][2]string
	for _, s := range d.setups() {
		if p := [2]string{s.Device, s.Cache}; !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// mostMatrices are on one page of bars.
const mostMatrices = 40

// draw makes the pages of the figure.
func (f *barFigure) draw(d *data) ([]*page, []error) {
	scenes := d.scenesByPlace()
	if f.scenes != nil {
		scenes = f.scenes(d)
	}
	var pages []*page
	var lacking []string
	for i := range scenes {
		s := &scenes[i]
		s.published = d.citations()
		t := tabulate(d, s, f.series(s))
		if t.found < max(1, f.least) {
			continue
		}
		for _, m := range t.lacking {
			if !slices.Contains(lacking, m) {
				lacking = append(lacking, m)
			}
		}
		n := 0
		for matrices := range slices.Chunk(t.matrices, mostMatrices) {
			n++
			p := f.page(s, t, matrices)
			if len(t.matrices) > mostMatrices {
				p.Name += fmt.Sprintf("-%d", n)
				p.Title += fmt.Sprintf(" (%d of %d)", n, (len(t.matrices)+mostMatrices-1)/mostMatrices)
			}
			pages = append(pages, p)
		}
	}
	if f.warnings != nil {
		return pages, f.warnings(d)
	}
	if len(lacking) > 0 {
		return pages, []error{fmt.Errorf("figure %s is without %s: what it compares with has no good trial there", f.id, enumerate(lacking))}
	}
	return pages, nil
}

// page draws some matrices of a tally.
func (f *barFigure) page(s *scene, t *tally, matrices []string) *page {
	q := f.quantity(s)
	b := &bars{slots: len(t.shown), label: q.label, origin: q.origin, number: q.number}
	for _, precision := range t.precisions {
		b.columns = append(b.columns, string(precision))
	}
	for _, m := range matrices {
		r := barRow{name: m, note: significant(t.rowMean[m], 3) + " per row"}
		for _, precision := range t.precisions {
			at := spot{m, precision}
			r.cells = append(r.cells, t.marks(&q, at, s.published))
			for _, e := range t.cells[at] {
				if q.bytes && e.row.RoofFraction > 0 {
					b.roof = e.row.GBPS / e.row.RoofFraction
				}
			}
		}
		b.rows = append(b.rows, r)
	}
	low, high := b.reach()
	if b.roof > high && b.roof <= roofWithin*high {
		high = b.roof
	}
	b.axis = q.scale(low, high)
	return &page{
		Name:     slug(append([]string{f.id}, s.file...)...),
		Title:    f.title(s) + ": " + s.words,
		Subtitle: f.subtitle(s, t, b, &q),
		Alt:      fmt.Sprintf("%s on %s", q.label, strings.Join(matrices, ", ")),
		keys:     t.legend(matrices),
		height:   b.height(),
		body:     b.draw,
	}
}

// marks are those of one matrix in one precision, with what papers published where
// published is not nil.
func (t *tally) marks(q *quantity, at spot, published *citations) []mark {
	var list []mark
	for _, e := range t.cells[at] {
		v := q.of(e.row, e.base)
		if !(v.Y > 0) || math.IsInf(v.Y, 0) {
			continue
		}
		_, look := t.series[e.series].key(e.row)
		list = append(list, mark{slot: slices.Index(t.shown, e.series), look: look, v: v.Y, low: v.Low, high: v.High, row: e.row,
			hollow: published.value(q, e)})
	}
	return list
}

// subtitle says what is drawn, how much of it, and what the marks mean.
func (f *barFigure) subtitle(s *scene, t *tally, b *bars, q *quantity) string {
	shown, number := "Fastest configuration of each "+cmp.Or(f.each, "kernel"), cmp.Or(q.best, "the fastest")
	if n := len(t.shown); n < t.found {
		shown = fmt.Sprintf("The %d of %d kernels that are the fastest most often (all of them: table Kernels), each in its fastest configuration", n, t.found)
		number += " of all"
	}
	text := shown + ": " + f.says(s) + " Whiskers: 95% interval. Number: " + number + "."
	if b.hasRoof() {
		text += " Grey dashes: measured memory bandwidth."
	}
	return text + " Matrices by rising mean row length." + q.note + s.published.caption()
}

// enumerate names some of a list, and says how many more there are.
func enumerate(names []string) string {
	const named = 6
	text := strings.Join(names[:min(named, len(names))], ", ")
	if rest := len(names) - named; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
