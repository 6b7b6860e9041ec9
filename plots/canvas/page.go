package canvas

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"unicode"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A page is one picture: a title, a subtitle, a legend and a body.
type Picture struct {
	Name     string // of its files, without ending
	Title    string
	Subtitle string              // what is fixed, what bands and dashes mean
	Alt      string              // what a reader who can't see it should know
	Detail   bool                // one matrix of an overview: folded away in the report
	Matrices []string            // that it shows; nil: all that there are
	Note     string              // which are twins, in words; part of the subtitle
	Kernels  []string            // that are named
	Keys     []Key               // of the legend; nil: the kernels
	Height   vg.Length           // of the body
	Body     func(c draw.Canvas) // draws into the area below the legend
}

// Formats are what a picture can be encoded as.
var Formats = []string{"png", "svg", "pdf"}

// Encode renders the picture in one of the formats.
func (p *Picture) Encode(format string) ([]byte, error) {
	switch format {
	case "png":
		return p.Raster(pageDPI)
	case "svg":
		return p.vector()
	case "pdf":
		return p.portable()
	}
	return nil, fmt.Errorf("drawing %s: unknown format %q: there are png, svg and pdf", p.Name, format)
}

// Raster renders the page as PNG.
func (p *Picture) Raster(dpi int) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(PageWidth, p.PageHeight()), vgimg.UseDPI(dpi))
	p.Draw(draw.New(c))
	var b bytes.Buffer
	// The best compression takes twice the time and saves a thirtieth.
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, c.Image())
	return b.Bytes(), err
}

// vector renders the page as SVG.
func (p *Picture) vector() ([]byte, error) {
	c := vgsvg.New(PageWidth, p.PageHeight())
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// Characters that XML can't hold would spoil the file; a matrix may be called
	// anything.
	s := strings.Map(Printable, strings.ToValidUTF8(b.String(), "\uFFFD"))
	// Where Liberation Sans isn't installed, faces with its metrics or close to
	// them keep labels where they were measured to be.
	s = strings.ReplaceAll(s, "font-family:Liberation Sans", "font-family:"+fontFamilies)
	// Pictures within it are PNG, and of pixels that are not to be smoothed.
	s = strings.ReplaceAll(s, `xlink:href="data:image/jpg;`,
		`style="image-rendering:pixelated" xlink:href="data:image/png;`)
	return []byte(s), nil
}

// Caption adds a note to the subtitle, which may take a line more.
func (p *Picture) Caption(note string) {
	if note == "" {
		return
	}
	p.Note = note
	p.Subtitle = strings.TrimSpace(p.Subtitle + " " + note)
	p.WholePixels()
}

// WholePixels makes the page a little higher, so that its height is a whole number of
// pixels at pageDPI: pictures of pixels stay sharp.
func (p *Picture) WholePixels() {
	over := float64(p.PageHeight() / Pixel)
	p.Height += vg.Length(math.Ceil(over-1e-6)-over) * Pixel
}

func Printable(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
		return '\uFFFD'
	}
	return r
}

const fontFamilies = "Liberation Sans,Arimo,Arial,Helvetica,sans-serif"

// Header measures: the baseline distances of title, subtitle and legend.
const (
	titleHeight    = vg.Length(20)
	subtitleHeight = vg.Length(14)
	headerGap      = vg.Length(8)
)

func (p *Picture) subtitle() []string {
	return wrap(Typeface(LabelSize, false, SoftColor), p.Subtitle, PageWidth-2*PageMargin)
}

func (p *Picture) legend() []Key {
	if p.Keys == nil {
		return KeysOf(p.Kernels, false)
	}
	return p.Keys
}

func (p *Picture) titleLines() []string {
	return wrap(Typeface(titleSize, true, InkColor), p.Title, PageWidth-2*PageMargin)
}

func (p *Picture) PageHeight() vg.Length {
	header := titleHeight*vg.Length(len(p.titleLines())) + subtitleHeight*vg.Length(len(p.subtitle())) +
		legendHeight(p.legend(), PageWidth-2*PageMargin) + headerGap
	return 2*PageMargin + header + p.Height
}

func (p *Picture) Draw(c draw.Canvas) {
	c.SetColor(PaperColor)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, PageMargin, -PageMargin, PageMargin, -PageMargin)

	width := c.Max.X - c.Min.X
	y := c.Max.Y
	title := At(Typeface(titleSize, true, InkColor), text.XLeft, text.YTop)
	for _, line := range p.titleLines() {
		c.FillText(title, vg.Point{X: c.Min.X, Y: y}, line)
		y -= titleHeight
	}

	sub := At(Typeface(LabelSize, false, SoftColor), text.XLeft, text.YTop)
	for _, line := range p.subtitle() {
		c.FillText(sub, vg.Point{X: c.Min.X, Y: y}, line)
		y -= subtitleHeight
	}

	drawLegend(c, p.legend(), y)
	y -= legendHeight(p.legend(), width) + headerGap
	c.Max.Y = y
	p.Body(c)
}

// isBreak tells where a line may end: not at the narrow spaces within numbers.
func isBreak(r rune) bool { return unicode.IsSpace(r) && r != '\u202f' }

// wrap breaks s between words into lines at most width wide.
func wrap(style text.Style, s string, width vg.Length) []string {
	var lines []string
	var line string
	for _, word := range strings.FieldsFunc(s, isBreak) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = Fit(style, longer, width)
	}

	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
