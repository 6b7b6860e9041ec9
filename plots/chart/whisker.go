package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
