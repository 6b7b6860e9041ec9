package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A chart is one panel of a page: lines with bands under a heading.
type chart struct {
	heading string
	note    string // after the heading, in grey
	lines   []line
	faint   []line // in thin grey behind the others, not named
	x       scale
	roof    float64 // GB/s; drawn where it is within reach, 0: unknown, or another unit
	top     float64 // of the y axis; 0: the panel's own
	markers int     // most on a curve
	steps   int     // of the y axis, about; 0: 4
	apart   bool    // nothing lies between points, so that they have whiskers and no band
}

// peak is the highest value drawn.
func (ch *chart) peak() float64 {
	var top float64
	for _, lines := range [][]line{ch.lines, ch.faint} {
		for _, l := range lines {
			for _, p := range l.Points {
				top = max(top, p.High)
			}
			for _, h := range l.published {
				top = max(top, h.y)
			}
		}
	}
	return top
}

// roofWithin says up to which multiple of the data the roof stays on the panel:
// further up it would press the lines together.
const roofWithin = 1.6

// showsRoof reports whether the roof is within reach.
func (ch *chart) showsRoof() bool {
	return ch.roof > 0 && ch.roof <= roofWithin*max(ch.peak(), ch.top)
}

func (ch *chart) plot() *plot.Plot {
	p := newPlot()
	top := max(ch.peak(), ch.top)
	roof := ch.showsRoof()
	if roof {
		top = max(top, ch.roof)
	}
	ch.x.apply(&p.X)
	fromZero(top, cmp.Or(ch.steps, 4)).apply(&p.Y)
	p.Add(thinGrid())
	if ch.heading != "" {
		p.Add(heading{ch.heading, ch.note})
	}
	if roof {
		p.Add(roofLine(ch.roof))
	}
	for _, l := range ch.faint {
		p.Add(faintLine{l})
	}
	var slot int
	for _, l := range ch.lines {
		if l.flat() { // below the curves
			p.Add(flatLine{l, slot})
			slot++
		} else if ch.apart {
			p.Add(whiskers{l})
		} else {
			p.Add(band{l})
		}
	}
	for _, l := range ch.lines {
		if !l.flat() {
			p.Add(curve{l, ch.markers})
		}
	}
	return p
}

// thinGrid is of horizontal lines at the ticks with a label.
func thinGrid() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal = draw.LineStyle{Color: gridColor, Width: 0.7}
	return grid
}

// heading names a panel above its data, aligned with them.
type heading struct{ text, note string }

const headingHeight = vg.Length(18)

func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	style := at(typeface(labelSize, true, inkColor), text.XLeft, text.YBottom)
	soft := at(typeface(tickSize, false, softColor), text.XLeft, text.YBottom)
	width, gap := c.Max.X-c.Min.X, vg.Length(5)
	name, y := fit(style, h.text, width), c.Max.Y+5
	c.FillText(style, vg.Point{X: c.Min.X, Y: y}, name)
	// The name comes first: a note that it leaves no room for can do without.
	if after := style.Width(name) + gap; after+soft.Width(h.note) <= width {
		c.FillText(soft, vg.Point{X: c.Min.X + after, Y: y}, h.note)
	}
}

func (heading) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: headingHeight}}}}
}

// roofLine is the bandwidth that the device was measured to have, in GB/s.
type roofLine float64

func (r roofLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	y := ty(float64(r))
	c.StrokeLine2(draw.LineStyle{Color: lineColor, Width: 1, Dashes: []vg.Length{4, 3}}, c.Min.X, y, c.Max.X, y)
}

// faintLine is a kernel among many that is there for comparison only.
type faintLine struct{ line }

func (l faintLine) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: lineColor, Width: 0.5}
	if l.flat() {
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

// band is the confidence band of a line.
type band struct{ line }

func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	fill := fade(b.Look.Color)
	pts := b.Points
	if !slices.ContainsFunc(pts, func(q point) bool { return q.Low < q.High }) {
		return // nothing is unsure, as of a share of matrices
	}
	if len(pts) == 1 {
		x := tx(pts[0].X)
		c.StrokeLine2(draw.LineStyle{Color: b.Look.Color, Width: 1}, x, ty(pts[0].Low), x, ty(pts[0].High))
		return
	}
	outline := make([]vg.Point, 0, 2*len(pts))
	for _, q := range pts {
		outline = append(outline, vg.Point{X: tx(q.X), Y: ty(q.High)})
	}
	for i := len(pts) - 1; i >= 0; i-- {
		outline = append(outline, vg.Point{X: tx(pts[i].X), Y: ty(pts[i].Low)})
	}
	c.FillPolygon(fill, outline)
}

// whiskers are the intervals of a line's points.
type whiskers struct{ line }

func (w whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, q := range w.Points {
		c.StrokeLine2(draw.LineStyle{Color: w.Look.Color, Width: 0.9}, tx(q.X), ty(q.Low), tx(q.X), ty(q.High))
	}
}

// flatLine is a kernel that has no choice along the dimension: a line across
// that ends, beside the data, in its marker and interval. Each kernel has a slot
// there.
type flatLine struct {
	line
	slot int
}

const slotWidth = vg.Length(9)

func (l flatLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	look := l.Look
	q := l.Points[0]
	x, y := c.Max.X+slotWidth*(vg.Length(l.slot)+0.6), ty(q.Y)
	c.StrokeLine2(draw.LineStyle{Color: look.Color, Width: 1.1, Dashes: []vg.Length{2, 2}}, c.Min.X, y, x, y)
	c.StrokeLine2(draw.LineStyle{Color: look.Color, Width: 1.1}, x, ty(q.Low), x, ty(q.High))
	look.mark(c, vg.Point{X: x, Y: y}, 3)
	if q.row != nil {
		hover(c, vg.Point{X: x, Y: y}, func() string { return about(q.row) })
	}
	for _, h := range l.published {
		h.draw(c, look, vg.Point{X: x, Y: ty(h.y)})
	}
}

func (l flatLine) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: slotWidth * vg.Length(l.slot+1)}}}}
}

// curve is the line itself with its markers: at every point where these are
// few, otherwise at some, which differ from kernel to kernel so that lines close
// to each other can be told apart.
type curve struct {
	line
	markers int
}

func (l curve) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	look := l.Look
	pts := make([]vg.Point, len(l.Points))
	for i, q := range l.Points {
		pts[i] = vg.Point{X: tx(q.X), Y: ty(q.Y)}
	}
	c.StrokeLines(look.line(1.6), pts)
	every, first := 1, 0
	if len(pts) > l.markers {
		every = (len(pts) + l.markers - 1) / l.markers
		place, _ := catalogueIndex(l.Kernel)
		first = place * every / 3 % every
	}
	for i := first; i < len(pts); i += every {
		look.mark(c, pts[i], 3)
		if row := l.Points[i].row; row != nil {
			hover(c, pts[i], func() string { return about(row) })
		}
	}
	for _, h := range l.published {
		h.draw(c, look, vg.Point{X: tx(h.x), Y: ty(h.y)})
	}
}

// draw marks what was published with the outline of the line's marker.
func (h hollow) draw(c draw.Canvas, l look, p vg.Point) {
	l.Marker.outline(c, p, 3.4, l.Color)
	hover(c, p, func() string { return h.words })
}

// drawCharts lays charts out as drawPlots does.
func drawCharts(c draw.Canvas, charts []chart, columns int, xLabel, yLabel string) {
	list := make([]*plot.Plot, len(charts))
	for i := range charts {
		list[i] = charts[i].plot()
	}
	drawPlots(c, list, columns, xLabel, yLabel)
}

// drawPlots lays plots out in rows of columns with their data areas aligned, and
// labels the axes once for all of them.
func drawPlots(c draw.Canvas, list []*plot.Plot, columns int, xLabel, yLabel string) {
	const side, bottom = vg.Length(20), vg.Length(20)
	page := c
	c = draw.Crop(c, side, 0, bottom, 0)

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
	var data vg.Rectangle // of all plots
	for j, row := range plot.Align(plots, tiles, c) {
		for i, tile := range row {
			if plots[j][i] == nil {
				continue
			}
			plots[j][i].Draw(tile)
			own := plots[j][i].DataCanvas(tile).Rectangle
			if i == 0 && j == 0 {
				data = own
			}
			data.Min.Y, data.Max.X = min(data.Min.Y, own.Min.Y), max(data.Max.X, own.Max.X)
		}
	}
	label := typeface(labelSize, false, softColor)
	mid := vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}
	c.FillText(at(label, text.XCenter, text.YBottom), vg.Point{X: mid.X, Y: page.Min.Y}, fit(label, xLabel, 2*min(mid.X-c.Min.X, c.Max.X-mid.X)))
	up := at(label, text.XCenter, text.YTop)
	up.Rotation = quarterTurn
	c.FillText(up, vg.Point{X: page.Min.X, Y: mid.Y}, fit(up, yLabel, 2*min(mid.Y-page.Min.Y, page.Max.Y-mid.Y)))
}
