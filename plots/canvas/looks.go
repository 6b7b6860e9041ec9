// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	_ "embed" // for looks.txt
	"fmt"
	"hash/fnv"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Look is how a kernel is drawn. It is the same in every figure and in every version of
// the program: it depends neither on what else is drawn nor on the kernel's row in the
// catalogue.
type Look struct {
	Color  color.Color
	Marker marker
	Dashes []vg.Length
	Hollow bool // The marker is an outline.
	// Phase shifts the markers along a line, by this part of their distance, so that those of close lines stay apart.
	Phase float64
}

// LookOf returns how the kernel is drawn. That of a kernel which is not in the catalogue, such
// as a user's own, follows from its name.
func LookOf(kernel string) Look {
	h := fnv.New32a()
	h.Write([]byte(kernel))
	n := int(h.Sum32() % uint32(len(Hues)*len(Markers)))
	l, known := looks[kernel]
	if !known {
		l = Look{Color: Hues[n%len(Hues)], Marker: Markers[n/len(Hues)]}
	}
	return l
}

// Shade returns the look of the i-th of n variants of a kernel: its colour, from strong to
// plain, and the next marker.
func Shade(kernel string, i, n int) Look {
	l := LookOf(kernel)
	if t, ok := l.Color.(Tone); ok {
		part := 0.6 * (1 - float64(i)/float64(max(1, n-1)))
		l.Color = t.toward(color.RGBA{A: 0xFF}, PaperColor, part)
	}
	l.Marker = Markers[i%simpleMarkers]
	return l
}

// mix returns the colour that lies the fraction t of the way from a to b.
func mix(a, b color.RGBA, t float64) color.RGBA {
	between := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.RGBA{between(a.R, b.R), between(a.G, b.G), between(a.B, b.B), 0xFF}
}

// Mark draws the marker at p.
func (l Look) Mark(c draw.Canvas, p vg.Point, radius vg.Length) {
	// The border keeps markers on top of each other apart.
	fill, border := l.Color, draw.LineStyle{Color: PaperColor, Width: radius / 5}
	if l.Hollow {
		fill, border = PaperColor, draw.LineStyle{Color: l.Color, Width: radius * 0.36}
		radius *= 0.88
	}
	paint(c, l.Marker.path(p, radius), fill, border)
}

// paint fills a path and draws its border.
func paint(c draw.Canvas, path vg.Path, fill color.Color, border draw.LineStyle) {
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(border)
	c.Stroke(path)
}

// Line returns the style of a line of this width.
func (l Look) Line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: width, Dashes: l.Dashes}
}

// A marker is the outline of a plotting symbol, for a radius of 1. An empty one is a circle.
// All outlines have about the same area.
type marker []vg.Point

// Markers are all markers, in the order of their names.
var Markers = [...]marker{
	nil, polygon(4, math.Pi/4, 1.12), polygon(3, math.Pi/2, 1.38), polygon(4, 0, 1.28), polygon(3, -math.Pi/2, 1.38), cross(0),
	cross(math.Pi / 4), polygon(3, 0, 1.38), star(5), bar(1.5, 0.52), polygon(3, math.Pi, 1.38), star(4), bar(0.52, 1.5), star(3),
}

// markerNames name them in looks.txt.
var markerNames = strings.Fields("circle square triangle diamond tip plus saltire right pentagram lying left quadrangle " +
	"standing trefoil")

// simpleMarkers is the number of markers that are told apart at once: those up to the saltire.
const simpleMarkers = 7

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

// A Tone is a colour of marks: on paper and light pages, and on dark pages. Both have a contrast
// of at least 3:1 there.
type Tone struct{ Light, Dark color.RGBA }

// RGBA is the colour on paper.
func (t Tone) RGBA() (r, g, b, a uint32) { return t.Light.RGBA() }

// tone makes a tone of two colours 0xRRGGBB.
func tone(light, dark uint32) Tone { return Tone{solid(light), solid(dark)} }

func solid(rgb uint32) color.RGBA {
	return color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xFF}
}

// A faded colour lets through most of what is behind it.
type faded struct{ color.Color }

const fadedOpacity = 0x40

// RGBA is the colour on paper, with its opacity.
func (f faded) RGBA() (r, g, b, a uint32) {
	r, g, b, _ = f.Color.RGBA()
	const of = 0xFF
	return r * fadedOpacity / of, g * fadedOpacity / of, b * fadedOpacity / of, 0xFFFF * fadedOpacity / of
}

// Fade returns c with the opacity of a band.
func Fade(c color.Color) color.Color { return faded{c} }

// Hues are for what is no kernel, such as caches, devices and searches: six of Okabe and Ito's
// colours (Color Universal Design, 2008) and two dark ones of Tol's muted scheme
// (SRON/EPS/TN/09-002), the light ones darkened for their contrast with paper. Neighbours
// differ in lightness, so that they differ in grey too.
var Hues = [...]Tone{
	tone(0x0072B2, 0x4AA3DF), // blue
	tone(0xC47F00, 0xF0B32E), // orange
	tone(0x882255, 0xD9679F), // wine
	tone(0x00956C, 0x2FC497), // green
	tone(0x2B5FA8, 0x7FA8F0), // steel
	tone(0xD55E00, 0xF5833F), // vermilion
	tone(0x332288, 0x9A8FF0), // indigo
	tone(0xC2679A, 0xE5A6CA), // pink
}

// toward returns the tone that lies part of the way to these colours.
func (t Tone) toward(light, dark color.RGBA, part float64) Tone {
	return Tone{mix(t.Light, light, part), mix(t.Dark, dark, part)}
}

//go:embed looks.txt
var looksText string

// looks are those of looks.txt by kernel. Kernels that a shipped sweep compares differ in colour, and those whose
// colours are close for readers who see no green, or in print without colours, differ in marker; TestKernelsDiffer
// says by how much.
var looks = func() map[string]Look {
	list := map[string]Look{}
	for line := range strings.Lines(looksText) {
		var light, dark uint32
		var kernel, marker string
		if n, _ := fmt.Sscanf(line, "%s %x %x %s", &kernel, &light, &dark, &marker); n == 4 {
			list[kernel] = Look{Color: tone(light, dark), Marker: Markers[slices.Index(markerNames, marker)]}
		}
	}
	return list
}()
