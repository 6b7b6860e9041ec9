// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"image/color"
	"math"
	"sort"
	"sync"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/internal/base/term"
)

// The theme: one typeface, four greys. Sizes are in points of the layout.
const (
	pageDPI = 160 // 1600 pixels across the report's page

	titleSize  = 15
	LabelSize  = 10.5
	TickSize   = 9.5
	legendSize = 10
)

// Greys, distinct from each other and from black so that the HTML report can
// recolour an SVG for a dark page by its colours alone.
var (
	InkColor   = color.RGBA{0x1B, 0x1F, 0x24, 0xFF} // titles, names
	SoftColor  = color.RGBA{0x57, 0x60, 0x6A, 0xFF} // axis labels, subtitles
	LineColor  = color.RGBA{0x8C, 0x95, 0x9F, 0xFF} // axes, reference lines
	GridColor  = color.RGBA{0xDF, 0xE3, 0xE8, 0xFF} // grid lines
	BandColor  = color.RGBA{0xF4, 0xF6, 0xF8, 0xFF} // every other row
	PaperColor = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}
)

// Greys maps the names of the style sheet to the colours above.
var Greys = map[string]color.RGBA{
	"ink": InkColor, "soft": SoftColor, "line": LineColor, "grid": GridColor, "band": BandColor, "paper": PaperColor,
}

// Typeface returns the style of sans-serif text.
func Typeface(size float64, bold bool, c color.Color) text.Style {
	f := plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = font.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: handler}
}

// At returns s aligned to its point.
func At(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign, s.YAlign = x, y
	return s
}

// NewPlot returns an empty plot in the theme: no frame, light horizontal grid lines, labels in
// grey.
func NewPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor, p.TextHandler = nil, handler
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = Typeface(LabelSize, false, SoftColor).Font
		a.Label.TextStyle.Color, a.Label.TextStyle.Handler = SoftColor, handler
		a.Tick.Label.Font = Typeface(TickSize, false, SoftColor).Font
		a.Tick.Label.Color, a.Tick.Label.Handler = SoftColor, handler
		a.LineStyle = draw.LineStyle{Color: LineColor, Width: 0.8}
		a.Tick.LineStyle = draw.LineStyle{Color: LineColor, Width: 0.8}
		a.Tick.Length = 3
		a.Padding = 0
	}

	p.Y.LineStyle.Width = 0
	p.Y.Tick.Length = 0
	return p
}

// Fit shortens s in the middle until it is at most width wide.
func Fit(style text.Style, s string, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	short := func(keep int) string {
		head := (keep + 1) / 2
		return string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
	}
	most := sort.Search(len(runes), func(keep int) bool { return style.Width(short(keep)) > width }) - 1
	if most < 2 {
		return "…"
	}
	return short(most)
}

// Halves breaks a kernel's name that is wider than this into two lines.
func Halves(style text.Style, name string, width vg.Length) []string {
	for i := len(name); i > 0 && style.Width(name) > width; i-- {
		if name[i-1] == '_' && style.Width(name[:i]) <= width {
			return []string{name[:i], Fit(style, name[i:], width)}
		}
	}
	return []string{Fit(style, name, width)}
}

const QuarterTurn = math.Pi / 2

// measured makes signs in texts visible that would turn their direction, and remembers their sizes: a
// picture is laid out once for each of its formats, and kerning makes measuring slow.
type measured struct {
	text.Handler
	boxes *sync.Map // from written to size
}

type written struct {
	text string
	font plotfont.Font
}

type size struct{ width, height, depth vg.Length }

func (m measured) Box(txt string, f plotfont.Font) (width, height, depth vg.Length) {
	if known, ok := m.boxes.Load(written{txt, f}); ok {
		s := known.(size)
		return s.width, s.height, s.depth
	}
	width, height, depth = m.Handler.Box(term.Visible(txt), f)
	m.boxes.Store(written{txt, f}, size{width, height, depth})
	return width, height, depth
}

func (m measured) Draw(c vg.Canvas, txt string, s text.Style, at vg.Point) {
	if web := webOf(c); web != nil {
		web.side = s.XAlign
	}
	m.Handler.Draw(c, term.Visible(txt), s, at)
}

var handler = measured{plot.DefaultTextHandler, &sync.Map{}}
