package canvas

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
)

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
	length := 360
	if Narrow() {
		length = 120
	}
	box := Place(c, ramp(length, RampWidth, false), vg.Point{X: c.Min.X + style.Width(left) + 6, Y: c.Max.Y - Pixel})
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
