package canvas

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/sparse"
)

// HeatSteps is the number of tones from the least to the most.
const HeatSteps = 16

// heat are tones from the least to the most: from light to dark on paper, and from dark to light
// on a dark page, so that the most stands out on both.
var heat = func() [HeatSteps]Tone {
	light := []uint32{0xDCEDF8, 0x8CC6EA, 0x2F7FBD, 0x1F3F8F, 0x120A3A}
	dark := []uint32{0x24323F, 0x22557F, 0x3F8FC4, 0x93CAEE, 0xEAF6FD}
	var tones [HeatSteps]Tone
	for k := range tones {
		at := float64(k) / (HeatSteps - 1) * float64(len(light)-1)
		i := min(int(at), len(light)-2)
		a, b := tone(light[i], dark[i]), tone(light[i+1], dark[i+1])
		tones[k] = a.toward(b.Light, b.Dark, at-float64(i))
	}
	return tones
}()

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
	path := box.Path()
	c.SetColor(heat[step])
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: heat[step], Width: 0.3})
	c.Stroke(path)
}

// DrawHeatScale draws the tones across the top and the meanings of their ends. It returns where
// these end.
func DrawHeatScale(c draw.Canvas, left, right string) vg.Length {
	style := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YCenter)
	step, tall := Here[vg.Length](10, 3.5), vg.Length(11)
	x, mid := c.Min.X+style.Width(left)+6, c.Max.Y-1-tall/2
	c.FillText(style, vg.Point{X: c.Min.X, Y: mid + 1}, left)
	for k := range heat {
		FillHeat(c, vg.Rectangle{Min: vg.Point{X: x, Y: mid - tall/2}, Max: vg.Point{X: x + step, Y: mid + tall/2}}, k)
		x += step
	}
	right = Fit(style, right, c.Max.X-x-6)
	c.FillText(style, vg.Point{X: x + 6, Y: mid + 1}, right)
	return x + 6 + style.Width(right)
}

// shades maps counts to indexes in DensityPalette by their logarithm.
type shades struct{ scale float64 }

func newShades(most uint32) shades {
	if most <= 1 {
		return shades{}
	}
	return shades{float64(len(DensityPalette)-2) / math.Log(float64(most))}
}

// Of returns the shade of a bin with n entries, at least one. If no bin has more than one, the
// shade is from the middle: the lightest would suggest that there are darker ones.
func (s shades) Of(n uint32) uint8 {
	if s.scale == 0 {
		return uint8(len(DensityPalette) / 3)
	}
	return uint8(1 + math.Round(s.scale*math.Log(float64(n))))
}

// DensityPalette is white for no entry and then goes through the blue hues from light to dark,
// an order that survives printing in grey. Its white differs from the paper's, so that it
// stays white in the report's dark mode.
var DensityPalette = func() color.Palette {
	stops := []color.RGBA{solid(0x56B4E9), solid(0x0072B2), solid(0x332288), solid(0x0C0622)}
	palette := color.Palette{color.RGBA{0xFE, 0xFE, 0xFE, 0xFF}}
	const shades = 255
	for k := range shades {
		at := float64(k) / (shades - 1) * float64(len(stops)-1)
		i := min(int(at), len(stops)-2)
		a, b, t := stops[i], stops[i+1], at-float64(i)
		palette = append(palette, mix(a, b, t))
	}
	return palette
}()

// ramp returns a picture of all shades, from left to right or from bottom to top.
func ramp(length, thick int, upright bool) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, length, thick), DensityPalette)
	if upright {
		img = image.NewPaletted(image.Rect(0, 0, thick, length), DensityPalette)
	}
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			along := x
			if upright {
				along = length - 1 - y
			}
			img.Pix[y*img.Stride+x] = uint8(1 + along*(len(DensityPalette)-1)/length)
		}
	}

	return img
}

const RampWidth = 26 // pixels

// DrawScale draws the scale of colours below and to the right of a point, from 1 at the bottom
// to most at the top.
func DrawScale(c draw.Canvas, corner vg.Point, length vg.Length, most uint32) {
	box := Place(c, ramp(int(length/Pixel), RampWidth, true), corner)
	style := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YCenter)
	for _, n := range scaleMarks(most, box.Size().Y) {
		y := box.Min.Y + box.Size().Y*vg.Length(math.Log(float64(n))/math.Log(float64(most)))
		c.StrokeLine2(draw.LineStyle{Color: LineColor, Width: 0.8}, box.Max.X+Pixel, y, box.Max.X+Pixel+TickLength, y)
		c.FillText(style, vg.Point{X: box.Max.X + TickLength + 4, Y: y + 1}, term.Grouped(int(n)))
	}
}

// DrawWideScale draws the scale of colours that several pictures share across the top, and the
// meanings of its ends. It returns where these end.
func DrawWideScale(c draw.Canvas, left, right string) vg.Length {
	style := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YCenter)
	box := Place(c, ramp(Here(360, 120), RampWidth, false), vg.Point{X: c.Min.X + style.Width(left) + 6, Y: c.Max.Y - Pixel})
	mid := (box.Min.Y+box.Max.Y)/2 + 1
	c.FillText(style, vg.Point{X: c.Min.X, Y: mid}, left)
	right = Fit(style, right, c.Max.X-box.Max.X-6)
	c.FillText(style, vg.Point{X: box.Max.X + 6, Y: mid}, right)
	return box.Max.X + 6 + style.Width(right)
}

// scaleMarks returns the counts to write beside a scale of this length: both ends, powers of
// ten between them, and 2 and 5 times these if there is room.
func scaleMarks(most uint32, length vg.Length) []uint32 {
	marks := []uint32{1, most}
	along := func(n uint32) vg.Length {
		return length * vg.Length(math.Log(float64(n))/math.Log(float64(most)))
	}
	for _, digit := range []uint32{1, 5, 2} {
		for power := uint64(1); power*uint64(digit) < uint64(most); power *= 10 {
			n, free := uint32(power)*digit, true
			for _, other := range marks {
				free = free && math.Abs(float64(along(n)-along(other))) > 1.4*TickSize
			}
			if free {
				marks = append(marks, n)
			}
		}
	}

	return marks
}

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
	top := vg.Length(math.Floor(float64(corner.Y/Pixel)+1e-6)) * Pixel
	left := vg.Length(math.Ceil(float64(corner.X/Pixel)-1e-6)) * Pixel
	box := vg.Rectangle{Min: vg.Point{X: left, Y: top - size.Y}, Max: vg.Point{X: left + size.X, Y: top}}
	c.DrawImage(box, img)
	const out = Pixel
	a, b := vg.Point{X: box.Min.X - out, Y: box.Min.Y - out}, vg.Point{X: box.Max.X + out, Y: box.Max.Y + out}
	c.StrokeLines(draw.LineStyle{Color: LineColor, Width: 0.8}, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}, a})
	return box
}
