package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
)

// stems draw a thin line through the dots of each matrix, up to its turned name above the data.
type stems []Stem

const (
	stemRise  = vg.Length(16) // from the data to the names
	longStem  = vg.Length(96) // the longest name
	stemPitch = vg.Length(11)
)

func stemStyle() text.Style {
	style := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YCenter)
	style.Rotation = canvas.QuarterTurn
	return style
}

func (s stems) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	upright := canvas.Typeface(canvas.TickSize, false, canvas.SoftColor)
	at := make([]vg.Length, len(s))
	for i := range s {
		at[i] = tx(s[i].X)
	}

	for i, x := range spread(at, stemPitch, c.Min.X, c.Max.X-2) {
		c.StrokeLines(draw.LineStyle{Color: canvas.GridColor, Width: 0.7}, []vg.Point{{X: at[i], Y: c.Min.Y},
			{X: at[i], Y: c.Max.Y}, {X: x, Y: c.Max.Y + stemRise - 3}})
		c.FillText(stemStyle(), vg.Point{X: x, Y: c.Max.Y + stemRise}, canvas.Fit(upright, s[i].Name, longStem))
	}
}

func (s stems) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: s.height()}}}}
}

// height is the room above the data.
func (s stems) height() vg.Length {
	upright := canvas.Typeface(canvas.TickSize, false, canvas.SoftColor)
	var most vg.Length
	for _, m := range s {
		most = max(most, upright.Width(canvas.Fit(upright, m.Name, longStem)))
	}
	return stemRise + most
}

// StemHeight is the room that the names of matrices take above the data.
func StemHeight(list []Stem) vg.Length {
	if len(list) == 0 {
		return 0
	}
	return stems(list).height()
}
