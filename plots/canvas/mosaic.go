package canvas

import (
	"image"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/sparse"
)

// A Mosaic shows a density in whole pixels at pageDPI, so that all bins are equal and sharp.
type Mosaic struct {
	Height, Width int // The size in bins.
	down, across  int // The pixels per bin.
	// stretched says that the matrix is so narrow that its picture is not to scale.
	Stretched bool
}

// Narrowest limits the aspect ratio of a picture: a matrix that is narrower than 1 to
// Narrowest is not drawn to scale.
const Narrowest = 16

// MosaicOf lays out a matrix of this size. Its longer side has at most this many bins and
// pixels.
func MosaicOf(rows, cols, bins, pixels int) Mosaic {
	rows, cols = max(rows, 1), max(cols, 1) // an empty matrix has an empty frame
	long, short := max(rows, cols), min(rows, cols)
	n := min(long, bins)
	size := pixels / n
	m := max(1, int(math.Round(float64(n)*float64(short)/float64(long))))
	thick, stretched := size, false
	if least := pixels / Narrowest; m*size < least {
		m = min(short, max(1, least/size))
		thick, stretched = max(size, least/m), true
	}

	if rows >= cols {
		return Mosaic{n, m, size, thick, stretched}
	}
	return Mosaic{m, n, thick, size, stretched}
}

// Pixel is the size of a pixel at pageDPI.
const Pixel = 72 * vg.Length(1) / pageDPI

func (m Mosaic) Size() vg.Point {
	return vg.Point{X: vg.Length(m.Width*m.across) * Pixel, Y: vg.Length(m.Height*m.down) * Pixel}
}

// image draws d, which has the bins of m, or none.
func (m Mosaic) image(d *sparse.Density) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, m.Width*m.across, m.Height*m.down), DensityPalette)
	if len(d.Count) == 0 {
		return img
	}
	shades := newShades(d.Most)

	for y := range m.Height * m.down {
		line := img.Pix[y*img.Stride:][:m.Width*m.across]
		if y%m.down > 0 {
			copy(line, img.Pix[(y-1)*img.Stride:])
			continue
		}
		for j, n := range d.Count[y/m.down*m.Width:][:m.Width] {
			if n == 0 {
				continue
			}
			shade := shades.Of(n)
			for x := range m.across {
				line[j*m.across+x] = shade
			}
		}
	}

	return img
}

// Draw puts the picture below and to the right of a point. It returns the area of the picture.
func (m Mosaic) Draw(c draw.Canvas, d *sparse.Density, corner vg.Point) vg.Rectangle {
	return Place(c, m.image(d), corner)
}

// Place draws an image pixel by pixel, with a frame, below and to the right of a point. The
// point moves to the next pixel. It returns the area of the image.
func Place(c draw.Canvas, img image.Image, corner vg.Point) vg.Rectangle {
	size := vg.Point{X: vg.Length(img.Bounds().Dx()) * Pixel, Y: vg.Length(img.Bounds().Dy()) * Pixel}
	box := onPixels(corner, size)
	c.DrawImage(box, img)
	frame(c, box)
	return box
}

// Frame draws a frame of a size below and to the right of a point, as Place does, and returns the
// area in it.
func Frame(c draw.Canvas, corner, size vg.Point) vg.Rectangle {
	box := onPixels(corner, size)
	frame(c, box)
	return box
}

// onPixels is an area of a size below and to the right of a point, which moves to the next pixel.
func onPixels(corner, size vg.Point) vg.Rectangle {
	top := vg.Length(math.Floor(float64(corner.Y/Pixel)+1e-6)) * Pixel
	left := vg.Length(math.Ceil(float64(corner.X/Pixel)-1e-6)) * Pixel
	return vg.Rectangle{Min: vg.Point{X: left, Y: top - size.Y}, Max: vg.Point{X: left + size.X, Y: top}}
}

// frame draws a line around a picture.
func frame(c draw.Canvas, box vg.Rectangle) {
	const out = Pixel
	a, b := vg.Point{X: box.Min.X - out, Y: box.Min.Y - out}, vg.Point{X: box.Max.X + out, Y: box.Max.Y + out}
	c.StrokeLines(draw.LineStyle{Color: LineColor, Width: 0.8}, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}, a})
}
