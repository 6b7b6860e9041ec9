package plots

import (
	"image/color"

	"golang.org/x/image/font"
	plotfont "gonum.org/v1/plot/font"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The theme: one page width, one typeface, four greys. Sizes are in points of a
// page ten inches wide, which a browser or a two-column paper shows at half to
// full size; the smallest type is chosen to be legible at half size.
const (
	pageWidth  = 10 * vg.Inch
	pageDPI    = 160 // 1600 pixels across
	pageMargin = 14 * vg.Length(1)

	titleSize  = 15
	labelSize  = 10.5
	tickSize   = 9.5
	legendSize = 10
)

// Greys, distinct from each other and from black so that the HTML report can
// recolour an SVG for a dark page by its colours alone.
var (
	inkColor   = color.RGBA{0x1B, 0x1F, 0x24, 0xFF} // titles, names
	softColor  = color.RGBA{0x57, 0x60, 0x6A, 0xFF} // axis labels, subtitles
	lineColor  = color.RGBA{0x8C, 0x95, 0x9F, 0xFF} // axes, reference lines
	gridColor  = color.RGBA{0xDF, 0xE3, 0xE8, 0xFF} // grid lines
	bandColor  = color.RGBA{0xF4, 0xF6, 0xF8, 0xFF} // every other row
	paperColor = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}
)

// greys names the colours above as the report's style sheet does.
var greys = map[string]color.RGBA{
	"ink": inkColor, "soft": softColor, "line": lineColor, "grid": gridColor, "band": bandColor, "paper": paperColor,
}

// fade gives c with the opacity of a confidence band.
func fade(c color.RGBA) color.Color {
	return color.NRGBA{c.R, c.G, c.B, 0x40}
}

// typeface returns the style of sans-serif text.
func typeface(size float64, bold bool, c color.Color) text.Style {
	f := plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = font.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// at returns s aligned to its point.
func at(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign, s.YAlign = x, y
	return s
}

// newPlot returns an empty plot in the theme: no frame, light horizontal grid
// lines, labels in grey.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = typeface(labelSize, false, softColor).Font
		a.Label.TextStyle.Color = softColor
		a.Tick.Label.Font = typeface(tickSize, false, softColor).Font
		a.Tick.Label.Color = softColor
		a.LineStyle = draw.LineStyle{Color: lineColor, Width: 0.8}
		a.Tick.LineStyle = draw.LineStyle{Color: lineColor, Width: 0.8}
		a.Tick.Length = 3
		a.Padding = 0
	}
	p.Y.LineStyle.Width = 0
	p.Y.Tick.Length = 0
	return p
}

// fit shortens s in the middle until it is at most width wide.
func fit(style text.Style, s string, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for keep := len(runes) - 1; keep > 1; keep-- {
		head := (keep + 1) / 2
		short := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if style.Width(short) <= width {
			return short
		}
	}
	return "…"
}
