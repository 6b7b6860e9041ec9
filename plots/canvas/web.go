// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/internal/base/lists"
)

// A webCanvas draws SVG for the report. The SVG is compact, because a report has many
// pictures. It holds the tips of the marks, and takes its colours from classes of the style
// sheet, so that it follows the reader's light or dark mode. Its unit is a tenth of a point,
// and all coordinates are integers.
type webCanvas struct {
	buf     bytes.Buffer
	styles  *WebStyles
	width   int
	height  int
	tips    []Tip
	state   webState
	stack   []webState
	pending webPath

	texts   []Text
	side    text.XAlignment // The alignment of the text that comes.
	letters bytes.Buffer    // The outlines of letters.
	known   map[string]bool
}

// A Tip is shown when the reader points at a mark.
type Tip struct {
	X, Y int // Tenths of points from the top left.
	Text string
}

type webState struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
	// a, b, c, d, e, f map (x, y) to (ax+cy+e, bx+dy+f).
	a, b, c, d, e, f float64
}

// A webPath is an element that may still be joined with the next one.
type webPath struct{ data, fill, stroke string }

const Tenth = 10 // The number of units in a point.

// Web renders the picture for the report.
func (p *Picture) Web(styles *WebStyles) (svg string, tips []Tip) {
	c := p.web(styles)
	return fmt.Sprintf(`<svg aria-hidden="true" viewBox="0 0 %d %d">%s</svg>`, c.width, c.height, c.buf.Bytes()), c.tips
}

// vector renders the picture as a file of SVG, in its colours on paper. Its text is drawn as the outlines of letters, which
// need no font; the text itself, which is not seen, is there to be found and copied.
func (p *Picture) vector() []byte {
	styles := &WebStyles{literal: true}
	c := p.web(styles)
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%.5gpt" height="%.5gpt" viewBox="0 0 %d %d" font-family="%s">
<style>path{fill:none}use path,defs path{fill:inherit}text{fill:none!important}.pixels{image-rendering:pixelated}%s</style>
<defs>%s</defs>
%s
</svg>
`, scale*PageWidth, scale*p.PageHeight(), c.width, c.height, fontFamilies, styles.Rules.String(), c.letters.Bytes(), c.buf.Bytes())
}

// fontFamilies have the metrics of Liberation Sans, by which text is measured, or are close to them. In others
// letters are narrower or wider: a text says its length.
const fontFamilies = "Liberation Sans,Arimo,Arial,Helvetica,sans-serif"

func (p *Picture) web(styles *WebStyles) *webCanvas {
	height := p.PageHeight()
	c := &webCanvas{styles: styles, known: map[string]bool{}, width: int(math.Round(Tenth * PageWidth.Points())),
		height: int(math.Round(Tenth * height.Points()))}
	c.state = webState{a: Tenth, d: -Tenth, f: float64(c.height), color: color.Black, width: vg.Points(1)}
	p.Draw(draw.NewCanvas(c, PageWidth, height))
	c.flush()
	return c
}

// Hover sets the tip of the mark at this point, on a canvas that has tips.
func Hover(c draw.Canvas, at vg.Point, words func() string) {
	if web := webOf(c); web != nil {
		x, y := web.at(at)
		web.tips = append(web.tips, Tip{x, y, words()})
	}
}

// webOf is the canvas that draws SVG, which may be cropped; nil for another.
func webOf(c vg.Canvas) *webCanvas {
	for {
		switch inner := c.(type) {
		case draw.Canvas:
			c = inner.Canvas
		case *draw.Canvas:
			c = inner.Canvas
		case *webCanvas:
			return inner
		default:
			return nil
		}
	}
}

func (c *webCanvas) SetLineWidth(w vg.Length)               { c.state.width = w }
func (c *webCanvas) SetLineDash(d []vg.Length, _ vg.Length) { c.state.dashes = d }
func (c *webCanvas) SetColor(k color.Color)                 { c.state.color = k }
func (c *webCanvas) Push()                                  { c.stack = append(c.stack, c.state) }
func (c *webCanvas) Size() (w, h vg.Length)                 { return PageWidth, vg.Length(c.height) / Tenth }
func (c *webCanvas) Translate(p vg.Point)                   { c.Apply(1, 0, 0, 1, p.X.Points(), p.Y.Points()) }
func (c *webCanvas) Scale(x, y float64)                     { c.Apply(x, 0, 0, y, 0, 0) }
func (c *webCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.Apply(cos, sin, -sin, cos, 0, 0)
}

func (c *webCanvas) Pop() {
	c.state = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

// Apply puts a transformation before the present one.
func (c *webCanvas) Apply(a, b, cc, d, e, f float64) {
	s := c.state
	c.state.a, c.state.b = s.a*a+s.c*b, s.b*a+s.d*b
	c.state.c, c.state.d = s.a*cc+s.c*d, s.b*cc+s.d*d
	c.state.e, c.state.f = s.a*e+s.c*f+s.e, s.b*e+s.d*f+s.f
}

func (c *webCanvas) at(p vg.Point) (x, y int) {
	s, px, py := &c.state, p.X.Points(), p.Y.Points()
	return int(math.Round(s.a*px + s.c*py + s.e)), int(math.Round(s.b*px + s.d*py + s.f))
}

func (c *webCanvas) Fill(path vg.Path) {
	c.flush()
	c.pending = webPath{data: c.path(path), fill: c.styles.class(c.styles.paint("fill", c.state.color))}
}

func (c *webCanvas) Stroke(path vg.Path) {
	if c.state.width <= 0 {
		return
	}
	style := c.styles.paint("stroke", c.state.color) + ";stroke-width:" + decimal(Tenth*c.state.width.Points())
	if len(c.state.dashes) > 0 {
		list := lists.Of(c.state.dashes, func(d vg.Length) string { return decimal(Tenth * d.Points()) })
		style += ";stroke-dasharray:" + strings.Join(list, " ")
	}

	class := c.styles.class(style)
	data := c.path(path)
	switch {
	case c.pending.fill != "" && c.pending.stroke == "" && c.pending.data == data:
		c.pending.stroke = class // the border of what was filled
	case c.pending.fill == "" && c.pending.stroke == class:
		c.pending.data += data
	default:
		c.flush()
		c.pending = webPath{data: data, stroke: class}
	}
}

// flush writes the pending element.
func (c *webCanvas) flush() {
	if p := &c.pending; p.data != "" {
		fmt.Fprintf(&c.buf, `<path class="%s" d="%s"/>`, strings.TrimSpace(p.fill+" "+p.stroke), p.data)
	}
	c.pending = webPath{}
}

// path returns the data of a path, whose lines are relative: they have fewer digits.
func (c *webCanvas) path(path vg.Path) string {
	var b strings.Builder
	fromX, fromY := 0, 0
	for _, part := range path {
		x, y := c.at(part.Pos)
		switch {
		case part.Type == vg.MoveComp:
			fmt.Fprintf(&b, "M%d %d", x, y)
		case part.Type == vg.CloseComp:
			b.WriteByte('z')
		case part.Type == vg.ArcComp:
			c.circle(&b, &part)
		case x == fromX:
			fmt.Fprintf(&b, "v%d", y-fromY)
		case y == fromY:
			fmt.Fprintf(&b, "h%d", x-fromX)
		case part.Type == vg.CurveComp:
			b.WriteString(map[int]string{1: "Q", 2: "C"}[len(part.Control)])
			for _, p := range part.Control {
				atX, atY := c.at(p)
				fmt.Fprintf(&b, "%d %d ", atX, atY)
			}
			fmt.Fprintf(&b, "%d %d", x, y)
		default:
			fmt.Fprintf(&b, "l%d %d", x-fromX, y-fromY)
		}
		fromX, fromY = x, y
	}
	return b.String()
}

// circle draws an arc, which is a circle here or a pie of one: halves, as SVG can't close one.
func (c *webCanvas) circle(b *strings.Builder, arc *vg.PathComp) {
	sweep := 0 // y grows downwards on a page, and angles the other way round
	if arc.Angle < 0 {
		sweep = 1
	}
	for _, part := range []float64{0.5, 1} {
		sin, cos := math.Sincos(arc.Start + arc.Angle*part)
		x, y := c.at(vg.Point{X: arc.Pos.X + arc.Radius*vg.Length(cos), Y: arc.Pos.Y + arc.Radius*vg.Length(sin)})
		r := int(math.Round(Tenth * arc.Radius.Points()))
		fmt.Fprintf(b, "A%d %d 0 0 %d %d %d", r, r, sweep, x, y)
	}
}

func (c *webCanvas) FillString(f font.Face, at vg.Point, s string) {
	c.flush()
	style := c.styles.paint("fill", c.state.color) + ";font-size:" + decimal(Tenth*f.Font.Size.Points()) + "px"
	if f.Font.Weight > 0 {
		style += ";font-weight:bold"
	}
	c.keep(f, at, s)
	x, y := c.at(at)
	turn := ""
	if angle := math.Round(math.Atan2(c.state.b, c.state.a) * 180 / math.Pi); angle != 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %d %d)"`, decimal(angle), x, y)
	}
	s = strings.Map(Printable, strings.ToValidUTF8(s, "\uFFFD"))
	length := ""
	if len(s) > shortText {
		width, _, _ := handler.Box(s, f.Font)
		length = fmt.Sprintf(` textLength="%.0f" lengthAdjust="spacingAndGlyphs"`, Tenth*width.Points())
	}
	fmt.Fprintf(&c.buf, `<text class="%s" x="%d" y="%d"%s%s>%s</text>`, c.styles.class(style), x, y, length, turn,
		html.EscapeString(s))
	if c.styles.literal {
		c.outline(f, x, y, turn, s)
	}
}

// A Text of a picture is set at a point, in points from the lower left.
type Text struct {
	X, Y  float64
	Angle int    // Degrees.
	Side  string // The point is at its l, c or r.
	Size  float64
	Bold  bool
	Color color.RGBA
	Words string
}

// keep keeps a text that begins at a point.
func (c *webCanvas) keep(f font.Face, at vg.Point, s string) {
	width, _, _ := handler.Box(s, f.Font)
	x, y := c.at(at.Add(vg.Point{X: -vg.Length(c.side) * width}))
	unit := float64(scale) / Tenth
	c.texts = append(c.texts, Text{unit * float64(x), unit * float64(c.height-y), -int(math.Round(math.Atan2(c.state.b, c.state.a) * 180 / math.Pi)),
		map[text.XAlignment]string{text.XLeft: "l", text.XCenter: "c", text.XRight: "r"}[c.side],
		float64(scale) * f.Font.Size.Points(), f.Font.Weight > 0, color.RGBAModel.Convert(c.state.color).(color.RGBA), s})
}

// outline draws the letters of a text by references to their outlines, which are in units of the font.
func (c *webCanvas) outline(f font.Face, x, y int, turn, s string) {
	fmt.Fprintf(&c.buf, `<g class="%s"%s><g transform="translate(%d %d) scale(%.5f)">`,
		c.styles.class(c.styles.paint("fill", c.state.color)), turn, x, y, Tenth*f.Font.Size.Points()/float64(f.Face.UnitsPerEm()))
	at := vg.Length(0)
	for _, r := range s {
		path, advance := outline(f, r)
		if name := fmt.Sprintf("%c%x", "rb"[min(1, max(0, int(f.Font.Weight)))], r); len(path) > 0 {
			if !c.known[name] {
				units := webCanvas{state: webState{a: 1, d: -1}}
				fmt.Fprintf(&c.letters, `<path id="%s" d="%s"/>`, name, units.path(path))
				c.known[name] = true
			}
			fmt.Fprintf(&c.buf, `<use href="#%s" x="%.0f"/>`, name, at)
		}
		at += advance
	}
	c.buf.WriteString("</g></g>")
}

// shortText is the length of texts, such as numbers, that are not much wider in another font.
const shortText = 2

func (c *webCanvas) DrawImage(box vg.Rectangle, img image.Image) {
	c.flush()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img); err != nil {
		return // an image of no size
	}
	x0, y1 := c.at(box.Min)
	x1, y0 := c.at(box.Max)
	fmt.Fprintf(&c.buf, `<image class="pixels" preserveAspectRatio="none" x="%d" y="%d" width="%d" height="%d" `+
		`href="data:image/png;base64,%s"/>`,
		x0, y0, x1-x0, y1-y0, base64.StdEncoding.EncodeToString(b.Bytes()))
}

// decimal prints a number with at most one decimal.
func decimal(v float64) string { return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64) }

// WebStyles are the classes of the pictures in a report, in the order of their first use.
type WebStyles struct {
	Rules   strings.Builder
	names   map[string]string
	tones   map[Tone]string
	literal bool // Colours are those on paper, without variables.
}

// class returns the name of the class with these declarations.
func (s *WebStyles) class(declarations string) string {
	name, known := s.names[declarations]
	if !known {
		if s.names == nil {
			s.names = map[string]string{}
		}
		name = "s" + strconv.FormatInt(int64(len(s.names)), 36)
		s.names[declarations] = name
		fmt.Fprintf(&s.Rules, ".%s{%s}", name, declarations)
	}

	return name
}

// paint declares the colour of a property. Colours of the theme and tones are variables, which
// differ between light and dark pages.
func (s *WebStyles) paint(property string, k color.Color) string {
	opacity := ""
	if f, ok := k.(faded); ok {
		k, opacity = f.Color, fmt.Sprintf(";%s-opacity:%.2g", property, fadedOpacity/255.0)
	}
	if t, ok := k.(Tone); ok && !s.literal {
		return property + ":var(--" + s.variable(t) + ")" + opacity
	}

	c := color.NRGBAModel.Convert(k).(color.NRGBA)
	text := hex(color.RGBA{c.R, c.G, c.B, 0xFF})
	for name, grey := range Greys {
		if k == color.Color(grey) && !s.literal {
			text = "var(--" + name + ")"
		}
	}
	return property + ":" + text + opacity
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// variable returns the name of a tone's variable, which it declares for light, dark and printed
// pages.
func (s *WebStyles) variable(t Tone) string {
	name, known := s.tones[t]
	if !known {
		if s.tones == nil {
			s.tones = map[Tone]string{}
		}
		name = "t" + strconv.FormatInt(int64(len(s.tones)), 36)
		s.tones[t] = name
		light, dark := ":root{--"+name+":"+hex(t.Light)+"}", ":root{--"+name+":"+hex(t.Dark)+"}"
		fmt.Fprintf(&s.Rules, "%s@media (prefers-color-scheme:dark){%s}@media print{%s}", light, dark, light)
	}
	return name
}

// Kernel returns the name of the variable that colours a kernel on the page.
func (s *WebStyles) Kernel(name string) string {
	if t, ok := LookOf(name).Color.(Tone); ok {
		return s.variable(t)
	}
	return ""
}
