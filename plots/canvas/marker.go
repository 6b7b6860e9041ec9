package canvas

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A marker is the outline of a plotting symbol, for a radius of 1. An empty one is a circle.
// All outlines have about the same area.
type marker []vg.Point

// A shape is the index of a marker.
type shape int

const (
	circle shape = iota
	square
	triangle
	diamond
	tip // a triangle on its tip
	plus
	saltire
	right // a triangle to the right
	pentagram
	lying // a bar
	left  // a triangle to the left
	quadrangle
	standing // a bar
	trefoil
)

// Markers are all markers, by shape.
var Markers = [...]marker{
	circle:     nil,
	square:     polygon(4, math.Pi/4, 1.12),
	triangle:   polygon(3, math.Pi/2, 1.38),
	diamond:    polygon(4, 0, 1.28),
	tip:        polygon(3, -math.Pi/2, 1.38),
	plus:       cross(0),
	saltire:    cross(math.Pi / 4),
	right:      polygon(3, 0, 1.38),
	pentagram:  star(5),
	lying:      bar(1.5, 0.52),
	left:       polygon(3, math.Pi, 1.38),
	quadrangle: star(4),
	standing:   bar(0.52, 1.5),
	trefoil:    star(3),
}

// simpleMarkers is the number of markers that are told apart at once.
const simpleMarkers = int(saltire) + 1

// star returns a star with n points, one of which is at the top.
func star(n int) marker {
	tips, notches := polygon(n, math.Pi/2, 1.6), polygon(n, math.Pi/2+math.Pi/float64(n), 0.68)
	var m marker
	for i := range tips {
		m = append(m, tips[i], notches[i])
	}
	return m
}

// bar returns a rectangle of twice this width and height.
func bar(x, y vg.Length) marker {
	return marker{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}}
}

// polygon returns a regular polygon with n corners, the first at this angle.
func polygon(n int, angle, radius float64) marker {
	m := make(marker, n)
	for i := range m {
		sin, cos := math.Sincos(angle + 2*math.Pi*float64(i)/float64(n))
		m[i] = vg.Point{X: vg.Length(radius * cos), Y: vg.Length(radius * sin)}
	}
	return m
}

// cross returns a fat plus sign, turned by an angle.
func cross(angle float64) marker {
	const arm, half = 1.25, 0.42
	corners := [...][2]float64{
		{half, arm}, {half, half}, {arm, half}, {arm, -half}, {half, -half}, {half, -arm},
		{-half, -arm}, {-half, -half}, {-arm, -half}, {-arm, half}, {-half, half}, {-half, arm},
	}

	sin, cos := math.Sincos(angle)
	m := make(marker, len(corners))
	for i, c := range corners {
		m[i] = vg.Point{X: vg.Length(c[0]*cos - c[1]*sin), Y: vg.Length(c[0]*sin + c[1]*cos)}
	}
	return m
}

// Draw fills the marker at p with a thin border in the colour of the paper, so
// that markers on top of each other stay apart.
func (m marker) Draw(c draw.Canvas, p vg.Point, radius vg.Length, fill color.Color) {
	path := m.path(p, radius)
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: PaperColor, Width: radius / 5})
	c.Stroke(path)
}

// Outline draws the marker at p filled with the colour of the paper.
func (m marker) Outline(c draw.Canvas, p vg.Point, radius vg.Length, line color.Color) {
	path := m.path(p, radius*0.88)
	c.SetColor(PaperColor)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: line, Width: radius * 0.36})
	c.Stroke(path)
}

// path returns the marker's border.
func (m marker) path(p vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	if len(m) == 0 {
		path.Move(vg.Point{X: p.X + radius, Y: p.Y})
		path.Arc(p, radius, 0, 2*math.Pi)
	}

	for i, q := range m {
		corner := p.Add(q.Scale(radius))
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}

	path.Close()
	return path
}
