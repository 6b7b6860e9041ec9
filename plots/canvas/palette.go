package canvas

import (
	"hash/fnv"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/kernels"
)

// A Look is how a kernel is drawn: the same everywhere, because it follows from
// the kernel's place in the catalogue and not from what else is on the page.
type Look struct {
	Color  color.RGBA
	Marker marker
	Dashes []vg.Length
	Hollow bool // the marker is an outline
}

// Hues are six of Okabe and Ito's colours (Color Universal Design, 2008) and
// two dark ones of Tol's muted scheme (SRON/EPS/TN/09-002) in place of yellow
// and black, which vanish on a light and on a dark page. Neighbours differ in
// lightness, so that they stay apart in grey.
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

// dashes say which round of the colours a kernel belongs to.
var dashes = [...][]vg.Length{nil, {6, 2.5}, {1.5, 2}, {7, 2, 1.5, 2}, {3, 2}, {10, 3}}

// LookOf returns how the kernel is drawn. Eight colours and seven markers give
// 56 pairs before one repeats, more than the catalogue has kernels. A kernel
// that the catalogue doesn't know, a user's own, takes its look from its name.
func LookOf(kernel string) Look {
	i, known := CatalogueIndex(kernel)
	if !known {
		h := fnv.New32a()
		h.Write([]byte(kernel))
		i = int(h.Sum32() % uint32(len(Hues)*len(Markers)))
	}
	return Look{
		Color:  Hues[i%len(Hues)],
		Marker: Markers[i%len(Markers)],
		Dashes: dashes[i/len(Hues)%len(dashes)],
	}
}

// CatalogueIndex returns the kernel's place in the catalogue, or its length and
// false for a kernel that isn't there.
func CatalogueIndex(kernel string) (int, bool) {
	for i := range kernels.Catalogue {
		if kernels.Catalogue[i].Name == kernel {
			return i, true
		}
	}
	return len(kernels.Catalogue), false
}

// Mark draws the marker at p.
func (l Look) Mark(c draw.Canvas, p vg.Point, radius vg.Length) {
	if l.Hollow {
		l.Marker.Outline(c, p, radius, l.Color)
		return
	}
	l.Marker.Draw(c, p, radius, l.Color)
}

// Line is the style of a line at this width.
func (l Look) Line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: width, Dashes: l.Dashes}
}
