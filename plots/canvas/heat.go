package canvas

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// Heat returns the tone of a step.
func Heat(step int) Tone { return heat[step] }

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
	step, tall := vg.Length(10), vg.Length(11)
	if Narrow() {
		step = 3.5
	}
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
