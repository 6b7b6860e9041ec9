// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
)

// A Line is one kernel's throughput over a dimension or over matrices.
type Line struct {
	Kernel string
	Look   Look
	Fixed  int            // The other size of a launch, 0 if the kernel has no choice.
	Params kernels.Params // Further parameters.
	Points []Point

	Published []Point // What papers say, as hollow marks.
}

// A Point is a value with the interval in which another run finds it. Low and High equal Y if
// there is no interval.
type Point struct {
	X            float64 // 0 if the kernel has no choice along this dimension.
	Y, Low, High float64
	Row          *store.Row // The trial that it shows, nil for a mean.
	Words        string     // What it says of itself; "" for what its trial does.
}

// Exact is a point without an interval.
func Exact(x, y float64) Point { return Point{X: x, Y: y, Low: y, High: y} }

// mark draws the point's marker, which says what it shows to one who points at it.
func (q Point) mark(c draw.Canvas, at vg.Point, l Look, radius vg.Length) {
	l.Mark(c, at, radius)
	switch {
	case q.Words != "":
		Hover(c, at, func() string { return q.Words })
	case q.Row != nil:
		Hover(c, at, func() string { return analysis.About(q.Row) })
	}
}

// Flat reports whether the kernel has no choice along the dimension.
func (l *Line) Flat() bool { return len(l.Points) == 1 && l.Points[0].X == 0 }

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

// places are those of points, at the edge of the data where they are beyond it.
func places(c draw.Canvas, p *plot.Plot, points []Point) []vg.Point {
	tx, ty := p.Transforms(&c)
	return lists.Of(points, func(q Point) vg.Point { return vg.Point{X: tx(inside(q.X, p.X)), Y: ty(inside(q.Y, p.Y))} })
}

func inside(v float64, a plot.Axis) float64 { return min(max(v, a.Min), a.Max) }

// A Level is a dashed line across a panel.
type Level float64

func (l Level) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	c.StrokeLine2(dashed, c.Min.X, ty(float64(l)), c.Max.X, ty(float64(l)))
}

var dashed = draw.LineStyle{Color: LineColor, Width: 1, Dashes: []vg.Length{4, 3}}

// A Roof is the bandwidth of a device: a dashed line across a panel at the highest, above a band down to the lowest.
type Roof struct{ Low, High float64 }

func (r Roof) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	c.SetColor(BandColor)
	c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: max(ty(r.Low), c.Min.Y)}, Max: vg.Point{X: c.Max.X, Y: ty(r.High)}}.Path())
	Level(r.High).Plot(c, p)
}

// A Band is the area between the ends of the intervals of points, nothing where none has an interval.
type Band struct {
	Points []Point
	Color  color.Color
}

func (b Band) Plot(c draw.Canvas, p *plot.Plot) {
	if !slices.ContainsFunc(b.Points, func(q Point) bool { return q.Low < q.High }) {
		return
	}
	if len(b.Points) == 1 {
		whisker(c, p, places(c, p, b.Points)[0].X, b.Points[0], 1, b.Color)
		return
	}
	outline := lists.Of(b.Points, func(q Point) Point { return Point{X: q.X, Y: q.High} })
	for _, q := range slices.Backward(b.Points) {
		outline = append(outline, Point{X: q.X, Y: q.Low})
	}
	c.FillPolygon(Fade(b.Color), places(c, p, outline))
}

// A Curve joins points. It has markers at every point if there are few, otherwise at some points. These differ
// from kernel to kernel, so that close lines can be told apart.
type Curve struct {
	Points  []Point
	Look    Look
	Width   vg.Length
	Markers int  // The most markers, 0 for none.
	Rim     bool // A rim keeps it apart from dots.
}

func (l Curve) Plot(c draw.Canvas, p *plot.Plot) {
	at := places(c, p, l.Points)
	if l.Rim {
		c.StrokeLines(draw.LineStyle{Color: PaperColor, Width: l.Width + 1.6}, at)
	}
	c.StrokeLines(l.Look.Line(l.Width), at)
	if l.Markers == 0 {
		return
	}
	every, first := 1, 0
	if len(at) > l.Markers {
		every = (len(at) + l.Markers - 1) / l.Markers
		first = int(l.Look.Phase * float64(every))
	}
	for i := first; i < len(at); i += every {
		l.Points[i].mark(c, at[i], l.Look, 3)
	}
}

// Marks are markers at points.
type Marks struct {
	Points   []Point
	Look     Look
	Radius   vg.Length
	Whiskers vg.Length // The width of their intervals, 0 for none.
}

func (m Marks) Plot(c draw.Canvas, p *plot.Plot) {
	for i, at := range places(c, p, m.Points) {
		if m.Whiskers > 0 {
			whisker(c, p, at.X, m.Points[i], m.Whiskers, m.Look.Color)
		}
		m.Points[i].mark(c, at, m.Look, m.Radius)
	}
}

// PublishedOf marks what papers say of a line by outlines of its marker.
func PublishedOf(l Line) Marks {
	l.Look.Hollow = true
	return Marks{Points: l.Published, Look: l.Look, Radius: 3.4}
}

// A Slot is a kernel that has no choice along the dimension. Its line crosses the panel and ends in a slot
// beside the data, with its marker and interval.
type Slot struct {
	Line
	Number int // The slot, from the data.
}

const slotWidth = vg.Length(9)

func (l Slot) Plot(c draw.Canvas, p *plot.Plot) {
	q := l.Points[0]
	at := vg.Point{X: c.Max.X + slotWidth*(vg.Length(l.Number)+0.6), Y: places(c, p, l.Points)[0].Y}
	c.StrokeLine2(draw.LineStyle{Color: l.Look.Color, Width: 1.1, Dashes: []vg.Length{2, 2}}, c.Min.X, at.Y, at.X, at.Y)
	whisker(c, p, at.X, q, 1.1, l.Look.Color)
	q.mark(c, at, l.Look, 3)
	hollow := PublishedOf(l.Line)
	for i, place := range places(c, p, l.Published) {
		l.Published[i].mark(c, vg.Point{X: at.X, Y: place.Y}, hollow.Look, hollow.Radius)
	}
}

func (l Slot) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: slotWidth * vg.Length(l.Number+1)}}}}
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
