package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/store"
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
	least    int                            // The fewest series with data that make a page.
	scenes   func(d *analysis.Data) []scene // The pages. If it is nil, each device and cache state has one.
	states   func(t *tally) string          // What is seen, for the title. If it is nil, the title is about the axes.
	// finish entitles a page and adds to it. It may be nil.
	finish   func(s *scene, t *tally, p *canvas.Picture, b *canvas.Bars)
	warnings func(d *analysis.Data) []error // The warnings. If it is nil, they name matrices without the baseline.
}

// A scene holds the trials of one picture.
type scene struct {
	words  string   // Where the trials were measured.
	file   []string // The same in names of files.
	device string
	panels []analysis.Panel

	data      *analysis.Data
	published *citations // Published results to draw, nil for none.
}

// stem makes the name of a picture's files.
func (s *scene) stem(figure string) string {
	return canvas.Slug(append([]string{figure}, s.file...)...)
}

// scenesByCondition makes a scene of each condition.
func scenesByCondition(d *analysis.Data) []scene {
	var list []scene
	for _, at := range d.Conditions() {
		s := scene{words: d.ConditionWords(at), file: []string{string(at.Cache)}, device: at.Device}
		s.panels = d.Under(at)
		if d.SeveralDevices() {
			s.file = []string{analysis.ShortDevice(at.Device), string(at.Cache)}
		}
		list = append(list, s)
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
			f.id, analysis.Enumerate(lacking))}
	}

	return pages, nil
}

// page draws the matrices of a tally.
func (f *barFigure) page(s *scene, t *tally) *canvas.Picture {
	q, matrices := f.quantity(s), t.matrices
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
	keys := t.legend(matrices)
	for i := range keys {
		dots := b.Dots || math.IsNaN(q.origin)
		keys[i].Dot, keys[i].Bar = dots, !dots
	}
	p := &canvas.Picture{
		Name:     s.stem(f.id),
		Subtitle: f.subtitle(s, t, b, &q),
		Alt:      fmt.Sprintf("%s on %s", q.label, strings.Join(matrices, ", ")),
		Keys:     keys,
		Height:   b.Height(),
		Body:     b.Draw,
	}
	f.entitle(p, s, t, "")
	if f.finish != nil {
		p.Title, p.Subtitle = "", f.subtitle(s, t, b, &q)
		f.finish(s, t, p, b)
	}
	return p
}

// entitle gives a page its title.
func (f *barFigure) entitle(p *canvas.Picture, s *scene, t *tally, also string) {
	statement := ""
	if f.states != nil {
		statement = f.states(t)
	}
	entitle(p, statement, f.title(s)+also+", "+s.words)
}

// nameDots makes marks without a bar small and grey, and names the kernel that has the number. In a
// column of a paper, which has little room, it names only those that the legend does not.
func nameDots(b *canvas.Bars) {
	for i := range b.Rows {
		for _, cell := range b.Rows[i].Cells {
			best := -1
			for k := range cell {
				m := &cell[k]
				if m.Slot < 0 {
					m.Look, m.Faint = canvas.Look{Color: canvas.LineColor}, true
				}
				if best < 0 || m.First || m.V > cell[best].V && !cell[best].First {
					best = k
				}
			}
			if best >= 0 && cell[best].Row != nil && (cell[best].Faint || !canvas.Narrow()) {
				cell[best].Words = cell[best].Row.Kernel
			}
			slices.SortStableFunc(cell, func(a, b canvas.Mark) int { return faintFirst(a) - faintFirst(b) })
		}
	}
}

func faintFirst(m canvas.Mark) int {
	if m.Faint {
		return 0
	}
	return 1
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
		_, look := t.series[e.series].key(e.row)
		list = append(list, canvas.Mark{Slot: slices.Index(t.shown, e.series), Look: look, V: v.Y, Low: v.Low,
			High: v.High, Row: e.row,
			First: e.row == fastest, Hollow: published.value(q, e)})
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

// drawn says what is drawn.
func (f *barFigure) drawn(s *scene, t *tally) string {
	return f.shows(t) + ": " + f.says(s)
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

// A series has one mark for each matrix: the fastest trial of a selection.
type series struct {
	id      string             // The name of a kernel or variant, as in legends.
	of      analysis.Selection //
	over    analysis.Selection // The fastest of these trials is the baseline; nil for none.
	variant *canvas.Look       // Its look. If it is nil, the fastest kernel gives look and name.
	always  bool               // The series is never omitted.
}

// key returns the name and the look of a trial of the series.
func (s *series) key(r *store.Row) (string, canvas.Look) {
	if s.variant == nil {
		return r.Kernel, canvas.LookOf(r.Kernel)
	}
	return s.id, *s.variant
}

// each makes a series of each kernel. All are compared with the same trials.
func each(names []string, over analysis.Selection) []series {
	list := make([]series, len(names))
	for i, name := range names {
		list[i] = series{id: name, of: analysis.OfKernels(name), over: over}
	}
	return list
}

// byParam makes a series of each value of a kernel's parameter, in shades of the kernel's
// colour.
func byParam(kernel, param string, over analysis.Selection) []series {
	k, _ := kernels.Lookup(kernel)
	i := slices.IndexFunc(k.Params, func(p kernels.Param) bool { return p.Name == param })
	p := k.Params[i]

	list := make([]series, len(p.Values))
	for j, v := range p.Values {
		look := canvas.Shade(kernel, j, len(p.Values))
		list[j] = series{id: kernel + " " + param + "=" + v, variant: &look,
			of: analysis.OfKernels(kernel).And(analysis.WithParam(p, v)), over: over}
	}

	return list
}

// A tally holds the trials of a scene by series.
type tally struct {
	series     []series
	shown      []int    // The indexes of the series that are drawn.
	found      int      // The number of series that have data.
	matrices   []string // The matrices by mean row length.
	rowMean    map[string]float64
	precisions []kernels.Precision
	cells      map[spot][]entry
	lacking    []string // The matrices without a baseline.
}

// A spot is a matrix in a column.
type spot struct {
	matrix    string
	precision kernels.Precision
}

// An entry is the trial of a series and the trial that it is compared with, if any.
type entry struct {
	series    int
	row, base *store.Row
}

func tabulate(d *analysis.Data, s *scene, list []series) *tally {
	t := &tally{series: list, rowMean: map[string]float64{}, cells: map[spot][]entry{}}
	var cases []map[string]float64
	for i := range s.panels {
		p := &s.panels[i]
		entries, lacks := entriesOf(p, list)
		if lacks && !slices.Contains(t.lacking, p.Matrix) {
			t.lacking = append(t.lacking, p.Matrix)
		}
		if len(entries) == 0 {
			continue
		}
		speeds := map[string]float64{}
		for _, e := range entries {
			speeds[list[e.series].id] = 1 / e.row.Time
		}
		cases = append(cases, speeds)
		t.cells[spot{p.Matrix, p.Precision}] = entries
		if !slices.Contains(t.precisions, p.Precision) {
			t.precisions = append(t.precisions, p.Precision)
		}
		if _, seen := t.rowMean[p.Matrix]; !seen {
			t.matrices = append(t.matrices, p.Matrix)
			r := entries[0].row
			t.rowMean[p.Matrix] = float64(r.NNZ) / float64(r.Rows)
		}
	}

	t.choose(cases)
	// Panels are sorted within a precision; a second one may bring more matrices.
	rank := map[string]int{}
	for i, m := range slices.Backward(d.Matrices) {
		rank[m.Name] = i
	}
	slices.SortStableFunc(t.matrices, func(a, b string) int { return rank[a] - rank[b] })
	return t
}

// entriesOf finds the series in a panel. lacks reports whether what they are compared with is
// missing.
func entriesOf(p *analysis.Panel, list []series) (entries []entry, lacks bool) {
	for j := range list {
		e := entry{series: j, row: p.FastestOf(list[j].of)}
		if e.row == nil {
			continue
		}
		if over := list[j].over; over != nil {
			if e.base = p.FastestOf(over); e.base == nil {
				lacks = true
				continue
			}
		}
		entries = append(entries, e)
	}

	return entries, lacks
}

// beats counts in how many cases, a matrix in one precision each, the first kernel of a pair is faster than the second,
// by more than repeats differ, of those where both were measured.
func (t *tally) beats(pairs ...[2]string) (wins, of int) {
	for _, entries := range t.cells {
		for _, pair := range pairs {
			a, b := t.rowOf(entries, pair[0]), t.rowOf(entries, pair[1])
			if a == nil || b == nil {
				continue
			}
			of++
			if a.Time < b.Time && analysis.Tells(a, b) {
				wins++
			}
		}
	}
	return wins, of
}

// rowOf returns the trial of a series among entries, nil if there is none.
func (t *tally) rowOf(entries []entry, id string) *store.Row {
	for _, e := range entries {
		if t.series[e.series].id == id {
			return e.row
		}
	}
	return nil
}

// choose fills shown: the series with data or, if there are too many, the leaders. A case
// holds the speeds of one panel, by series.
func (t *tally) choose(cases []map[string]float64) {
	room := mostBars
	for j := range t.series {
		s := &t.series[j]
		if !slices.ContainsFunc(cases, func(c map[string]float64) bool { return c[s.id] > 0 }) {
			continue
		}
		t.found++
		if s.always {
			t.shown = append(t.shown, j)
			room--
		}
	}

	for j := range t.series {
		if t.series[j].always {
			for _, c := range cases {
				delete(c, t.series[j].id)
			}
		}
	}

	names := analysis.Leaders(cases, max(room, 0))
	for j := range t.series {
		if slices.Contains(names, t.series[j].id) {
			t.shown = append(t.shown, j)
		}
	}

	slices.Sort(t.shown)
}

// legend lists what is drawn of some matrices: kernels in the order of the catalogue, then
// variants in the order of their series.
func (t *tally) legend(matrices []string) []canvas.Key {
	var plain, variants []string
	looks := map[string]canvas.Look{}
	for j := range t.series {
		for _, m := range matrices {
			for _, precision := range t.precisions {
				for _, e := range t.cells[spot{m, precision}] {
					if e.series != j || !slices.Contains(t.shown, j) {
						continue
					}
					name, look := t.series[j].key(e.row)
					if _, seen := looks[name]; seen {
						continue
					}
					looks[name] = look
					if t.series[j].variant != nil {
						variants = append(variants, name)
					} else {
						plain = append(plain, name)
					}
				}
			}
		}
	}

	analysis.SortKernels(plain)
	var keys []canvas.Key
	for _, name := range append(plain, variants...) {
		keys = append(keys, canvas.Key{Text: name, Look: looks[name]})
	}
	return keys
}

// Beyond these numbers kernels can't be told apart: marks of one matrix on a page
// of speed-ups, lines in a small panel and lines in a large one.
const (
	mostBars       = 10
	mostSmallLines = 10
	mostLargeLines = 16
	mostOverMany   = 8 // over so many matrices that they have running medians
)

// A quantity is what the lengths of bars show.
type quantity struct {
	label string // The label of the axis.
	note  string // A note for the subtitle.
	// of gives the value of a trial with the interval in which another run finds it. base is the trial that it
	// is compared with, nil if the quantity compares nothing.
	of     func(r, base *store.Row) canvas.Point
	scale  func(low, high float64) canvas.Scale
	origin float64                // Where bars start; NaN for no bars.
	number func(v float64) string // The text beside the highest.
	best   string                 // What the highest is; "" for "the fastest".
	dots   bool                   // Marks are dots on one line, and the number is that of the fastest.
	bytes  bool                   // It can be compared with the device's bandwidth.
}

// rate is a throughput, from zero.
func rate(u analysis.Unit) quantity {
	return quantity{
		label:  u.Label,
		note:   u.Note,
		of:     func(r, _ *store.Row) canvas.Point { return canvas.Throughput(r, 0, u.Of(r)) },
		scale:  func(_, high float64) canvas.Scale { return canvas.FromZero(high, 5) },
		number: func(v float64) string { return term.Significant(v, 3) },
		bytes:  u.Bytes,
	}
}

// logRate is a throughput over orders of magnitude, without a zero to start from.
func logRate(u analysis.Unit) quantity {
	q := rate(u)
	q.scale = func(low, high float64) canvas.Scale { return canvas.Logarithmic(low, high, term.Plain) }
	q.origin = math.NaN()
	return q
}

// timesAsFast is a speed-up over a baseline of this name.
func timesAsFast(baseline string) quantity {
	return quantity{
		label:  "times as fast as " + baseline,
		of:     gained,
		scale:  canvas.Ratios,
		origin: 1,
		number: func(v float64) string { return term.Significant(v, 2) + "×" },
	}
}

// percentFaster is a speed-up in percent of speed: half the time is +100%.
func percentFaster(baseline string) quantity {
	return quantity{
		label: "speed against " + baseline,
		of:    gained,
		scale: func(low, high float64) canvas.Scale {
			s := canvas.Ratios(low, high)
			return canvas.NewScale(s.Min, s.Max, s.Norm, changes, term.Change)
		},
		origin: 1,
		number: term.Change,
		best:   "the largest gain",
	}
}

// changes are ratios that are round percentages. Where there is no room for all labels, the
// first are kept.
var changes = []float64{1, 0.1, 11, 0.01, 101, 0.001, 1001, 0.5, 2, 0.2, 5, 0.75, 1.5, 0.9, 1.1, 1.25, 3}

func gained(r, base *store.Row) canvas.Point {
	gain := analysis.Ratio(base, r)
	return canvas.Point{Y: gain.Value, Low: gain.Low, High: gain.High}
}

// clouds draws more matrices than a page has rows for: a picture for each precision, with a dot for
// each matrix over its row length.
func (f *barFigure) clouds(s *scene, t *tally) []*canvas.Picture {
	q := f.quantity(s)
	var stops []stop
	for _, m := range t.matrices {
		if x := t.rowMean[m]; x > 0 {
			stops = append(stops, stop{m, x})
		}
	}
	var pages []*canvas.Picture
	for _, precision := range t.precisions {
		cl := cloud{stops: stops, sets: t.sets(&q, precision, s.published), label: q.label}
		if len(cl.sets) == 0 || len(stops) < fewestStops {
			continue
		}
		p := &canvas.Picture{
			Name: canvas.Slug(append([]string{f.id, string(precision)}, s.file...)...),
			Alt: fmt.Sprintf("%s on %s by %s", q.label, term.GroupedCount(len(stops), "matrix", "matrices"),
				rowLengthLabel),
			Kernels:  t.idsShown(),
			Keys:     []canvas.Key{},
			Subtitle: f.drawn(s, t),
		}
		cl.fill(p)
		p.Subtitle += q.note + s.published.Caption()
		f.entitle(p, s, t, ", "+string(precision))
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

// idsShown lists the series that are drawn.
func (t *tally) idsShown() []string {
	names := make([]string, len(t.shown))
	for i, j := range t.shown {
		names[i] = t.series[j].id
	}
	return names
}

// beside returns what was published for the kernel and matrix of a trial, at x.
func (c *citations) beside(u analysis.Unit, r *store.Row, x func(*analysis.Publication) (float64, bool)) []canvas.Point {
	if c == nil || !(r.GFLOPS > 0) {
		return nil
	}
	p := c.report.PublishedFor(r)
	if p == nil {
		return nil
	}
	at, known := x(p)
	if !known {
		return nil
	}
	c.add(p)
	v := u.Of(p.As(r))
	return []canvas.Point{{X: at, Y: v, Words: fmt.Sprintf("%s, %s, %s: %s %s, published in %s on %s", r.Kernel,
		r.Matrix, r.Precision, term.Significant(v, 3), u.Name, p.Paper, p.Device)}}
}

// citations collects what is drawn of the papers, for a caption. Nil draws nothing of them.
type citations struct {
	report *analysis.Data
	list   []string
}

// citationsOf returns the citations of a picture, nil if the report shows nothing of the
// papers.
func citationsOf(d *analysis.Data) *citations {
	if !d.Published {
		return nil
	}
	return &citations{report: d}
}

func (c *citations) add(p *analysis.Publication) {
	text := p.Paper + " on " + p.Device
	if p.Caveat != "" {
		text += " (" + p.Caveat + ")"
	}
	if !slices.Contains(c.list, text) {
		c.list = append(c.list, text)
	}
}

// value returns what was published of an entry's quantity, NaN if nothing was or if it is not
// comparable.
func (c *citations) value(q *quantity, e entry) float64 {
	if c == nil {
		return math.NaN()
	}
	p := c.report.PublishedFor(e.row)
	if p == nil || !(e.row.GFLOPS > 0) {
		return math.NaN()
	}
	row, base := p.As(e.row), e.base
	if base != nil {
		q := c.report.PublishedFor(base)
		if q == nil || q.Paper != p.Paper || q.Device != p.Device || !(base.GFLOPS > 0) {
			return math.NaN()
		}
		base = q.As(base)
	}

	c.add(p)
	return q.of(row, base).Y
}

// Caption names the citations, "" if there are none.
func (c *citations) Caption() string {
	if c == nil || len(c.list) == 0 {
		return ""
	}
	slices.Sort(c.list)
	return " Hollow: as published in " + strings.Join(c.list, "; ") + "."
}
