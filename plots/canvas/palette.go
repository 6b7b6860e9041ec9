package canvas

import (
	"hash/fnv"
	"image/color"
	"math"

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
	Phase  int  // Phase shifts the markers along a line, so that markers of close lines stay apart.
}

// LookOf returns how the kernel is drawn. That of a kernel which is not in the catalogue, such
// as a user's own, follows from its name.
func LookOf(kernel string) Look {
	i, known := looksOfKernels[kernel]
	if !known {
		h := fnv.New32a()
		h.Write([]byte(kernel))
		n := int(h.Sum32() % uint32(len(Hues)*len(Markers)))
		return Look{Color: Hues[n%len(Hues)], Marker: Markers[n/len(Hues)], Phase: n}
	}
	row := &kernelLooks[i]
	return Look{Color: row.color, Marker: Markers[row.marker], Phase: i}
}

// Shade returns the look of the i-th of n variants of a kernel: its colour, from strong to
// plain, and the next marker.
func Shade(kernel string, i, n int) Look {
	l := LookOf(kernel)
	if t, ok := l.Color.(Tone); ok {
		part := 0.6 * (1 - float64(i)/float64(max(1, n-1)))
		l.Color = t.toward(color.RGBA{A: 0xFF}, PaperColor, part)
	}
	l.Marker = Markers[(l.Phase+i)%simpleMarkers]
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
