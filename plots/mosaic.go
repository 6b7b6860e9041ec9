package plots

import (
	"image"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/sparse"
)

// A mosaic is a density in whole pixels of a page at pageDPI, so that bins are drawn
// as sharp as they are, and all alike.
type mosaic struct {
	height, width int // bins
	down, across  int // pixels per bin
	// stretched: the matrix is so narrow that its picture is not to scale.
	stretched bool
}

// narrowest is the least that a picture measures across, as a part of its length.
const narrowest = 16

// mosaicOf lays out a matrix of that size over at most so many bins and pixels along
// its longer side.
func mosaicOf(rows, cols, bins, pixels int) mosaic {
	rows, cols = max(rows, 1), max(cols, 1) // an empty matrix has an empty frame
	long, short := max(rows, cols), min(rows, cols)
	n := min(long, bins)
	size := pixels / n
	m := max(1, int(math.Round(float64(n)*float64(short)/float64(long))))
	thick, stretched := size, false
	if least := pixels / narrowest; m*size < least {
		m = min(short, max(1, least/size))
		thick, stretched = max(size, least/m), true
	}
	if rows >= cols {
		return mosaic{n, m, size, thick, stretched}
	}
	return mosaic{m, n, thick, size, stretched}
}

// pixel is the size of a pixel of a page at pageDPI.
const pixel = 72 * vg.Length(1) / pageDPI

func (m mosaic) size() vg.Point {
	return vg.Point{X: vg.Length(m.width*m.across) * pixel, Y: vg.Length(m.height*m.down) * pixel}
}

// image draws d, which has as many bins as m, or none.
func (m mosaic) image(d *sparse.Density) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, m.width*m.across, m.height*m.down), densityPalette)
	if len(d.Count) == 0 {
		return img
	}
	shades := newShades(d.Most)
	for y := range m.height * m.down {
		line := img.Pix[y*img.Stride:][:m.width*m.across]
		if y%m.down > 0 {
			copy(line, img.Pix[(y-1)*img.Stride:])
			continue
		}
		for j, n := range d.Count[y/m.down*m.width:][:m.width] {
			if n == 0 {
				continue
			}
			shade := shades.of(n)
			for x := range m.across {
				line[j*m.across+x] = shade
			}
		}
	}
	return img
}

// draw puts the picture below and to the right of a point and returns where it is.
func (m mosaic) draw(c draw.Canvas, d *sparse.Density, corner vg.Point) vg.Rectangle {
	return place(c, m.image(d), corner)
}

// place draws an image, pixel by pixel, below and to the right of a point, which it
// moves to the next pixel, and frames it. It returns where it is.
func place(c draw.Canvas, img image.Image, corner vg.Point) vg.Rectangle {
	top := vg.Length(math.Floor(float64(corner.Y/pixel)+1e-6)) * pixel
	left := vg.Length(math.Ceil(float64(corner.X/pixel)-1e-6)) * pixel
	size := vg.Point{X: vg.Length(img.Bounds().Dx()) * pixel, Y: vg.Length(img.Bounds().Dy()) * pixel}
	box := vg.Rectangle{Min: vg.Point{X: left, Y: top - size.Y}, Max: vg.Point{X: left + size.X, Y: top}}
	c.DrawImage(box, img)
	frame(c, box)
	return box
}

// frame draws a line around a picture.
func frame(c draw.Canvas, box vg.Rectangle) {
	const out = pixel
	a, b := vg.Point{X: box.Min.X - out, Y: box.Min.Y - out}, vg.Point{X: box.Max.X + out, Y: box.Max.Y + out}
	c.StrokeLines(draw.LineStyle{Color: lineColor, Width: 0.8}, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}, a})
}
