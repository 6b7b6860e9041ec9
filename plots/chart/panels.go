// Package chart draws trials in two forms: horizontal bars in rows and columns, and panels of
// lines with their confidence bands.
package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
)

// A Chart is one panel of a picture: lines with bands under a heading.
type Chart struct {
	Heading string
	Note    string // A note in grey after the heading.
	Lines   []Line
	Faint   []Line // Lines without a name, in thin grey behind the others.
	X       canvas.Scale
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
	p := canvas.NewPlot()
	top := max(ch.Peak(), ch.Top)
	roof := ch.ShowsRoof()
	if roof {
		top = max(top, ch.Roof)
	}
	ch.X.Apply(&p.X)
	canvas.FromZero(top, cmp.Or(ch.Steps, 4)).Apply(&p.Y)
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
	grid.Horizontal = draw.LineStyle{Color: canvas.GridColor, Width: 0.7}
	return grid
}

// A Heading names a panel above its data.
type Heading struct{ Text, Note string }

const HeadingHeight = vg.Length(18)

func (h Heading) Plot(c draw.Canvas, _ *plot.Plot) {
	style := canvas.At(canvas.Typeface(canvas.LabelSize, true, canvas.InkColor), text.XLeft, text.YBottom)
	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YBottom)
	width, gap := c.Max.X-c.Min.X, vg.Length(5)
	if style.Width(h.Text) > width { // a name is rather small than cut
		style = canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.InkColor), text.XLeft, text.YBottom)
	}
	name, y := canvas.Fit(style, h.Text, width), c.Max.Y+5
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
	c.StrokeLine2(draw.LineStyle{Color: canvas.LineColor, Width: 1, Dashes: []vg.Length{4, 3}}, c.Min.X, y, c.Max.X, y)
}

// A faintLine is a kernel that is there for comparison only.
type faintLine struct{ Line }

func (l faintLine) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: canvas.LineColor, Width: 0.5}
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
	fill := canvas.Fade(b.Look.Color)
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
		canvas.Hover(c, vg.Point{X: x, Y: y}, func() string { return data.About(q.Row) })
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
			canvas.Hover(c, pts[i], func() string { return data.About(row) })
		}
	}

	for _, h := range l.Published {
		h.Draw(c, look, vg.Point{X: tx(h.X), Y: ty(h.Y)})
	}
}

// Draw marks a published value with the outline of the line's marker.
func (h Hollow) Draw(c draw.Canvas, l canvas.Look, p vg.Point) {
	l.Marker.Outline(c, p, 3.4, l.Color)
	canvas.Hover(c, p, func() string { return h.Words })
}

// A Hollow is a published value, drawn as a mark beside a line.
type Hollow struct {
	X, Y  float64
	Words string
}
