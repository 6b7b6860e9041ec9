// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/sparse"
)

// HeatSteps is the number of tones from the least to the most.
const HeatSteps = 16

// heat are tones from the least to the most: from light to dark on paper, and from dark to light
// on a dark page, so that the most stands out on both.
var heat = func() (tones [HeatSteps]Tone) {
	stops := []Tone{tone(0xDCEDF8, 0x24323F), tone(0x8CC6EA, 0x22557F), tone(0x2F7FBD, 0x3F8FC4), tone(0x1F3F8F, 0x93CAEE),
		tone(0x120A3A, 0xEAF6FD)}
	for k := range tones {
		tones[k] = along(stops, float64(k)/(HeatSteps-1))
	}
	return tones
}()

// along is the tone between stops at a part of the way from the first to the last.
func along(stops []Tone, part float64) Tone {
	part *= float64(len(stops) - 1)
	i := min(int(part), len(stops)-2)
	return stops[i].toward(stops[i+1].Light, stops[i+1].Dark, part-float64(i))
}

// HeatStep returns the step of a share from 0 to 1.
func HeatStep(share float64) int {
	return int(math.Round(min(max(share, 0), 1) * (HeatSteps - 1)))
}

// OnHeat is the style of text on a cell with the tone of a step.
func OnHeat(size float64, bold bool, step int) text.Style {
	ink := InkColor
	if step >= HeatSteps*2/5 {
		ink = PaperColor
	}
	return At(Typeface(size, bold, ink), text.XCenter, text.YCenter)
}

// FillHeat fills a box in the tone of a step, and its rim, so that no line shows between boxes.
func FillHeat(c draw.Canvas, box vg.Rectangle, step int) {
	paint(c, box.Path(), heat[step], draw.LineStyle{Color: heat[step], Width: 0.3})
}

// scaleAcross draws a strip of colours across the top and the meanings of its ends. It returns where these end.
func scaleAcross(c draw.Canvas, left, right string, strip func(corner vg.Point) vg.Rectangle) vg.Length {
	style := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YCenter)
	box := strip(vg.Point{X: c.Min.X + style.Width(left) + 6, Y: c.Max.Y - 1})
	mid := (box.Min.Y+box.Max.Y)/2 + 1
	c.FillText(style, vg.Point{X: c.Min.X, Y: mid}, left)
	right = Fit(style, right, c.Max.X-box.Max.X-6)
	c.FillText(style, vg.Point{X: box.Max.X + 6, Y: mid}, right)
	return box.Max.X + 6 + style.Width(right)
}

// DrawHeatScale draws the scale of tones across the top, and returns where it ends.
func DrawHeatScale(c draw.Canvas, left, right string) vg.Length {
	step, tall := Here[vg.Length](10, 3.5), vg.Length(11)
	return scaleAcross(c, left, right, func(corner vg.Point) vg.Rectangle {
		box := vg.Rectangle{Min: vg.Point{X: corner.X, Y: corner.Y - tall}, Max: corner}
		for k := range heat {
			box.Max.X += step
			FillHeat(c, vg.Rectangle{Min: vg.Point{X: box.Max.X - step, Y: box.Min.Y}, Max: box.Max}, k)
		}
		return box
	})
}

// DrawDensityScale draws the scale of the colours of DensityPalette across the top.
func DrawDensityScale(c draw.Canvas, left, right string) {
	ramp := image.NewPaletted(image.Rect(0, 0, Here(360, 120), 26), DensityPalette)
	for i := range ramp.Pix {
		ramp.Pix[i] = uint8(1 + i%ramp.Stride*(len(DensityPalette)-1)/ramp.Stride)
	}
	scaleAcross(c, left, right, func(corner vg.Point) vg.Rectangle { return Place(c, ramp, corner) })
}

// shadeOf maps the number of entries of a bin, at least one, to an index in DensityPalette by its logarithm. If no bin has
// more than one, the shade is from the middle: the lightest would suggest that there are darker ones.
func shadeOf(n, most uint32) uint8 {
	if most <= 1 {
		return uint8(len(DensityPalette) / 3)
	}
	return uint8(1 + math.Round(float64(len(DensityPalette)-2)/math.Log(float64(most))*math.Log(float64(n))))
}

// DensityPalette is white for no entry and then goes through the blue hues from light to dark,
// an order that survives printing in grey. Its white differs from the paper's, so that it
// stays white in the report's dark mode.
var DensityPalette = func() color.Palette {
	palette := color.Palette{color.RGBA{0xFE, 0xFE, 0xFE, 0xFF}}
	const shades = 255
	for k := range shades {
		palette = append(palette, along([]Tone{tone(0x56B4E9, 0), tone(0x0072B2, 0), tone(0x332288, 0), tone(0x0C0622, 0)},
			float64(k)/(shades-1)).Light)
	}
	return palette
}()

const TickLength = vg.Length(4)

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
			shade := shadeOf(n, d.Most)
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
	top := vg.Length(math.Floor(float64(corner.Y/Pixel)+1e-6)) * Pixel
	left := vg.Length(math.Ceil(float64(corner.X/Pixel)-1e-6)) * Pixel
	box := vg.Rectangle{Min: vg.Point{X: left, Y: top - size.Y}, Max: vg.Point{X: left + size.X, Y: top}}
	c.DrawImage(box, img)
	const out = Pixel
	a, b := vg.Point{X: box.Min.X - out, Y: box.Min.Y - out}, vg.Point{X: box.Max.X + out, Y: box.Max.Y + out}
	c.StrokeLines(draw.LineStyle{Color: LineColor, Width: 0.8}, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}, a})
	return box
}
