package canvas

import (
	"hash/fnv"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/kernels"
)

// A Look is how a kernel is drawn. It is the same in every figure and in every version of
// the program: it depends neither on what else is drawn nor on the kernel's row in the
// catalogue.
type Look struct {
	Color  color.RGBA
	Marker marker
	Dashes []vg.Length
	Hollow bool // The marker is an outline.
	Phase  int  // Phase shifts the markers along a line, so that markers of close lines stay apart.
}

// Hues are six of Okabe and Ito's colours (Color Universal Design, 2008) and two dark ones of
// Tol's muted scheme (SRON/EPS/TN/09-002). The latter replace yellow and black, which vanish
// on a light and on a dark page. Neighbours differ in lightness, so that they differ in grey
// too.
var Hues = [...]color.RGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x88, 0x22, 0x55, 0xFF}, // wine
	{0x00, 0x9E, 0x73, 0xFF}, // green
	{0x56, 0xB4, 0xE9, 0xFF}, // sky
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x33, 0x22, 0x88, 0xFF}, // indigo
	{0xCC, 0x79, 0xA7, 0xFF}, // pink
}

// dashes tell apart kernels that have the same colour.
var dashes = [...][]vg.Length{nil, {6, 2.5}, {1.5, 2}, {7, 2, 1.5, 2}, {3, 2}, {10, 3}}

// LookOf returns how the kernel is drawn.
func LookOf(kernel string) Look {
	n := lookNumber(kernel)
	markers := Markers
	if n/(len(Hues)*len(Markers))%2 == 1 {
		markers = moreMarkers
	}
	return Look{
		Color:  Hues[n%len(Hues)],
		Marker: markers[n%len(markers)],
		Dashes: dashes[n/len(Hues)%len(dashes)],
		Phase:  n,
	}
}

// lookNumber is the number in the kernel's row of the catalogue, from 0. A kernel without
// one, such as a user's own, has a number that follows from its name. Eight colours and
// seven markers give 56 pairs, and seven more markers as many again.
func lookNumber(kernel string) int {
	if k, _ := kernels.Lookup(kernel); k.Look > 0 {
		return k.Look - 1
	}
	h := fnv.New32a()
	h.Write([]byte(kernel))
	return int(h.Sum32() % uint32(len(Hues)*len(Markers)))
}

// Shade returns the look of the i-th of n variants of a kernel: its colour, from dark to
// light, and the next marker.
func Shade(kernel string, i, n int) Look {
	l := LookOf(kernel)
	toward, t := InkColor, 0.5-0.95*float64(i)/float64(max(1, n-1))
	if t < 0 {
		toward, t = PaperColor, -t
	}
	l.Color = mix(l.Color, toward, t)
	l.Marker = Markers[(l.Phase+i)%len(Markers)]
	return l
}

// mix returns the colour that lies the fraction t of the way from a to b.
func mix(a, b color.RGBA, t float64) color.RGBA {
	between := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.RGBA{between(a.R, b.R), between(a.G, b.G), between(a.B, b.B), 0xFF}
}

// Mark draws the marker at p.
func (l Look) Mark(c draw.Canvas, p vg.Point, radius vg.Length) {
	if l.Hollow {
		l.Marker.Outline(c, p, radius, l.Color)
		return
	}
	l.Marker.Draw(c, p, radius, l.Color)
}

// Line returns the style of a line of this width.
func (l Look) Line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: width, Dashes: l.Dashes}
}
