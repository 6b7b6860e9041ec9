package canvas

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/kernels"

	"spmvtune/analysis"
	"spmvtune/store"
)

// A Chart is one panel of a picture: lines with bands under a heading.
type Chart struct {
	Heading string
	Note    string // A note in grey after the heading.
	Lines   []Line
	Faint   []Line // Lines without a name, in thin grey behind the others.
	X       Scale
	// Roof is the bandwidth in GB/s. It is drawn if it is near the data; 0 means none.
	Roof float64
	// Top is the end of the y axis; 0 means that it follows from the lines.
	Top float64
	// Markers is the most markers on a curve.
	Markers int
	// Labelled writes the names of kernels at the ends of their lines.
	Labelled bool
	// Steps is about how many steps the y axis has; 0 means 4.
	Steps int
}

// Peak returns the highest value drawn, with the part of the intervals that the axis shows.
func (ch *Chart) Peak() float64 {
	var top, whiskers float64
	for _, lines := range [][]Line{ch.Lines, ch.Faint} {
		for _, l := range lines {
			for _, p := range l.Points {
				top, whiskers = max(top, p.Y), max(whiskers, p.High)
			}
			for _, h := range l.Published {
				top = max(top, h.Y)
			}
		}
	}

	return Top(top, whiskers)
}

// RoofWithin is the largest multiple of the data at which the roof is still drawn. A higher
// roof would press the lines together.
const RoofWithin = 1.6

// ShowsRoof reports whether the roof is drawn.
func (ch *Chart) ShowsRoof() bool {
	return ch.Roof > 0 && ch.Roof <= RoofWithin*max(ch.Peak(), ch.Top)
}

func (ch *Chart) plot() *plot.Plot {
	p := NewPlot()
	top := max(ch.Peak(), ch.Top)
	roof := ch.ShowsRoof()
	if roof {
		top = max(top, ch.Roof)
	}
	ch.X.Apply(&p.X)
	FromZero(top, cmp.Or(ch.Steps, 4)).Apply(&p.Y)
	p.Add(ThinGrid())
	if ch.Heading != "" {
		p.Add(Heading{ch.Heading, ch.Note})
	}
	if roof {
		p.Add(roofLine(ch.Roof))
	}

	for _, l := range ch.Faint {
		p.Add(faintLine{l})
	}
	var slot int
	for _, l := range ch.Lines {
		if l.Flat() { // below the curves
			p.Add(flatLine{l, slot})
			slot++
		} else {
			p.Add(band{l})
		}
	}

	for _, l := range ch.Lines {
		if !l.Flat() {
			p.Add(curve{l, ch.Markers})
		}
	}
	if ch.Labelled {
		p.Add(ch.ends(slot))
	}

	return p
}

// ends are the names of the lines, beyond the slots of those without a choice.
func (ch *Chart) ends(slots int) endLabels {
	e := endLabels{beside: slotWidth * vg.Length(slots)}
	for _, l := range ch.Lines {
		last := slices.MaxFunc(l.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		e.list = append(e.list, lineEnd{l.Kernel, l.Look, last, l.Flat()})
	}
	return e
}

// ThinGrid returns horizontal lines at the labelled ticks.
func ThinGrid() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal = draw.LineStyle{Color: GridColor, Width: 0.7}
	return grid
}

// A Heading names a panel above its data.
type Heading struct{ Text, Note string }

const HeadingHeight = vg.Length(18)

func (h Heading) Plot(c draw.Canvas, _ *plot.Plot) {
	style := At(Typeface(LabelSize, true, InkColor), text.XLeft, text.YBottom)
	soft := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YBottom)
	width, gap := c.Max.X-c.Min.X, vg.Length(5)
	if style.Width(h.Text) > width { // a name is rather small than cut
		style = At(Typeface(TickSize, false, InkColor), text.XLeft, text.YBottom)
	}
	name, y := Fit(style, h.Text, width), c.Max.Y+5
	c.FillText(style, vg.Point{X: c.Min.X, Y: y}, name)
	// The name comes first: a note that it leaves no room for can do without.
	if after := style.Width(name) + gap; after+soft.Width(h.Note) <= width {
		c.FillText(soft, vg.Point{X: c.Min.X + after, Y: y}, h.Note)
	}
}

func (Heading) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: HeadingHeight}}}}
}

// A roofLine is the measured bandwidth of the device, in GB/s.
type roofLine float64

func (r roofLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	y := ty(float64(r))
	c.StrokeLine2(draw.LineStyle{Color: LineColor, Width: 1, Dashes: []vg.Length{4, 3}}, c.Min.X, y, c.Max.X, y)
}

// A faintLine is a kernel that is there for comparison only.
type faintLine struct{ Line }

func (l faintLine) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: LineColor, Width: 0.5}
	if l.Flat() {
		style.Dashes = []vg.Length{1.5, 2} // or it would pass for a grid line
		y := ty(l.Points[0].Y)
		c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
		return
	}

	pts := make([]vg.Point, len(l.Points))
	for i, q := range l.Points {
		pts[i] = vg.Point{X: tx(q.X), Y: ty(q.Y)}
	}
	c.StrokeLines(style, pts)
}

// A band is the confidence band of a line.
type band struct{ Line }

func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	fill := Fade(b.Look.Color)
	pts := b.Points
	if !slices.ContainsFunc(pts, func(q Point) bool { return q.Low < q.High }) {
		return // nothing is unsure, as of a share of matrices
	}
	if len(pts) == 1 {
		whisker(c, p, tx(pts[0].X), pts[0], 1, b.Look.Color)
		return
	}

	outline := make([]vg.Point, 0, 2*len(pts))
	for _, q := range pts {
		outline = append(outline, vg.Point{X: tx(q.X), Y: ty(min(q.High, p.Y.Max))})
	}
	for i := len(pts) - 1; i >= 0; i-- {
		outline = append(outline, vg.Point{X: tx(pts[i].X), Y: ty(max(pts[i].Low, p.Y.Min))})
	}
	c.FillPolygon(fill, outline)
}

// A flatLine is a kernel that has no choice along the dimension. It crosses the panel and ends
// in a slot of its own beside the data, with its marker and interval.
type flatLine struct {
	Line
	slot int
}

const slotWidth = vg.Length(9)

func (l flatLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	look := l.Look
	q := l.Points[0]
	x, y := c.Max.X+slotWidth*(vg.Length(l.slot)+0.6), ty(q.Y)
	c.StrokeLine2(draw.LineStyle{Color: look.Color, Width: 1.1, Dashes: []vg.Length{2, 2}}, c.Min.X, y, x, y)
	whisker(c, p, x, q, 1.1, look.Color)
	look.Mark(c, vg.Point{X: x, Y: y}, 3)
	if q.Row != nil {
		Hover(c, vg.Point{X: x, Y: y}, func() string { return analysis.About(q.Row) })
	}

	for _, h := range l.Published {
		h.Draw(c, look, vg.Point{X: x, Y: ty(h.Y)})
	}
}

func (l flatLine) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: slotWidth * vg.Length(l.slot+1)}}}}
}

// A curve is a line with its markers: at every point if there are few, otherwise at some
// points. These differ from kernel to kernel, so that close lines can be told apart.
type curve struct {
	Line
	markers int
}

func (l curve) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	look := l.Look

	pts := make([]vg.Point, len(l.Points))
	for i, q := range l.Points {
		pts[i] = vg.Point{X: tx(q.X), Y: ty(q.Y)}
	}
	c.StrokeLines(look.Line(1.6), pts)
	every, first := 1, 0
	if len(pts) > l.markers {
		every = (len(pts) + l.markers - 1) / l.markers
		first = look.Phase * every / 3 % every
	}

	for i := first; i < len(pts); i += every {
		look.Mark(c, pts[i], 3)
		if row := l.Points[i].Row; row != nil {
			Hover(c, pts[i], func() string { return analysis.About(row) })
		}
	}

	for _, h := range l.Published {
		h.Draw(c, look, vg.Point{X: tx(h.X), Y: ty(h.Y)})
	}
}

// Draw marks a published value with the outline of the line's marker.
func (h Hollow) Draw(c draw.Canvas, l Look, p vg.Point) {
	l.Marker.Outline(c, p, 3.4, l.Color)
	Hover(c, p, func() string { return h.Words })
}

// A Hollow is a published value, drawn as a mark beside a line.
type Hollow struct {
	X, Y  float64
	Words string
}

// ColumnsFor returns how many of n panels stand side by side.
func ColumnsFor(n int) int {
	switch {
	case Narrow():
		return max(min(n, 2), 1)
	case n <= 2:
		return max(n, 1)
	case n <= 4:
		return 2
	case n <= 9:
		return 3
	}
	return 4
}

// PanelHeight returns the height of panels that keeps them near the golden ratio.
func PanelHeight(columns int) vg.Length {
	if Narrow() {
		return map[int]vg.Length{1: 200, 2: 112}[min(columns, 2)]
	}
	return map[int]vg.Length{1: 300, 2: 220, 3: 165}[min(columns, 3)] - vg.Length(max(0, columns-3))*20
}

// DrawCharts lays out charts as DrawPlots does.
func DrawCharts(c draw.Canvas, charts []Chart, columns int, xLabel, yLabel string) {
	list := make([]*plot.Plot, len(charts))
	for i := range charts {
		list[i] = charts[i].plot()
	}
	DrawPlots(c, list, columns, xLabel, yLabel)
}

// labelsApart leaves out labels of the axes that would touch others.
func labelsApart(p *plot.Plot, data draw.Canvas) *plot.Plot {
	tx, ty := p.Transforms(&data)
	copied := *p
	if p.X.Tick.Label.Rotation == 0 {
		thin(&copied.X, func(ticks []plot.Tick) []plot.Tick { return Spaced(ticks, tx, p.X.Tick.Label) })
	}
	thin(&copied.Y, func(ticks []plot.Tick) []plot.Tick {
		return spacedBy(ticks, ty, func(plot.Tick) vg.Length { return TickSize })
	})
	return &copied
}

// thin takes the labels from the ticks that are not kept.
func thin(a *plot.Axis, keep func([]plot.Tick) []plot.Tick) {
	ticks, ok := a.Tick.Marker.(plot.ConstantTicks)
	if !ok {
		return
	}
	kept := keep(slices.DeleteFunc(slices.Clone(ticks), func(t plot.Tick) bool { return t.Label == "" }))
	thinned := slices.Clone(ticks)
	for i := range thinned {
		if !slices.ContainsFunc(kept, func(t plot.Tick) bool { return t.Value == thinned[i].Value }) {
			thinned[i].Label = ""
		}
	}
	a.Tick.Marker = thinned
}

// DrawPlots lays out plots in columns with aligned data areas, and labels the axes once for
// all of them.
func DrawPlots(c draw.Canvas, list []*plot.Plot, columns int, xLabel, yLabel string) {
	side, bottom, above := vg.Length(20), vg.Length(20), vg.Length(0)
	if Narrow() { // the label of y stands above
		side, above = 0, 17
	}
	page := c
	c = draw.Crop(c, side, 0, bottom, -above)

	rows := (len(list) + columns - 1) / columns
	plots := make([][]*plot.Plot, rows)
	for j := range plots {
		plots[j] = make([]*plot.Plot, columns)
		for i := range plots[j] {
			if k := j*columns + i; k < len(list) {
				plots[j][i] = list[k]
			}
		}
	}

	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 16, PadY: 12}
	var data vg.Rectangle // The area of the data of all plots.
	for j, row := range plot.Align(plots, tiles, c) {
		for i, tile := range row {
			if plots[j][i] == nil {
				continue
			}
			apart := labelsApart(plots[j][i], plots[j][i].DataCanvas(tile))
			apart.Draw(tile)
			own := apart.DataCanvas(tile).Rectangle
			if i == 0 && j == 0 {
				data = own
			}
			data.Min.Y, data.Max.X = min(data.Min.Y, own.Min.Y), max(data.Max.X, own.Max.X)
		}
	}

	label := Typeface(LabelSize, false, SoftColor)
	mid := vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}
	c.FillText(At(label, text.XCenter, text.YBottom), vg.Point{X: mid.X, Y: page.Min.Y},
		Fit(label, xLabel, 2*min(mid.X-c.Min.X, c.Max.X-mid.X)))
	if above > 0 {
		c.FillText(At(label, text.XLeft, text.YTop), vg.Point{X: page.Min.X, Y: page.Max.Y},
			Fit(label, yLabel, page.Max.X-page.Min.X))
		return
	}
	up := At(label, text.XCenter, text.YTop)
	up.Rotation = QuarterTurn
	c.FillText(up, vg.Point{X: page.Min.X, Y: mid.Y}, Fit(up, yLabel, 2*min(mid.Y-page.Min.Y, page.Max.Y-mid.Y)))
}

// A Line is one kernel's throughput over a dimension. Everything else is fixed at the kernel's
// best configuration on that matrix.
type Line struct {
	Kernel string
	Look   Look
	Fixed  int            // The other size, 0 if the kernel has no choice.
	Params kernels.Params // Further parameters.
	Points []Point

	Published []Hollow
}

// A Point is a throughput with the interval in which another run finds it. Low and High equal Y if
// there is no interval.
type Point struct {
	X            float64 // 0 if the kernel has no choice along this dimension.
	Y, Low, High float64
	Row          *store.Row // The trial that it shows, nil for a mean.
}

// Flat reports whether the kernel has no choice along the dimension.
func (l *Line) Flat() bool { return len(l.Points) == 1 && l.Points[0].X == 0 }

// Unusual returns the further parameters that differ from the catalogue's defaults.
func (l *Line) Unusual() string {
	k, _ := kernels.Lookup(l.Kernel)
	var list []string
	for _, setting := range strings.Fields(l.Params.String()) {
		name, value, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(k.Params, func(p kernels.Param) bool { return p.Name == name && p.Default == value }) {
			list = append(list, setting)
		}
	}
	return strings.Join(list, " ")
}

// Interval says what whiskers and bands show.
const Interval = "where another run finds it (95%)"

// Throughput turns the interval of a time into that of the rate v.
func Throughput(r *store.Row, x, v float64) Point {
	p := Point{X: x, Y: v, Low: v, High: v, Row: r}
	if r.Another.High >= r.Time {
		p.Low = v * r.Time / r.Another.High
	}
	if r.Another.Low > 0 && r.Another.Low <= r.Time {
		p.High = v * r.Time / r.Another.Low
	}
	return p
}

// endLabels write the names of lines to the right of the data, near their ends.
type endLabels struct {
	list   []lineEnd
	beside vg.Length // What is taken to the right of the data.
}

// A lineEnd is where a line ends. One of a kernel without a choice has no X.
type lineEnd struct {
	name string
	look Look
	at   Point
	flat bool
}

const (
	endRoom  = vg.Length(26) // from the data to the names
	endPitch = vg.Length(12) // from name to name
)

func endStyle() text.Style {
	return At(Typeface(TickSize, false, InkColor), text.XLeft, text.YCenter)
}

func (e endLabels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := endStyle()
	right := c.Max.X + e.beside
	ends := make([]vg.Length, len(e.list))
	for i := range e.list {
		ends[i] = ty(min(max(e.list[i].at.Y, p.Y.Min), p.Y.Max))
	}

	for i, y := range spread(ends, endPitch, c.Min.Y, c.Max.Y) {
		end := e.list[i]
		from := vg.Point{X: right, Y: ends[i]}
		if !end.flat {
			from.X = tx(end.at.X)
		}
		mark := vg.Point{X: right + endRoom - 9, Y: y}
		c.StrokeLines(draw.LineStyle{Color: end.look.Color, Width: 0.6},
			[]vg.Point{from, {X: max(from.X, right-4), Y: from.Y}, {X: mark.X - 7, Y: y}, mark})
		end.look.Mark(c, mark, 3.2)
		c.FillText(style, vg.Point{X: right + endRoom, Y: y + 1}, end.name)
	}
}

func (e endLabels) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var width vg.Length
	for _, end := range e.list {
		width = max(width, e.beside+endRoom+endStyle().Width(end.name))
	}
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: width}}}}
}

// spread moves positions apart to at least this pitch, in their order and as little as that
// takes, within low and high if there is room.
func spread(at []vg.Length, pitch, low, high vg.Length) []vg.Length {
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })

	// Isotonic regression of where the positions are without the pitch: neighbours in the wrong
	// order share their mean.
	type block struct{ sum, n vg.Length }
	mean := func(b block) vg.Length { return b.sum / b.n }
	var blocks []block
	for k, i := range order {
		blocks = append(blocks, block{at[i] - vg.Length(k)*pitch, 1})
		for n := len(blocks); n > 1 && mean(blocks[n-2]) > mean(blocks[n-1]); n = len(blocks) {
			blocks[n-2].sum += blocks[n-1].sum
			blocks[n-2].n += blocks[n-1].n
			blocks = blocks[:n-1]
		}
	}

	moved := make([]vg.Length, len(at))
	k := 0
	for _, b := range blocks {
		for range int(b.n) {
			moved[order[k]] = mean(b) + vg.Length(k)*pitch
			k++
		}
	}
	return inRange(moved, order, pitch, low, high)
}

// inRange pushes positions, which are apart, from the ends inwards.
func inRange(moved []vg.Length, order []int, pitch, low, high vg.Length) []vg.Length {
	for k := len(order) - 1; k >= 0; k-- {
		high = min(high, moved[order[k]])
		moved[order[k]] = high
		high -= pitch
	}
	for _, i := range order {
		low = max(low, moved[i])
		moved[i] = low
		low += pitch
	}
	return moved
}

// stems draw a thin line through the dots of each matrix, up to its turned name above the data.
type stems []Stem

const (
	stemRise  = vg.Length(16) // from the data to the names
	longStem  = vg.Length(96) // the longest name
	stemPitch = vg.Length(11)
)

func stemStyle() text.Style {
	style := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YCenter)
	style.Rotation = QuarterTurn
	return style
}

func (s stems) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	upright := Typeface(TickSize, false, SoftColor)
	at := make([]vg.Length, len(s))
	for i := range s {
		at[i] = tx(s[i].X)
	}

	for i, x := range spread(at, stemPitch, c.Min.X, c.Max.X-2) {
		c.StrokeLines(draw.LineStyle{Color: GridColor, Width: 0.7}, []vg.Point{{X: at[i], Y: c.Min.Y},
			{X: at[i], Y: c.Max.Y}, {X: x, Y: c.Max.Y + stemRise - 3}})
		c.FillText(stemStyle(), vg.Point{X: x, Y: c.Max.Y + stemRise}, Fit(upright, s[i].Name, longStem))
	}
}

func (s stems) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: s.height()}}}}
}

// height is the room above the data.
func (s stems) height() vg.Length {
	upright := Typeface(TickSize, false, SoftColor)
	var most vg.Length
	for _, m := range s {
		most = max(most, upright.Width(Fit(upright, m.Name, longStem)))
	}
	return stemRise + most
}

// StemHeight is the room that the names of matrices take above the data.
func StemHeight(list []Stem) vg.Length {
	if len(list) == 0 {
		return 0
	}
	return stems(list).height()
}

// whiskerRoom is how many times the highest value an axis goes at most to show intervals. Longer
// ones end at the axis in an arrow: a wide interval must not press the data together.
const whiskerRoom = 1.25

// Top is the end of an axis for values up to this one, with whiskers up to high.
func Top(value, high float64) float64 { return max(value, min(high, whiskerRoom*value)) }

// whisker draws an interval at x, with an arrow where it leads beyond the axis.
func whisker(c draw.Canvas, p *plot.Plot, x vg.Length, q Point, width vg.Length, ink color.Color) {
	_, ty := p.Transforms(&c)
	low, high := ty(max(q.Low, p.Y.Min)), ty(min(q.High, p.Y.Max))
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: width}, x, low, x, high)
	if q.High > p.Y.Max {
		head(c, vg.Point{X: x, Y: high}, vg.Point{Y: 1}, ink)
	}
	if q.Low < p.Y.Min {
		head(c, vg.Point{X: x, Y: low}, vg.Point{Y: -1}, ink)
	}
}

// head draws the head of an arrow that ends at a point and leads the given way, along an axis.
func head(c draw.Canvas, at, way vg.Point, ink color.Color) {
	const length, half = vg.Length(4), vg.Length(2.4)
	back := at.Sub(way.Scale(length))
	across := vg.Point{X: way.Y, Y: way.X}.Scale(half)
	c.FillPolygon(ink, []vg.Point{at, back.Add(across), back.Sub(across)})
}
